-- Buffers that another plugin reads or writes in a form of its own: encrypted, packed, a notebook.
-- What they show is not what their files hold, so that for files they are as if they were not there.

local events = require('acp.ui.events')

local api = vim.api

local M = {}

-- So much of a file is held against its buffer.
local HEAD = 2 ^ 14
-- So many lines of the buffer, at its beginning, may have one of those.
local LINES = 5000

---@type table<integer, boolean> by buffer: an autocommand has made another text of what was read
local read_otherwise = events.by_buffer()
---@type table<integer, boolean> by buffer: what `checker` has found
local found = events.by_buffer()
---@type fun(buffer: integer)
local watcher = function() end
---@type table<string, vim.regex> by the pattern of an autocommand
local patterns = {}

--- Whether Neovim would run an autocommand of that pattern for a file.
---@param pattern string
local function matches(pattern, name)
  patterns[pattern] = patterns[pattern] or vim.regex(vim.fn.glob2regpat(pattern))
  local short = pattern:find('/', 1, true) and name or vim.fs.basename(name)
  return patterns[pattern]:match_str(short) ~= nil or patterns[pattern]:match_str(name) ~= nil
end

---@return fun(buffer: integer, name: string): boolean foreign whether `:write` of the buffer is left to
--- another plugin, or it has read it so that the text is another
function M.checker()
  local writers = api.nvim_get_autocmds({ event = 'BufWriteCmd' })
  local function is_written(buffer, name)
    for _, writer in ipairs(writers) do
      local own = writer.buflocal and writer.buffer == buffer
      if own or not writer.buflocal and matches(writer.pattern, name) then
        return true
      end
    end
    return vim.bo[buffer].buftype == 'acwrite'
  end
  return function(buffer, name)
    local is_new = not found[buffer]
    found[buffer] = read_otherwise[buffer] or is_written(buffer, name) or nil
    if is_new and found[buffer] then
      watcher(buffer)
    end
    return found[buffer] ~= nil
  end
end

--- Call something with each buffer that is found to be one.
---@param run fun(buffer: integer)
function M.watch(run)
  watcher = run
end

--- Whether the buffer was one when that was looked at last.
function M.is_one(buffer)
  return found[buffer] ~= nil
end

--- The lines that are no blanks, as far as a comparison goes by them.
---@return table<string, true>
local function words(lines)
  local rest = {}
  for _, line in ipairs(lines) do
    for _, part in ipairs(vim.split(line, '\r', { plain = true })) do
      rest[vim.trim(part)] = true
    end
  end
  rest[''] = nil
  return rest
end

--- The lines at the beginning of a file as Neovim reads them.
---@return table<string, true>
local function head(path, encoding)
  local file = io.open(path, 'rb')
  if not file then
    return {}
  end
  local text = file:read(HEAD) or ''
  file:close()
  local lines = vim.split(text:gsub('^\239\187\191', ''), '\n', { plain = true })
  if #text == HEAD then
    table.remove(lines) -- of which there is more
  end
  for index, line in ipairs(lines) do
    line = line:gsub('%z', '\n')
    lines[index] = encoding == '' and line or vim.iconv(line, encoding, 'utf-8') or line
  end
  return words(lines)
end

--- Whether an autocommand for files of such names may make another text of what is read.
local function is_filtered(name)
  for _, reader in ipairs(api.nvim_get_autocmds({ event = 'BufReadPost' })) do
    if not reader.buflocal and reader.pattern ~= '*' and matches(reader.pattern, name) then
      return true
    end
  end
  return false
end

--- Take note whether a filter has read the buffer, which has none of its file's lines then.
function M.compare(buffer, path)
  read_otherwise[buffer] = nil
  local encoding = vim.bo[buffer].fileencoding
  local is_wide = encoding:match('^ucs') or encoding:match('^utf%-?[13][62]') -- has no lines
  if is_wide or not is_filtered(api.nvim_buf_get_name(buffer)) then
    return
  end
  local there, here = head(path, encoding), words(api.nvim_buf_get_lines(buffer, 0, LINES, false))
  for line in pairs(there) do
    if here[line] then
      return
    end
  end
  read_otherwise[buffer] = next(there) ~= nil and next(here) ~= nil or nil
end

return M
