-- The bar of a prompt: how to send it, or why it cannot be sent, and what the keys do with the rows
-- of what goes along.

local chats = require('acp.chat.registry')
local options = require('acp.host.options')

local api = vim.api

local M = {}

---@param group string
---@param text string
---@return string item of a winbar
local function item(group, text)
  return ('%%#%s# %s%%*'):format(group, (text:gsub('%%', '%%%%')))
end

--- What to press, the longest first.
---@param chat acp.Chat
---@param count integer things that go along
---@return string[]
local function texts(chat, count)
  local is_here = api.nvim_get_current_buf() == chat.prompt
  local is_insert = is_here and api.nvim_get_mode().mode:find('^i')
  if options.value('default_keys') == false then
    return { (':w sends to %s'):format(chat.agent) }
  elseif is_insert or count == 0 then
    return { ('%s sends to %s'):format(is_insert and '<C-s>' or '<CR>', chat.agent) }
  end
  return {
    ('<CR> sends to %s · <C-x> removes · K shows'):format(chat.agent),
    '<CR> sends · <C-x> removes · K shows',
    '<CR> sends · <C-x> removes',
  }
end

---@param all string[] the longest first
---@param room integer
---@return string the first that fits, else the last
local function fitting(all, room)
  return vim.iter(all):find(function(text)
    return api.nvim_strwidth(text) < room
  end) or all[#all]
end

--- A bar that says something for a moment.
---@param all string[] the longest first
---@param room integer cells of its window
---@return string winbar
function M.said(all, room)
  return item('AcpNote', fitting(all, room))
end

--- The bar of a prompt with so many rows.
---@param chat acp.Chat
---@param count integer
---@param room integer cells of its window
---@return string winbar
function M.text(chat, count, room)
  if not chats.is_open(chat) then
    local form = 'closed: :AcpStart %s begins anew, :Acp restart %s goes on'
    return item('AcpWarning', form:format(chat.agent, chat.agent))
  end
  return item('AcpWinbarUsage', fitting(texts(chat, count), room))
end

return M
