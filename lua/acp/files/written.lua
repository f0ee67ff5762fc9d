-- What a buffer held when Neovim wrote it last, of which perhaps no event has told: its undo tree
-- knows. Only acp.files.stamps calls.

local edit = require('acp.files.edit')
local events = require('acp.ui.events')
local unseen = require('acp.ui.unseen')

local api = vim.api

local M = {}

---@type table<integer, { count: integer, lines: string[]? }> by buffer: what was found last
local found = events.by_buffer()

--- The change after which the buffer was written last; 0: before all changes.
---@param tree vim.fn.undotree.ret
---@return integer? number nil if the tree does not go back so far
local function change_of(tree)
  local state, is_whole
  local function walk(entries)
    for _, entry in ipairs(entries) do
      state = entry.save == tree.save_last and entry.seq or state
      is_whole = is_whole or entry.seq == 1
      walk(entry.alt or {})
    end
  end
  walk(tree.entries)
  return state or is_whole and 0 or nil
end

--- A command with a file, whatever is in its name.
---@param command fun(opts: table)
local function with_file(command, path)
  edit.unhindered(function()
    command({ path, bang = true, magic = { file = false, bar = false }, mods = { silent = true } })
  end)
end

--- The lines after another change of the same tree, made in a buffer of their own: the user's stays
--- as it is.
---@param state integer
---@return string[]
local function lines_at(buffer, state)
  local path, other = vim.fn.tempname(), unseen.buffer()
  local lines
  local ok, err = pcall(function()
    api.nvim_buf_call(buffer, function()
      with_file(vim.cmd.wundo, path)
    end)
    vim.bo[other].undolevels = 1000
    vim.bo[other].fileformat = vim.bo[buffer].fileformat
    api.nvim_buf_set_lines(other, 0, -1, true, api.nvim_buf_get_lines(buffer, 0, -1, true))
    api.nvim_buf_call(other, function()
      with_file(function(opts)
        opts.bang = nil
        vim.cmd.rundo(opts)
      end, path)
      vim.cmd(('silent undo %d'):format(state))
    end)
    lines = api.nvim_buf_get_lines(other, 0, -1, true)
  end)
  vim.uv.fs_unlink(path)
  api.nvim_buf_delete(other, { force = true })
  return ok and lines or error(err, 0)
end

--- What the modified buffer held when it was written for the last time; nil: it is not known.
---@param buffer integer
---@param count integer how often it was written
---@return string[]?
function M.lines(buffer, count)
  local last = found[buffer]
  if last and last.count == count then
    return last.lines
  end
  local state = change_of(api.nvim_buf_call(buffer, vim.fn.undotree))
  local lines
  if state then
    unseen.quietly(function()
      local ok, result = pcall(lines_at, buffer, state)
      lines = ok and result or nil
    end)
  end
  found[buffer] = { count = count, lines = lines }
  return lines
end

--- The buffer has what its file has.
---@param buffer integer
function M.forget(buffer)
  found[buffer] = nil
end

return M
