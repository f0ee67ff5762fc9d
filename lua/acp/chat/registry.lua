-- Which chats there are, which prompt belongs to which, and which was used last. Only data: no
-- window and no host. A chat is known by the number of its buffer, here and in the host.

local project = require('acp.chat.project')
local unseen = require('acp.ui.unseen')

local api = vim.api

local M = {}

---@class acp.Chat
---@field chat integer its buffer
---@field prompt integer the buffer of its prompt
---@field agent string
---@field cwd string
---@field root string the project that its agent is let into
---@field used integer the larger, the later it was used
---@field status table as the host has told it last; `b:acp_status` is for others: each look makes a copy
---@field title? string of its session
---@field stayed? boolean its host has ended, and the next one does not know of it yet
---@field reopens? boolean the host was told to open its session again, and has not drawn that yet
---@field room? integer cells of a line, as the host was told
---@field recent? { lines: table[], sessions: table[] } what an empty one offers
---@field unopened? string[] lines that were sent before its session was open: nobody else has kept them
---@field selections? acp.Selection[] what goes along with its next prompt: lines
---@field images? acp.HeldImage[]
---@field notes? acp.Note[]
---@field context? string the file that its agent knows the user to be in, or need not know
---@field anchors? table<string, acp.Anchor> lines that its prompt mentions, by name
---@field names? acp.Names of the files that its prompt may mention
---@field waiting? (fun())[] who waits for these
---@field said? { texts: string[], tick: integer } what the bar of its prompt says until the text changes
---@field barred? any[] what its bar tells besides: whose sub-agent it is, what waits for review
---@field walk? acp.Walk through the prompts that were sent

---@type table<integer, acp.Chat>
local chats = {}
local uses = 0

--- Register a chat; it is now the one used last.
function M.add(chat)
  chat.status = chat.status or vim.b[chat.chat].acp_status or {}
  chats[chat.chat] = chat
  M.touch(chat.chat)
end

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

--- The same of a buffer that was entered, if the user stays there: Neovim passes through windows
--- (`:copen` does).
function M.entered(chat)
  local buffer = api.nvim_get_current_buf()
  vim.schedule(function()
    if api.nvim_get_current_buf() == buffer then
      M.touch(chat.chat)
    end
  end)
end

--- The chat that a buffer of ours belongs to: a chat, a prompt, or the menu of an ask.
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

--- Take note of what the host tells of a session, or of a list.
---@return boolean is_new whether it is called another way than before
function M.tell(buffer, status)
  api.nvim_buf_set_var(buffer, 'acp_status', status)
  local chat = chats[buffer]
  local is_new = chat ~= nil and chat.title ~= status.title
  if chat then
    chat.status, chat.root, chat.title = status, status.cwd or chat.root, status.title
  end
  return is_new
end

--- The chats of the project that the user is in: of the file in the current window, else of the
--- working directory. A window without a file is in any.
---@param is_strict? boolean not of the working directory, if the file has a project of its own
---@return acp.Chat[] last used first
function M.here(is_strict)
  local all, file, cwd = M.all(), project.file(), vim.fn.getcwd()
  if file == '' then
    return all
  end
  local found = project.holding(all, file)
  local is_elsewhere = is_strict and project.root(file, cwd) ~= project.root('', cwd)
  return (#found > 0 or is_elsewhere) and found or project.holding(all, cwd)
end

--- The chat of the current buffer, else the one of this project that was used last; that of a
--- sub-agent, which takes no prompts, only if it is the current one.
---@return acp.Chat?
function M.current()
  return M.of(api.nvim_get_current_buf())
    or vim.iter(M.here()):find(function(chat)
      return not chat.status.parent
    end)
end

---@return table status of the current chat as the host has told it, empty if there is none
function M.status()
  local chat = M.current()
  return chat and chat.status or {}
end

--- Whether a word is the name of a sub-agent; without a session the host knows those of earlier days.
---@param word string
function M.has_sub_agent(word)
  local is_known = vim.iter(M.status().sub_agents or {}):any(function(it)
    return it.name == word
  end)
  return is_known or not M.current() and word:match('^%w') ~= nil
end

function M.is_open(chat)
  return chat.reopens or chat.status.state ~= 'closed'
end

--- The sessions of an agent are opened again, or that is drawn by now: prompts wait until then.
---@param reopens true?
---@return acp.Chat[]
function M.reopen(agent, reopens)
  local found = {}
  for _, chat in pairs(chats) do
    if chat.agent == agent then
      chat.reopens = reopens
      table.insert(found, chat)
    end
  end
  return found
end

--- What to say where a session is wanted and it is closed: others of its agent are not restarted.
function M.closed(chat)
  local has_others = vim.iter(M.all()):any(function(other)
    return other.agent == chat.agent and M.is_open(other)
  end)
  if has_others then
    return 'closed: :Acp sessions opens it again'
  end
  return ('closed: :Acp restart %s goes on'):format(chat.agent)
end

--- The open session of an agent that was used last, in this project.
---@return acp.Chat?
function M.find(agent)
  return vim.iter(M.here(true)):find(function(chat)
    return chat.agent == agent and M.is_open(chat)
  end)
end

--- Give a buffer its name, once; a name that another buffer has gets ` (2)`, ` (3)`, …
---@return string name that it has now
function M.name(buffer, name)
  local taken = {}
  for _, other in ipairs(api.nvim_list_bufs()) do
    if other ~= buffer then
      taken[api.nvim_buf_get_name(other)] = true
      taken[vim.fn.bufname(other)] = true
    end
  end
  local unique, number = name, 1
  while taken[unique] do
    number = number + 1
    unique = ('%s (%d)'):format(name, number)
  end
  if api.nvim_buf_get_name(buffer) ~= unique then
    unseen.quietly(api.nvim_buf_set_name, buffer, unique)
  end
  return unique
end

--- Make the buffer of a list, which goes with its window. Only the host writes in it.
---@return integer buffer
function M.list(name)
  require('acp.ui.highlights').define()
  local options = { bufhidden = 'wipe', undolevels = -1, modifiable = false, filetype = name }
  return unseen.buffer(function(buffer)
    M.name(buffer, name)
    vim.b[buffer].acp_list = true
  end, options)
end

--- Encode a part of a buffer's name, so that `:mksession` and `bufnr()` take it.
---@return string
function M.encode(text)
  return (text:gsub('[^%w._-]', function(byte)
    return ('%%%02X'):format(byte:byte())
  end))
end

--- Have the session of that name in a buffer, which no window shows yet: reading it makes the chat.
---@param session string
---@return acp.Chat?
function M.read(agent, session)
  local name = ('acp://%s/%s'):format(M.encode(agent), M.encode(session))
  return M.of(unseen.read(name))
end

return M
