-- What the host was asked and has not answered yet. Only the bridge uses it.

local M = {}

---@alias acp.Done fun(err: string?, result: any)

---@type table<integer, { host: acp.Host, done: acp.Done }>
local pending = {}
local last = 0

--- Remember who is to be told the answer.
---@return integer id of the call
function M.remember(host, done)
  last = last + 1
  pending[last] = { host = host, done = done }
  return last
end

--- It was never sent.
---@param id? integer
function M.forget(id)
  if id then
    pending[id] = nil
  end
end

---@return any value, nil for what comes as vim.NIL over RPC
local function present(value)
  if value ~= vim.NIL then
    return value
  end
end

--- Take the call off the list and tell its answer. A user's `on_done` that raises harms nobody else.
---@param id integer
local function finish(id, err, result)
  local call = pending[id]
  pending[id] = nil
  local ok, trace = xpcall(call.done, debug.traceback, err, result)
  if not ok then
    require('acp.host.log').line(trace)
    local notice = require('acp.ui.notice')
    notice.warn('on_done failed: ' .. notice.reason(trace))
  end
end

--- Called by the host, as `acp.host.bridge.answer`; an unknown call is ignored.
function M.answer(id, err, result)
  if pending[id] then
    finish(id, present(err), present(result))
  end
end

--- The host is gone: nobody else answers what it was asked.
function M.fail(host, sentence)
  for _, id in ipairs(vim.tbl_keys(pending)) do
    if pending[id] and pending[id].host == host then
      finish(id, sentence, nil)
    end
  end
end

return M
