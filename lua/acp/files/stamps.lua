-- Which state of its file a buffer goes back to: when the user has last written it, and when the two
-- were last in step. Our own writes are not the user's. A stamp is that of `acp.files.save`, '' for none.

local file_buffers = require('acp.files.buffers')
local save = require('acp.files.save')

local api = vim.api

local M = {}

---@type table<string, string> by resolved path: the buffer may be gone
local saved = {}
---@type table<integer, string> by buffer
local synced = {}
---@type table<integer, {tick: integer, state: integer}> by buffer: which text was in step
local texts = {}
-- Who answers `n` when Neovim asks whether to write has written nothing, yet BufWritePost comes.
local before = ''
local is_quiet = false

---@param buffer integer
---@return string
local function stamp(buffer)
  return save.stamp(file_buffers.resolve(api.nvim_buf_get_name(buffer)))
end

--- The file as the user has last written it from its buffer, since we look.
---@param path string resolved
---@return string
function M.saved(path)
  return saved[path] or ''
end

--- The file that the buffer has last been in step with.
---@param buffer integer
---@return string
function M.synced(buffer)
  return synced[buffer] or ''
end

---@param buffer integer
---@return integer
local function state(buffer)
  return api.nvim_buf_call(buffer, vim.fn.undotree).seq_cur
end

--- Take note that the buffer has what its file has, or had at that stamp.
---@param buffer integer
---@param seen? string nil or '': as it is now
function M.sync(buffer, seen)
  file_buffers.settle(buffer)
  synced[buffer] = (seen or '') ~= '' and seen or stamp(buffer)
  texts[buffer] = { tick = api.nvim_buf_get_changedtick(buffer), state = state(buffer) }
end

--- Whether the buffer has the very text that was in step. That it is not modified does not tell:
--- after what `BufWritePost` has made of it, Neovim says so, too.
---@param buffer integer
---@return boolean
function M.is_synced(buffer)
  local text, tick = texts[buffer], api.nvim_buf_get_changedtick(buffer)
  if text and text.tick ~= tick and state(buffer) == text.state then
    text.tick = tick -- the user has undone what came after
  end
  return text ~= nil and text.tick == tick
end

--- Let the text that was in step be another than the one that the buffer has now.
---@param buffer integer
function M.part(buffer)
  local text = texts[buffer]
  if text and api.nvim_buf_get_changedtick(buffer) ~= text.tick then
    texts[buffer] = nil
  end
end

--- Do something that is not the user's.
---@param action fun()
function M.quietly(action)
  is_quiet = true
  action()
  is_quiet = false
end

--- Let the host look at once: what agents do to the file from now on is not what was in it before.
---@param buffer integer
local function tell(buffer)
  local bridge = package.loaded['acp.host.bridge']
  if bridge and bridge.running() then
    bridge.notify('met', { path = file_buffers.resolve(api.nvim_buf_get_name(buffer)) })
  end
end

local group = api.nvim_create_augroup('acp_stamps', {})

---@param event string
---@param desc string
---@param run fun(event: vim.api.keyset.create_autocmd.callback_args)
local function on(event, desc, run)
  api.nvim_create_autocmd(event, { group = group, desc = desc, callback = run })
end

on('BufWritePre', 'The file as it is before the user writes it', function(event)
  before = stamp(event.buf)
end)

on('BufWritePost', 'The user has written a file, no agent', function(event)
  local name = api.nvim_buf_get_name(event.buf)
  local is_own = name ~= '' and file_buffers.resolve(event.match) == file_buffers.resolve(name)
  if not is_quiet and is_own and before ~= stamp(event.buf) then
    saved[file_buffers.resolve(name)] = stamp(event.buf)
    M.sync(event.buf)
    tell(event.buf)
  end
end)

on('BufReadPost', 'A buffer has what its file has', function(event)
  M.sync(event.buf)
  tell(event.buf)
end)

on('BufWipeout', 'The number may come again', function(event)
  synced[event.buf], texts[event.buf] = nil, nil
end)

for buffer in file_buffers.all() do
  if not vim.bo[buffer].modified then
    M.sync(buffer)
  end
end

return M
