-- The file that the user is in, as context of the next prompt: a link, once, and again when the user is
-- in another one. Option `context`.

local layout = require('acp.ui.layout')
local options = require('acp.host.options')
local project = require('acp.chat.project')

local api = vim.api

local M = {}

---@class acp.ContextFile
---@field path string absolute
---@field line integer 1-based, of the cursor

--- The file of the window in which the user is, or was last.
---@return acp.ContextFile?
local function current()
  local window = layout.file_window()
  local name = window and api.nvim_buf_get_name(api.nvim_win_get_buf(window)) or ''
  if name == '' or name:find('^%a[%w+.-]+://') then
    return nil
  end
  local path = vim.fn.fnamemodify(name, ':p')
  return {
    path = path,
    line = api.nvim_win_get_cursor(window --[[@as integer]])[1],
  }
end

--- The file that goes with the next prompt of a chat, if one does.
---@param chat acp.Chat
---@param selections? acp.Selection[] a file of which lines are attached is named by these
---@return acp.ContextFile?
function M.of(chat, selections)
  local file = options.value('context') ~= 'off' and current() or nil
  if not file or chat.context == file.path or #project.holding({ chat }, file.path) == 0 then
    return nil
  end
  local is_named = vim.iter(selections or chat.selections or {}):any(function(selection)
    return selection.path == file.path
  end)
  return not is_named and file or nil
end

--- The content block that names the file; its name has the line: some agents take a fragment of the
--- address for a part of the file's name.
---@param file acp.ContextFile
---@return table
function M.block(file)
  local name = ('%s:%d'):format(vim.fs.basename(file.path), file.line)
  return { type = 'resource_link', uri = vim.uri_from_fname(file.path), name = name }
end

return M
