-- What a prompt may speak of besides files: the selection, the diagnostics, the quickfix list, and
-- buffers that are no files. The host asks for it when the prompt is sent.

local events = require('acp.ui.events')
local symbols = require('acp.prompt.symbols')

local api = vim.api

local M = {}

local MOST_LINES = 1000

---@type integer? the file buffer that the user last was in
local last

---@return boolean
function M.is_file(buffer)
  return vim.bo[buffer].buftype == '' and api.nvim_buf_get_name(buffer) ~= ''
end

---@type integer? the terminal of the user that was in last
local terminal

--- Remember the file and the terminal that the user works in.
local function note()
  local buffer = api.nvim_get_current_buf()
  if M.is_file(buffer) then
    last = buffer
  elseif vim.bo[buffer].buftype == 'terminal' then
    terminal = buffer
  end
end

note()
local on = events.group('acp.surroundings')

on({ 'BufEnter', 'BufFilePost', 'TermOpen' }, 'Where the user works', note)

---@return integer? buffer
local function file()
  return last and api.nvim_buf_is_loaded(last) and last or nil
end

--- Lines of a buffer, as an agent is told of them.
---@param first integer 1-based
---@param final integer inclusive
---@return acp.Selection selection without a mark
function M.lines(buffer, first, final)
  local path = vim.fn.fnamemodify(api.nvim_buf_get_name(buffer), ':p')
  local lines = api.nvim_buf_get_lines(buffer, first - 1, final, false)
  return {
    buffer = buffer,
    path = M.is_file(buffer) and path or nil,
    first = first,
    last = first + #lines - 1,
    lines = lines,
    filetype = vim.bo[buffer].filetype,
  }
end

--- The last visual selection of the file last worked in, as whole lines.
---@return acp.Selection?
function M.selection()
  local buffer = file()
  local first = buffer and api.nvim_buf_get_mark(buffer, '<')[1] or 0
  if not buffer or first == 0 then
    return nil
  end
  return M.lines(buffer, first, api.nvim_buf_get_mark(buffer, '>')[1])
end

---@return integer? buffer of the file last worked in
---@return integer? row of the cursor in it, 1-based
---@return integer? window that shows it
local function shown()
  local buffer = file()
  local window = buffer and vim.fn.bufwinid(buffer) or -1
  if window ~= -1 then
    return buffer, api.nvim_win_get_cursor(window)[1], window
  end
  return buffer, buffer and api.nvim_buf_get_mark(buffer, '"')[1]
end

--- What is to be seen of the file last worked in.
---@return acp.Selection? nil: no window shows it
function M.viewport()
  local buffer, _, window = shown()
  return window and M.lines(buffer, vim.fn.line('w0', window), vim.fn.line('w$', window))
end

--- The diagnostics of the file last worked in.
---@param is_here? boolean only those of the line of its cursor
function M.diagnostics(is_here)
  local buffer, row = shown()
  local line = is_here and row and math.max(row, 1) or nil
  return buffer and require('acp.tools.diagnostics').rows(buffer, line) or {}
end

local AROUND = {
  ['function'] = { Function = true, Method = true, Constructor = true },
  class = { Class = true, Struct = true, Interface = true, Enum = true },
}

--- The innermost function or class around the cursor in the file last worked in.
---@param kind 'function'|'class'
---@return acp.Selection?
function M.enclosing(kind)
  local buffer, row = shown()
  local found = buffer and row and symbols.around(buffer, row, AROUND[kind])
  return found and M.lines(buffer, found.first, found.last) or nil
end

--- The user's marks: of the file last worked in, then those of all files.
function M.marks()
  local buffer, found = file(), {}
  local function take(list, name)
    for _, it in ipairs(list) do
      local of, line, column = unpack(it.pos)
      local path = name or vim.fn.fnamemodify(it.file or '', ':p')
      if it.mark:match("^'%a$") and path ~= '' then
        local text = of > 0 and api.nvim_buf_is_loaded(of) and vim.fn.getbufoneline(of, line) or ''
        local kind = 'mark ' .. it.mark:sub(2)
        table.insert(found, { path = path, line = line, column = column, kind = kind, text = text })
      end
    end
  end
  if buffer then
    take(vim.fn.getmarklist(buffer), api.nvim_buf_get_name(buffer))
  end
  take(vim.fn.getmarklist())
  return found
end

--- The files that are open.
function M.open_files()
  local listed = vim.tbl_filter(function(buffer)
    return vim.bo[buffer].buflisted and M.is_file(buffer)
  end, api.nvim_list_bufs())
  return vim.tbl_map(function(buffer)
    return vim.fn.fnamemodify(api.nvim_buf_get_name(buffer), ':p')
  end, listed)
end

--- Text that is in no file.
---@param name 'messages'|'terminal'
function M.text(name)
  local text = ''
  if name == 'messages' then
    text = api.nvim_exec2('messages', { output = true }).output
  elseif terminal and api.nvim_buf_is_loaded(terminal) then
    text = table.concat(api.nvim_buf_get_lines(terminal, -MOST_LINES, -1, false), '\n')
  end
  local lines = vim.split(vim.trim(text), '\n', { plain = true })
  return text:find('%S') and { name = name, lines = lines, filetype = '' } or nil
end

--- What a listed buffer that is no file is called in a mention.
---@return string? name nil for files, for buffers without a name, and for those of this plugin
function M.name(buffer)
  local name = api.nvim_buf_get_name(buffer)
  local ours = vim.bo[buffer].filetype:match('^acp_')
  if not api.nvim_buf_is_loaded(buffer) or M.is_file(buffer) or name == '' or ours then
    return nil
  end
  return name:match('://') and name or vim.fs.basename(name)
end

--- The buffer of that name that is no file.
function M.buffer(name)
  for _, buffer in ipairs(api.nvim_list_bufs()) do
    if M.name(buffer) == name then
      return {
        name = name,
        lines = api.nvim_buf_get_lines(buffer, 0, -1, false),
        filetype = vim.bo[buffer].filetype,
      }
    end
  end
end

return M
