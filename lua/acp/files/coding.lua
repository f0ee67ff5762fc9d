-- What a buffer's lines are in its 'fileencoding', by Neovim's own conversion: only what comes back
-- as it was, for that puts '?' where it cannot convert.

local M = {}

---@param lines string[] at least one
---@param from string
---@param to string
---@return string[]? converted nil if one of them cannot be
local function convert(lines, from, to)
  -- the line end takes an encoding that has states back to its first one
  local text = table.concat(lines, '\n') .. '\n'
  local converted = vim.iconv(text, from, to)
  if not converted or vim.iconv(converted, to, from) ~= text then
    return nil
  end
  local parts = vim.split(converted, '\n', { plain = true })
  return table.remove(parts) == '' and #parts == #lines and parts or nil
end

---@param lines string[]
---@param from string
---@param to string
---@return (string|false)[] converted false for a line that cannot be
local function convert_all(lines, from, to)
  if #lines == 0 then
    return {}
  end
  return convert(lines, from, to)
    or vim.tbl_map(function(line)
      local converted = convert({ line }, from, to)
      return converted and converted[1] or false
    end, lines)
end

--- The bytes that lines of a buffer are on disk.
---@param lines string[]
---@param encoding string
---@return (string|false)[]
function M.encode(lines, encoding)
  return convert_all(lines, 'utf-8', encoding)
end

--- The lines that a buffer has for bytes on disk.
---@param lines string[]
---@param encoding string
---@return (string|false)[]
function M.decode(lines, encoding)
  return convert_all(lines, encoding, 'utf-8')
end

return M
