-- Which chats there are, which prompt belongs to which, and which was used last. Only data: no
-- window and no host. A chat is known by the number of its buffer, here and in the host.

local api = vim.api

local M = {}

---@class acp.Chat
---@field chat integer its buffer
---@field prompt integer the buffer of its prompt
---@field agent string
---@field cwd string
---@field used integer the larger, the later it was used

---@type table<integer, acp.Chat>
local chats = {}
local uses = 0

--- Register a chat; it is now the one used last.
---@param chat acp.Chat
function M.add(chat)
  chats[chat.chat] = chat
  M.touch(chat.chat)
end

---@param buffer integer
function M.remove(buffer)
  chats[buffer] = nil
end

--- Remember that the user works with it.
---@param buffer integer a chat
function M.touch(buffer)
  uses = uses + 1
  if chats[buffer] then
    chats[buffer].used = uses
  end
end

--- The chat that a buffer of ours belongs to: a chat, a prompt, or the menu of an ask.
---@param buffer integer
---@return acp.Chat?
function M.of(buffer)
  if not api.nvim_buf_is_valid(buffer) then
    return nil
  end
  return chats[buffer] or chats[vim.b[buffer].acp_chat]
end

---@return acp.Chat[] those whose buffer still exists, last used first
function M.all()
  local all = vim.tbl_filter(function(chat)
    return api.nvim_buf_is_valid(chat.chat)
  end, vim.tbl_values(chats))
  table.sort(all, function(a, b)
    return a.used > b.used
  end)
  return all
end

--- The chat of the current buffer, else the one used last.
---@return acp.Chat?
function M.current()
  return M.of(api.nvim_get_current_buf()) or M.all()[1]
end

---@return table status of the current chat as the host has told it, empty if there is none
function M.status()
  local chat = M.current()
  return chat and vim.b[chat.chat].acp_status or {}
end

---@param chat acp.Chat
---@return boolean
function M.is_open(chat)
  return (vim.b[chat.chat].acp_status or {}).state ~= 'closed'
end

--- What to say where a session is wanted and it is closed.
---@param chat acp.Chat
---@return string
function M.closed(chat)
  return ('this session is closed: :AcpStart %s begins a new one'):format(chat.agent)
end

--- The open session of an agent that was used last.
---@param agent string
---@return acp.Chat?
function M.find(agent)
  for _, chat in ipairs(M.all()) do
    if chat.agent == agent and M.is_open(chat) then
      return chat
    end
  end
end

--- Give a buffer its name, once; a name that another buffer has gets ` (2)`, ` (3)`, …
---@param buffer integer
---@param name string
---@return string name that it has now
function M.name(buffer, name)
  local taken = {}
  for _, other in ipairs(api.nvim_list_bufs()) do
    taken[api.nvim_buf_get_name(other)] = other ~= buffer or nil
  end
  local unique, number = name, 1
  while taken[unique] do
    number = number + 1
    unique = ('%s (%d)'):format(name, number)
  end
  if api.nvim_buf_get_name(buffer) ~= unique then
    api.nvim_buf_set_name(buffer, unique)
  end
  return unique
end

--- Encode a part of a buffer's name, so that `:mksession` and `bufnr()` take it.
---@param text string
---@return string
function M.encode(text)
  return (text:gsub('[^%w._-]', function(byte)
    return ('%%%02X'):format(byte:byte())
  end))
end

return M
