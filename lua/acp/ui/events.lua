-- Events of Neovim: who listens to them, and what is known of buffers as long as there are these.

local api = vim.api

local M = {}

---@alias acp.EventScope table options of nvim_create_autocmd, and `later`: when what has fired it is over

--- Listen to events.
---@param events string|string[]
---@param run fun(event: vim.api.keyset.create_autocmd.callback_args): any
---@param scope? acp.EventScope
function M.on(events, desc, run, scope)
  local options = vim.tbl_extend('error', { desc = desc, callback = run }, scope or {})
  if options.later then
    options.later, options.callback = nil, vim.schedule_wrap(run)
  end
  api.nvim_create_autocmd(events, options)
end

---@alias acp.Listen fun(events: string|string[], desc: string, run: function, scope?: acp.EventScope)

--- Begin a group of autocommands, in place of one of that name.
---@return acp.Listen on adds one to it
function M.group(name)
  local group = api.nvim_create_augroup(name, {})
  return function(events, desc, run, scope)
    M.on(events, desc, run, vim.tbl_extend('error', { group = group }, scope or {}))
  end
end

--- End what a group listens to.
function M.leave(name)
  api.nvim_create_augroup(name, {})
end

---@type table<integer, any>[]?
local tables

--- A table by the numbers of buffers: what is in it of one goes with that, for its number may come again.
function M.by_buffer()
  if not tables then
    tables = {}
    M.group('acp.events')('BufWipeout', 'What is known of a buffer goes with it', function(event)
      for _, each in ipairs(tables) do
        each[event.buf] = nil
      end
    end)
  end
  local made = {}
  table.insert(tables, made)
  return made
end

return M
