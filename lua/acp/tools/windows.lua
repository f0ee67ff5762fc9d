-- What is open, what the user looks at, and what is in the lists of errors, for tools of agents.

local file_buffers = require('acp.files.buffers')
local layout = require('acp.ui.layout')

local api = vim.api

local M = {}

-- Entries of one answer: to look at more would hold the editor.
local MOST = 5000
local KINDS = { E = 'error', W = 'warning', I = 'info', N = 'note' }

---@return integer? window with a file, in which the user is or was last
local function current()
  local here = api.nvim_get_current_win()
  return layout.takes_files(here) and here
    or layout.file_window()
    or vim.iter(api.nvim_list_wins()):find(layout.takes_files)
end

--- The character, from 1, that stands at a byte of a line; of a text that is not loaded the byte.
---@param row integer 0-based
---@param byte integer 0-based
function M.character(buffer, row, byte)
  local line = api.nvim_buf_is_loaded(buffer)
    and api.nvim_buf_get_lines(buffer, row, row + 1, false)[1]
  return (line and vim.fn.strchars(line:sub(1, byte)) or byte) + 1
end

--- The files that are open, each with the window that shows it.
function M.files(_, reply)
  local found, here = {}, current()
  for buffer, name in file_buffers.all() do
    local path = file_buffers.path(buffer, name)
    local shown = vim.fn.win_findbuf(buffer)
    local is_current = here ~= nil and api.nvim_win_get_buf(here) == buffer
    if path and (vim.bo[buffer].buflisted or #shown > 0) then
      local file = {
        path = path,
        modified = vim.bo[buffer].modified,
        language = vim.bo[buffer].filetype,
        current = is_current,
      }
      local window = is_current and here or shown[1]
      if window then
        local cursor = api.nvim_win_get_cursor(window)
        file.line, file.column = cursor[1], M.character(buffer, cursor[1] - 1, cursor[2])
        file.first_visible = vim.fn.line('w0', window)
        file.last_visible = vim.fn.line('w$', window)
      end
      table.insert(found, file)
    end
  end
  reply(nil, found)
end

--- The entries of the quickfix list, or of the location list of the user's window.
function M.list(arguments, reply)
  local here = current() or 0
  local get = vim.fn.getqflist
  if arguments.list == 'location' then
    get = function(what)
      return vim.fn.getloclist(here, what)
    end
  end
  local about, items = get({ size = 0, title = 0 }), {}
  for index = 1, math.min(about.size, MOST) do
    vim.list_extend(items, get({ idx = index, items = 0 }).items)
  end
  local paths = vim.defaulttable(function(buffer)
    local name = buffer > 0 and api.nvim_buf_get_name(buffer) or ''
    return name ~= '' and file_buffers.resolve(vim.fn.fnamemodify(name, ':p')) or ''
  end)
  local entries = vim.tbl_map(function(it)
    return {
      path = paths[it.bufnr],
      line = it.lnum,
      column = it.col,
      kind = KINDS[it.type:upper()] or '',
      text = it.text,
    }
  end, items)
  reply(nil, { title = about.title, entries = entries })
end

return M
