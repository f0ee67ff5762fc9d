-- Which of the lines that come is one that was gone: equal ones are told apart by those around them.
-- Only acp.files.marks calls.

local M = {}

-- So many lines above and below tell equal lines apart.
local AROUND = 5

---@param one string[]
---@param at integer
---@param other string[]
---@param there integer
---@return integer count how many lines around are the same in both
local function likeness(one, at, other, there)
  local count = 0
  for _, step in ipairs({ -1, 1 }) do
    local away = step
    while math.abs(away) <= AROUND and one[at + away] and one[at + away] == other[there + away] do
      count, away = count + 1, away + step
    end
  end
  return count
end

--- Find lines that were gone among lines that come.
---@param gone string[]
---@param lines string[]
---@return fun(line: integer): integer? row of a line, by its number: offset, from 0
function M.finder(gone, lines)
  local places = {}
  for number, text in ipairs(lines) do
    places[text] = places[text] or {}
    table.insert(places[text], number)
  end
  return function(line)
    local best, most = nil, -1
    for _, number in ipairs(places[gone[line]] or {}) do
      local count = likeness(gone, line, lines, number)
      if count > most then
        best, most = number - 1, count
      end
    end
    return best
  end
end

return M
