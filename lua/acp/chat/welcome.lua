-- What an empty chat teaches, as the host says: who is there, the keys, and the last sessions of the
-- project. It is virtual text, and gone with the first prompt.

local bridge = require('acp.host.bridge')
local cells = require('acp.ui.cells')
local chats = require('acp.chat.registry')
local events = require('acp.ui.events')
local layout = require('acp.ui.layout')

local api = vim.api

local M = {}

local namespace = api.nvim_create_namespace('acp_welcome')

---@return boolean whether nothing was said in it yet
local function is_empty(chat)
  local lines = api.nvim_buf_get_lines(chat.chat, 0, 2, false)
  if #lines ~= 1 or lines[1] ~= '' then
    return false
  end
  local status = chat.status
  return status.state == 'idle' and (status.turn or 0) == 0 and (status.queue or 0) == 0
end

---@param parts string[]
---@return string[] lines of as many parts as fit
local function filled(parts, width)
  local lines = {}
  for _, part in ipairs(parts) do
    local last = lines[#lines]
    local longer = last and last .. ' · ' .. part
    if longer and api.nvim_strwidth(longer) <= width then
      lines[#lines] = longer
    else
      table.insert(lines, part)
    end
  end
  return lines
end

---@return [string, string][][] lines of chunks
local function content(chat, width)
  local lines = {}
  for _, told in ipairs(chat.recent.lines) do
    local group, parts = unpack(told)
    for _, text in ipairs(#parts > 0 and filled(parts, width) or { '' }) do
      table.insert(lines, { { cells.cut(text, width), group } })
    end
  end
  return lines
end

--- Show it in a chat in which nothing was said yet, take it away from any other.
function M.draw(chat)
  if not api.nvim_buf_is_loaded(chat.chat) then
    return
  end
  api.nvim_buf_del_extmark(chat.chat, namespace, 1)
  if not is_empty(chat) or not chat.recent then
    return
  end
  local window = layout.window_of(chat.chat)
  local width = window and cells.room(window) or vim.o.columns
  local shown = { id = 1, virt_lines = content(chat, width) }
  api.nvim_buf_set_extmark(chat.chat, namespace, 0, 0, shown)
end

local function ask(chat)
  M.draw(chat)
  if is_empty(chat) then
    bridge.call('recent', { chat = chat.chat }, function(_, told)
      chat.recent = told or chat.recent
      M.draw(chat)
    end)
  end
end

--- Continue the session of that number, if the chat shows any.
---@return boolean done
function M.choose(chat)
  local recent = is_empty(chat) and chat.recent and chat.recent.sessions[vim.v.count1]
  if not recent then
    return false
  end
  local opened = chats.read(recent.agent, recent.session)
  if opened then
    layout.open(opened)
  end
  return true
end

local on = events.group('acp.welcome')

on('User', 'What an empty chat teaches', function()
  vim.tbl_map(ask, chats.all())
end, { pattern = { 'AcpSessionStarted', 'AcpTurnStarted', 'AcpModeChanged', 'AcpSessionClosed' } })

on({ 'WinResized', 'BufWinEnter' }, 'It fits its window', function()
  vim.tbl_map(M.draw, chats.all())
end)

return M
