-- What an empty chat teaches: who is there, the keys, and the last sessions of the project. It is
-- virtual text, and gone with the first prompt.

local bridge = require('acp.host.bridge')
local cells = require('acp.ui.cells')
local chats = require('acp.chat.registry')
local events = require('acp.ui.events')
local layout = require('acp.ui.layout')
local options = require('acp.host.options')

local api = vim.api

local M = {}

local namespace = api.nvim_create_namespace('acp_welcome')

local HINTS = {
  'i write',
  '<CR> send',
  '/ commands',
  '@ files',
  '<Tab> answer',
  ']] [[ prompts',
  'g? all keys',
}

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
  local status, facts = chat.status, chat.recent or {}
  local lines = {}
  local function add(text, group)
    table.insert(lines, { { cells.cut(text, width), group } })
  end
  local mode = vim.iter(status.modes or {}):find(function(it)
    return it.id == status.mode
  end)
  local who = vim.tbl_filter(function(part)
    return part ~= ''
  end, { status.agent or chat.agent, status.model or '', mode and mode.name or status.mode or '' })
  vim.iter(filled(who, width)):each(function(line)
    add(line, 'AcpToolTitle')
  end)
  add(vim.fn.fnamemodify(facts.cwd or chat.cwd, ':~'), 'AcpToolPath')
  if chat.agent == 'tutor' then -- by `:AcpStart`, not `:Acp tutor`
    add('Send anything to begin', 'AcpWarning')
  end
  if options.value('default_keys') ~= false then
    add('', 'AcpDim')
    vim.iter(filled(HINTS, width)):each(function(line)
      add(line, 'AcpDim')
    end)
  end
  for number, recent in ipairs(facts.sessions or {}) do
    if number == 1 then
      add('', 'AcpDim')
      add('Continue an earlier session:', 'AcpDim')
    end
    add(('%-5s %s'):format(number == 1 and '<CR>' or number .. '<CR>', recent.title), 'AcpDim')
  end
  return lines
end

--- Show it in a chat in which nothing was said yet, take it away from any other.
function M.draw(chat)
  if not api.nvim_buf_is_loaded(chat.chat) then
    return
  end
  api.nvim_buf_del_extmark(chat.chat, namespace, 1)
  if not is_empty(chat) then
    return
  end
  local window = layout.window_of(chat.chat)
  local width = window and cells.room(window) or vim.o.columns
  local shown = { id = 1, virt_lines = content(chat, width) }
  api.nvim_buf_set_extmark(chat.chat, namespace, 0, 0, shown)
end

local function ask(chat)
  M.draw(chat)
  if not is_empty(chat) or chat.recent then
    return
  end
  chat.recent = { cwd = chat.cwd, sessions = {} }
  bridge.call('recent', { chat = chat.chat }, function(_, facts)
    chat.recent = facts or chat.recent
    M.draw(chat)
  end)
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
