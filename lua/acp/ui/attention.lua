-- Tells of what happens in a chat while nobody looks at it, the way that `ui.notify` says.

local bridge = require('acp.host.bridge')
local events = require('acp.ui.events')
local layout = require('acp.ui.layout')
local notice = require('acp.ui.notice')
local options = require('acp.host.options')

local api = vim.api

local M = {}

--- Whether Neovim has the focus, as far as its terminal tells.
local is_focused = true

local on = events.group('acp.attention')

on({ 'FocusGained', 'FocusLost' }, 'Whether the user looks at Neovim', function(event)
  is_focused = event.event == 'FocusGained'
  if is_focused and bridge.running() then
    bridge.tell_running('refresh_comments') -- another Neovim may have some since
  end
end)

--- The message as the terminal of Neovim takes it: OSC 777 or OSC 9.
function M.sequence(text)
  local safe = text:gsub('[%c;]', ' '):gsub('\194[\128-\159]', ' ')
  local term = (vim.env.TERM or '') .. (vim.env.VTE_VERSION and 'vte' or '')
  local is_titled = term:find('foot') or term:find('rxvt') or term:find('vte') -- takes a title, too
  local form = is_titled and '\27]777;notify;acp.nvim;%s\7' or '\27]9;%s\7'
  local sequence = form:format(safe)
  if vim.env.TMUX then
    return ('\27Ptmux;%s\27\\'):format((sequence:gsub('\27', '\27\27')))
  end
  return sequence
end

--- Write to the terminal of Neovim.
---@param sequence string
function M.write(sequence)
  if api.nvim_ui_send then
    api.nvim_ui_send(sequence)
  else
    pcall(api.nvim_chan_send, 2, sequence)
  end
end

--- Say something of a chat, unless the user sees that chat.
---@param chat integer 0 for what stands in no chat
---@param warning? boolean
function M.tell(chat, text, warning)
  local way = options.value('ui', 'notify') or 'line'
  local is_seen = chat == 0 or layout.window_of(chat) ~= nil
  if way == 'off' or (is_seen and is_focused) then
    return
  end
  if way == 'vim.notify' then
    local level = vim.log.levels[warning and 'WARN' or 'INFO']
    return vim.notify(text, level, { title = 'acp.nvim' })
  end
  if way == 'terminal' and not is_focused then
    M.write(M.sequence('acp: ' .. text))
  end
  if not is_seen then
    notice.notice(text, warning)
  end
end

return M
