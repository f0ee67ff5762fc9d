-- The word that was probably meant, for messages about one that is not known.

local M = {}

---@param one string
---@param other string
---@return integer edits that make one word of the other (Levenshtein)
local function distance(one, other)
  local row = {}
  for column = 0, #other do
    row[column] = column
  end
  for line = 1, #one do
    local diagonal = row[0]
    row[0] = line
    for column = 1, #other do
      local cost = one:byte(line) == other:byte(column) and 0 or 1
      local above = row[column]
      row[column] = math.min(above + 1, row[column - 1] + 1, diagonal + cost)
      diagonal = above
    end
  end
  return row[#other]
end

---@param word string
---@param words string[]
---@return string? the one that is most like it, the first of several; nil: none is like it
function M.like(word, words)
  local best, least = nil, math.max(1, math.floor(#word / 2)) + 1
  for _, each in ipairs(words) do
    local edits = distance(word, each)
    if edits < least then
      best, least = each, edits
    end
  end
  return best
end

return M
