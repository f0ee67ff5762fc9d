-- Only the editor can ask its language servers, lists and windows, and run the user's own functions.
--
-- The host asks for a tool of an agent, and a module answers, now or later, by the verb
-- `tool_answered`; what it returns gives the question up. Nothing here waits, and nothing moves the user.

local bridge = require('acp.host.bridge')

local M = {}

local PAUSE_MS = 30 -- between two looks

---@alias acp.ToolReply fun(err?: string, result?: any) to be called once

---@type table<string, string> the modules that answer, by the first word of a question
local ROOMS = {
  diagnostics = 'acp.tools.diagnostics',
  language = 'acp.tools.language',
  own = 'acp.tools.own',
  windows = 'acp.tools.windows',
}

---@type table<integer, fun()> by the number of a question that is open: what gives it up
local open = {}

--- Called by the host: answer a question.
function M.start(number, question, arguments)
  open[number] = function() end
  local function reply(err, result)
    if open[number] then
      open[number] = nil
      local answer = { call = number, error = err, result = result }
      local is_told, why = pcall(bridge.tell_running, 'tool_answered', answer)
      if not is_told then -- a function in it, or a circle
        answer = { call = number, error = ('what was answered makes no sense: %s'):format(why) }
        bridge.tell_running('tool_answered', answer)
      end
    end
  end
  local room, name = question:match('^(%w+)%.([%w_]+)$')
  local ok, cancel = pcall(function()
    return require(ROOMS[room])[name](arguments, reply)
  end)
  if not ok then
    reply((tostring(cancel):gsub('^.-%.lua:%d+: ', ''))) -- without the place in our files
  elseif open[number] and cancel then
    open[number] = cancel
  end
end

--- Called by the host: nobody wants the answer any more.
function M.cancel(number)
  local cancel = open[number]
  open[number] = nil
  if cancel then
    pcall(cancel)
  end
end

--- Look again and again, until it is so or too late. What it raises ends it, too.
---@param look fun(is_late: boolean): boolean true: that was the last time
function M.poll(milliseconds, look)
  local stop, is_over = vim.uv.now() + milliseconds, false
  local function again()
    local is_late = vim.uv.now() >= stop
    if is_over then
      return
    end
    local ok, is_done = pcall(look, is_late)
    if ok and not is_done and not is_late then
      vim.defer_fn(again, PAUSE_MS)
    end
  end
  vim.schedule(again)
  return function()
    is_over = true
  end
end

return M
