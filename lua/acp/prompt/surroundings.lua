-- What a prompt may speak of besides files: the selection, the diagnostics, the quickfix list, and
-- buffers that are no files. The host asks for it when the prompt is sent.

local events = require('acp.ui.events')
local symbols = require('acp.prompt.symbols')

local api = vim.api

local M = {}

local MOST_LINES = 1000

---@class acp.Finding
---@field path string
---@field line integer 1-based, 0: not known
---@field column integer
---@field kind string
---@field text string

---@type integer? the file buffer that the user last was in
local last

---@param buffer integer
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

---@param first integer 1-based
---@param final integer inclusive
---@return table lines `{ buffer, path, first, last, lines, filetype }`, 1-based and inclusive
local function lines_of(buffer, first, final)
  return {
    buffer = buffer,
    path = vim.fn.fnamemodify(api.nvim_buf_get_name(buffer), ':p'),
    first = first,
    last = final,
    lines = api.nvim_buf_get_lines(buffer, first - 1, final, false),
    filetype = vim.bo[buffer].filetype,
  }
end

--- The last visual selection of the file last worked in, as whole lines.
---@return table? `{ buffer, path, first, last, lines, filetype }`, 1-based and inclusive
function M.selection()
  local buffer = file()
  local first = buffer and api.nvim_buf_get_mark(buffer, '<')[1] or 0
  if not buffer or first == 0 then
    return nil
  end
  local final = math.min(api.nvim_buf_get_mark(buffer, '>')[1], api.nvim_buf_line_count(buffer))
  return lines_of(buffer, first, final)
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
---@return table? as of `selection()`; nil: no window shows it
function M.viewport()
  local buffer, _, window = shown()
  return window and lines_of(buffer, vim.fn.line('w0', window), vim.fn.line('w$', window))
end

--- The diagnostics of the file last worked in, from its top.
---@param is_here? boolean only those of the line of its cursor
---@return acp.Finding[]
function M.diagnostics(is_here)
  local buffer, row = shown()
  local lnum = is_here and row and math.max(row - 1, 0) or nil
  local found = buffer and vim.diagnostic.get(buffer, { lnum = lnum }) or {}
  table.sort(found, function(a, b)
    return a.lnum < b.lnum or a.lnum == b.lnum and a.col < b.col
  end)
  return vim.tbl_map(function(it)
    local source = it.source and (' [%s]'):format(it.source) or ''
    return {
      path = api.nvim_buf_get_name(it.bufnr),
      line = it.lnum + 1,
      column = it.col + 1,
      kind = (vim.diagnostic.severity[it.severity] or ''):lower(),
      text = it.message .. source,
    }
  end, found)
end

local AROUND = {
  ['function'] = { Function = true, Method = true, Constructor = true },
  class = { Class = true, Struct = true, Interface = true, Enum = true },
}

--- The innermost function or class around the cursor in the file last worked in.
---@param kind 'function'|'class'
---@return table? as of `selection()`
function M.enclosing(kind)
  local buffer, row = shown()
  local found = buffer and row and symbols.around(buffer, row, AROUND[kind])
  return found and lines_of(buffer, found.first, found.last) or nil
end

--- The user's marks: of the file last worked in, then those of all files.
---@return acp.Finding[]
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
---@return string[] paths
function M.open_files()
  local listed = vim.tbl_filter(function(buffer)
    return vim.bo[buffer].buflisted and M.is_file(buffer)
  end, api.nvim_list_bufs())
  return vim.tbl_map(function(buffer)
    return vim.fn.fnamemodify(api.nvim_buf_get_name(buffer), ':p')
  end, listed)
end

--- The quickfix list.
---@return acp.Finding[]
function M.quickfix()
  local entries
  require('acp.tools.windows').list({ list = 'quickfix' }, function(_, found)
    entries = found.entries
  end)
  return entries
end

--- Text that is in no file.
---@param name 'messages'|'terminal'
---@return { name: string, lines: string[], filetype: string }? nil: there is none
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
---@param buffer integer
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
---@param name string
---@return { name: string, lines: string[], filetype: string }?
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
