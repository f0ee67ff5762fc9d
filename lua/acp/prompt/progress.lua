-- What the sessions do, as the progress of a language server: |vim.lsp.status()|, and whatever listens
-- to |LspProgress|, shows it like any server's. Only `acp.prompt.server` calls.

local M = {}

---@alias acp.Notify fun(method: string, params: table)

---@class acp.Progress
---@field token string
---@field doing string

---@type table<integer, acp.Progress> by chat
local running = {}

---@param token string
---@param value lsp.WorkDoneProgressBegin|lsp.WorkDoneProgressReport|lsp.WorkDoneProgressEnd
---@param notify acp.Notify
local function send(token, value, notify)
  notify('$/progress', { token = token, value = value })
end

--- Tell what a session does now, if that is news.
---@param chat integer
---@param status table what `status()` returns
---@param notify acp.Notify
function M.tell(chat, status, notify)
  local before, doing = running[chat], status.doing
  local token = ('acp-%d-%d'):format(chat, status.turn or 0)
  if before and (not doing or before.token ~= token) then
    running[chat] = nil
    send(before.token, { kind = 'end' }, notify)
    before = nil
  end
  if not doing or (before and before.doing == doing) then
    return
  end
  running[chat] = { token = token, doing = doing }
  local kind, title = before and 'report' or 'begin', nil
  if not before then
    title = status.agent
  end
  send(token, { kind = kind, title = title, message = doing }, notify)
end

--- Forget all: whoever was told is gone.
function M.forget()
  running = {}
end

return M
