-- Only the editor makes buffers and windows, and holds terminals.
--
-- The chats and their windows: what commands and the host call. A chat is named by the number of its
-- buffer throughout.

local bridge = require('acp.host.bridge')
local chat_buffer = require('acp.chat.buffer')
local chats = require('acp.chat.registry')
local hands = require('acp.files.hands')
local layout = require('acp.ui.layout')
local prompt = require('acp.prompt.buffer')
local unseen = require('acp.ui.unseen')

local api = vim.api

local M = {}

--- Make chat and prompt, and show them with the cursor in the prompt.
---@param is_hidden? boolean do not show them
---@param root? string its project, as far as that is known
---@return { chat: integer, prompt: integer } buffers
function M.open_session(agent, mods, is_hidden, root)
  require('acp.ui.highlights').define()
  local cwd = vim.fn.getcwd()
  local chat = { chat = unseen.buffer(), agent = agent, cwd = cwd, root = root or cwd }
  chat_buffer.set_options(chat.chat)
  chats.add(chat)
  prompt.create(chat)
  chat_buffer.begin(chat)
  if not is_hidden then
    M.show(chat.chat, mods)
  end
  return { chat = chat.chat, prompt = chat.prompt }
end

---@return integer? chat of the current buffer, else the one of this project used last
function M.current()
  local chat = chats.current()
  return chat and chat.chat
end

--- Show a chat and its prompt, with the cursor in the prompt, in normal mode.
function M.show(number, mods)
  local chat = assert(chats.of(number), 'no such chat')
  if not api.nvim_buf_is_loaded(chat.prompt) then
    if api.nvim_buf_is_valid(chat.prompt) then
      unseen.delete(chat.prompt)
    end
    prompt.create(chat)
    bridge.notify('prompt_made', { chat = number, prompt = chat.prompt })
  end
  local ok, err = pcall(layout.open, chat, mods)
  if not ok then
    local notice = require('acp.ui.notice')
    notice.warn('the chat cannot be shown here: ' .. notice.reason(err))
  end
end

--- Called by the host, at the user's command: go to a chat, unless the user goes on already.
function M.return_to(number)
  hands.calmly('the chat', M.show, number)
end

--- Show a chat, with the cursor in one of its rows.
---@param row integer 0-based
function M.show_row(number, row)
  M.show(number)
  local window = layout.window_of(number)
  if window then
    api.nvim_set_current_win(window)
    vim.cmd("normal! m'")
    local last = api.nvim_buf_line_count(number)
    api.nvim_win_set_cursor(window, { math.min(row + 1, last), 0 })
    vim.cmd('normal! zz')
  end
end

--- There is no chat: say so, or wait for those that are being brought back.
---@param what? 'open'|'close'|'toggle'
local function no_chat(what, mods)
  local notice = require('acp.ui.notice')
  local comes = require('acp.chat.reopen').on_restored(function()
    if what ~= 'close' and chats.current() then
      hands.calmly('the chat', M.chat, 'open', mods)
    end
  end)
  local text = comes and 'the sessions that were open are being opened again: their chats follow'
  notice.notice(text or 'there is no chat: :AcpStart opens one')
end

--- Open, close or toggle the windows of the current chat.
---@param what? 'open'|'close'|'toggle'
function M.chat(what, mods)
  local chat = chats.current()
    or vim.iter(chats.all()):find(function(it)
      return layout.window_of(it.chat) ~= nil
    end)
  if not chat then
    return no_chat(what, mods)
  end
  local visible = layout.window_of(chat.chat) ~= nil
  if what == 'close' or (what ~= 'open' and visible) then
    layout.close(chat)
  else
    M.show(chat.chat, mods)
  end
end

return M
