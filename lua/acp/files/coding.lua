-- What a buffer's lines are in its 'fileencoding', by Neovim's own conversion: only what comes back
-- as it was, for that puts '?' where it cannot convert.

local M = {}

local ENDS = { unix = '\n', dos = '\r\n', mac = '\r' }
local MARK = '\239\187\191'

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
function M.encode(lines, encoding)
  return convert_all(lines, 'utf-8', encoding)
end

--- The lines that a buffer has for bytes on disk.
function M.decode(lines, encoding)
  return convert_all(lines, encoding, 'utf-8')
end

--- What ends a line of the buffer on disk, but for what the encoding makes of it.
function M.line_end(buffer)
  local options = vim.bo[buffer]
  return options.binary and '\n' or ENDS[options.fileformat]
end

--- What the buffer is to be on disk.
---@return string? nil if that cannot be told
function M.bytes(buffer)
  local options, lines = vim.bo[buffer], vim.api.nvim_buf_get_lines(buffer, 0, -1, true)
  local encoding = options.fileencoding ~= '' and options.fileencoding or 'utf-8'
  local encoded = encoding == 'utf-8' and lines or M.encode(lines, encoding)
  local marked = options.bomb and not options.binary
  if vim.list_contains(encoded, false) or (marked and encoding ~= 'utf-8') then
    return nil
  end
  local line_end = M.line_end(buffer)
  for row, line in ipairs(line_end == ENDS.mac and encoded or {}) do
    encoded[row] = line:gsub('\r', '\n') -- so Neovim has a line feed there
  end
  local text = table.concat(encoded, line_end) .. (options.endofline and line_end or '')
  return (marked and MARK or '') .. text .. (options.endoffile and '\26' or '')
end

return M
