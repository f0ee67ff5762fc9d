-- What a file of :mksession brings back of our buffers is their names, in windows: chats and prompts
-- are opened there again, all others go, with their windows.

local chats = require('acp.chat.registry')
local dress = require('acp.ui.dress')
local layout = require('acp.ui.layout')
local reopen = require('acp.chat.reopen')
local size = require('acp.ui.size')
local tail = require('acp.ui.tail')
local unseen = require('acp.ui.unseen')

local api = vim.api

local M = {}

-- Without a scheme Neovim takes them for files of the working directory.
local LISTS = { 'acp-sessions', 'acp-queue', 'acp-agents' }

--- Where 'sessionoptions' has "localoptions", such a buffer looks like one of ours, and is dead.
---@return integer[] buffers of ours that are only names yet
local function names()
  return vim.tbl_filter(function(buffer)
    local name = api.nvim_buf_get_name(buffer)
    local base = vim.fs.basename(name):gsub(' %(%d+%)$', '')
    local is_list = vim.list_contains(LISTS, base) and not vim.uv.fs_stat(name)
    local is_ours = is_list or name:find('^acp://') or name:find('^acp%-%l+://')
    local is_more = vim.b[buffer].acp_own or vim.bo[buffer].modified
    return is_ours and not is_more and not chats.of(buffer)
  end, api.nvim_list_bufs())
end

--- The windows of prompts keep their places, with nothing in them yet.
---@param prompt integer a buffer that is only a name
---@return integer[] windows
local function emptied(prompt)
  local windows = vim.fn.win_findbuf(prompt)
  for _, window in ipairs(windows) do
    api.nvim_win_set_buf(window, unseen.buffer(nil, { bufhidden = 'wipe' }))
  end
  return windows
end

--- Make a window what it was to a chat.
---@param prompts integer[] windows of prompts that have none yet; its own is taken out
local function furnish(window, chat, prompts)
  dress.window(window, dress.CHAT)
  layout.hold(window, chat.chat)
  local is_width = api.nvim_win_get_width(window) < vim.o.columns
  vim.wo[window].winfixwidth = is_width
  size.keep(window, is_width)
  tail.enter(window)
  for place, below in ipairs(prompts) do
    if api.nvim_win_get_tabpage(below) == api.nvim_win_get_tabpage(window) then
      table.remove(prompts, place)
      api.nvim_win_set_buf(below, chat.prompt)
      dress.window(below, dress.PROMPT)
      return layout.hold(below, chat.prompt)
    end
  end
end

--- Let all go that is no chat.
---@param buffers integer[]
---@return integer[] chats
---@return integer[] windows of prompts
local function cleared(buffers)
  local found, prompts = {}, {}
  for _, buffer in ipairs(buffers) do
    local name = api.nvim_buf_get_name(buffer)
    if vim.startswith(name, 'acp://') then
      table.insert(found, buffer)
    else
      if vim.startswith(name, 'acp-prompt://') then
        vim.list_extend(prompts, emptied(buffer))
      end
      api.nvim_buf_delete(buffer, { force = true })
    end
  end
  return found, prompts
end

--- Bring back what the names stand for.
function M.load()
  local found, prompts = cleared(names())
  for _, buffer in ipairs(found) do
    reopen.read(buffer, api.nvim_buf_get_name(buffer))
    local chat = chats.of(buffer)
    for _, window in ipairs(chat and vim.fn.win_findbuf(buffer) or {}) do
      furnish(window, assert(chat), prompts)
    end
  end
  for _, window in ipairs(prompts) do
    pcall(api.nvim_win_close, window, true) -- not the last one
  end
  vim.tbl_map(layout.fit, chats.all())
end

return M
