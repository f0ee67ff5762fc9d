-- Which buffers hold files, and which of them a path means, symlinks resolved.

local events = require('acp.ui.events')
local foreign = require('acp.files.foreign')
local unseen = require('acp.ui.unseen')

local api = vim.api

require('acp.host.lazy').interpreted()

local M = {}

---@type table<integer, { name: string, path: string }> by buffer: what its name led to
local homes = events.by_buffer()

--- The path without symlinks, as far as it is there; an address is as it is.
function M.resolve(name)
  local real, folder = vim.uv.fs_realpath(name), vim.fs.dirname(name)
  if real or folder == name or not vim.startswith(name, '/') then
    return real or name
  end
  return vim.fs.joinpath(M.resolve(folder), vim.fs.basename(name))
end

--- Take note of which file the buffer has its text of.
function M.settle(buffer)
  local name = api.nvim_buf_get_name(buffer)
  local real = vim.uv.fs_realpath(name)
  homes[buffer] = real and { name = name, path = real } or nil
end

--- The file of a buffer, without symlinks. nil: a link has come, or leads elsewhere now, so that the
--- name is that of another file than the text is of. Until the user reads or writes it, Neovim does
--- there what it always does.
---@param name string of the buffer
function M.path(buffer, name)
  local home = homes[buffer]
  if not home or home.name ~= name then
    M.settle(buffer)
    return homes[buffer] and homes[buffer].path or M.resolve(name)
  end
  local real = vim.uv.fs_realpath(name)
  if real and real ~= home.path then
    return nil
  end
  return real or M.resolve(name)
end

--- Whether that path may be opened: a name may be an address (`term://`) that runs what it says, and
--- a pipe that has taken the place of a file would block Neovim.
function M.opens(path)
  local status = vim.startswith(path, '/') and vim.uv.fs_stat(path)
  return status == nil or status and status.type == 'file'
end

--- The buffer of a file, made if need be. Its name is relative to the working directory where that
--- can be mistaken for nothing else, such as an address.
---@param path string absolute
function M.add(path)
  local short = vim.fn.fnamemodify(path, ':.')
  return vim.fn.bufadd(short:find('[:~]') and path or short)
end

--- Show a file in the current window, by a call that knows neither addresses nor wildcards: what an
--- agent has named is never given to a command. Raises when Neovim refuses.
---@param path string absolute
function M.show(path)
  if not M.opens(path) then
    error('it is not a file', 0)
  end
  local buffer = M.find(path) or M.add(path)
  vim.bo[buffer].buflisted = true
  vim.cmd(('buffer %d'):format(buffer))
end

--- Whether what is written of the buffer goes to a file, be it by another plugin.
---@param name string of the buffer
local function has_file(buffer, name)
  if name == '' or name:match('^%a[%w+.-]+://') or unseen.is_own(buffer) then
    return false -- before an option of it is asked for: one that no window shows would get one
  end
  local kind = vim.bo[buffer].buftype
  return kind == '' or kind == 'acwrite'
end

--- The file that is written by the buffer.
---@return string? path resolved
function M.file(buffer)
  local name = api.nvim_buf_get_name(buffer)
  return has_file(buffer, name) and M.resolve(name) or nil
end

---@return fun(): integer?, string? over loaded buffers that hold what their files do, with their names
function M.all()
  return coroutine.wrap(function()
    local is_foreign = foreign.checker()
    for _, buffer in ipairs(api.nvim_list_bufs()) do
      local name = api.nvim_buf_get_name(buffer)
      local is_file = api.nvim_buf_is_loaded(buffer) and has_file(buffer, name)
      if is_file and not is_foreign(buffer, name) then
        coroutine.yield(buffer, name)
      end
    end
  end)
end

---@return table<string, integer> buffers that are not in `all`, by the resolved paths of their files
function M.foreign()
  local found = {}
  for _, buffer in ipairs(api.nvim_list_bufs()) do
    local is_one = api.nvim_buf_is_loaded(buffer) and foreign.is_one(buffer)
    local path = is_one and M.file(buffer)
    if path then
      found[path] = buffer
    end
  end
  return found
end

--- The loaded buffer of a file that is not in `all`: another plugin reads and writes it.
---@return integer? buffer
function M.otherwise(path)
  for _, buffer in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_is_loaded(buffer) and M.file(buffer) == path then
      return M.find(path) == nil and buffer or nil
    end
  end
end

--- The loaded buffer of a file.
---@return integer? buffer
function M.find(path)
  for buffer, name in M.all() do
    if name == path and M.path(buffer, name) == path then
      return buffer
    end
  end
  for buffer, name in M.all() do
    if M.path(buffer, name) == path then
      return buffer
    end
  end
end

return M
