-- The notes that go along with a prompt: what the agent does not know yet of its files. The host finds
-- them out and says what they are called; here they are kept for the winbar, shown, and dropped.

local bridge = require('acp.host.bridge')
local chats = require('acp.chat.registry')
local events = require('acp.ui.events')
local float = require('acp.ui.float')
local layout = require('acp.ui.layout')

local api = vim.api

local M = {}

local ASK_AFTER_MS = 200
local TITLE = 'What the agent will be told'

---@class acp.Note
---@field key string
---@field label string
---@field size? string of how many lines of the files it speaks

--- Ask the host what goes along now; it says so when that is not what it has said last. While a turn
--- runs nothing does: the host finds out when it is over.
---@param chat acp.Chat
function M.ask(chat)
  if bridge.running() and (vim.b[chat.chat].acp_status or {}).state == 'idle' then
    bridge.notify('notes', { chat = chat.chat })
  end
end

local function open(chat, ops)
  float.read(ops, {
    name = 'acp-notes',
    chat = chat.chat,
    stays = true,
    config = function(buffer)
      return float.large(TITLE, buffer)
    end,
  })
end

--- Show lines, and below them what the notes of a chat say.
---@param chat acp.Chat
---@param lines string[] what goes along besides notes
---@param is_noted boolean whether notes are to be shown
---@param key? string only that note
function M.show(chat, lines, is_noted, key)
  if not is_noted then
    if #lines == 0 then
      return require('acp.ui.notice').notice('nothing but the prompt will be sent')
    end
    return open(chat, { { 0, -1, lines, {} } })
  end
  local payload = { chat = chat.chat, key = key }
  bridge.ask('note_text', payload, function(text)
    if api.nvim_get_current_buf() == chat.prompt then -- else the user has gone elsewhere
      open(chat, vim.list_extend(text.ops, { { 0, 0, lines, {} } }))
    end
  end)
end

local timer = assert(vim.uv.new_timer())

local ask_all = vim.schedule_wrap(function()
  for _, chat in ipairs(chats.all()) do
    if layout.window_of(chat.prompt) then
      M.ask(chat)
    end
  end
end)

local on = events.group('acp.notes')

on('BufWritePost', 'The notes of the prompts that are to be seen stay right', function()
  timer:start(ASK_AFTER_MS, 0, ask_all)
end)

return M
