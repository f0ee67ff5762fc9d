-- Chats that have outlived their host: they stay to be read, `inspect()` lists them, and the next host
-- is told of them, so that it can go on with their sessions.

local bridge = require('acp.host.bridge')
local chats = require('acp.chat.registry')

---@param chat acp.Chat
---@return table what `status()` has last said of it
local function status_of(chat)
  return vim.b[chat.chat].acp_status or {}
end

bridge.chats = function()
  return vim.tbl_map(function(chat)
    local status = status_of(chat)
    local it = { id = status.session, agent = chat.agent, title = status.title, cwd = chat.root }
    it.state, it.turn, it.bufnr, it.prompt_bufnr =
      'closed', status.turn or 0, chat.chat, chat.prompt
    for _, name in ipairs({ 'modes', 'config', 'commands', 'plan', 'queue', 'entries' }) do
      it[name] = {}
    end
    return it
  end, chats.all())
end

bridge.on_end(function()
  for _, chat in ipairs(chats.all()) do
    chat.stayed = true
  end
end)

bridge.on_start(function()
  local stayed = {}
  for _, chat in ipairs(chats.all()) do
    if chat.stayed then
      chat.stayed = nil
      local session = status_of(chat).session
      local told = { chat = chat.chat, prompt = chat.prompt, agent = chat.agent }
      table.insert(stayed, vim.tbl_extend('error', told, { session = session, cwd = chat.root }))
    end
  end
  if #stayed > 0 then
    bridge.notify('stayed', { chats = stayed })
  end
end)
