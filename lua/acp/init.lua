-- The public Lua API, documented in :help acp-lua. Nothing here waits but inspect().

local M = {}

--- Do it; from a fast event, as `on_exit` of vim.system() is one, when Neovim allows anything. (A file
--- that cannot be loaded once is not loaded in this Neovim any more.)
---@param run fun()
local function act(run)
  if vim.in_fast_event() then
    return vim.schedule(run)
  end
  run()
end

local function check()
  if vim.in_fast_event() then
    error('acp: not in a fast event: call it in vim.schedule()', 0)
  end
end

--- Merge options over vim.g.acp. Not needed: without it the plugin works as well.
---@param opts? table
function M.setup(opts)
  act(function()
    require('acp.host.options').setup(opts)
  end)
end

--- Open a session with an agent, or go to its open one.
---@param name? string
---@param opts? acp.StartOptions
function M.start(name, opts)
  act(function()
    require('acp.command.agent').start(name, opts)
  end)
end

--- Send a prompt to the current session; queued while a turn runs.
---@param content string|table[] text, or content blocks of ACP
---@param opts? acp.PromptOptions
function M.prompt(content, opts)
  act(function()
    require('acp.command.session').prompt(content, opts)
  end)
end

--- Let something go along with the next prompt of the current session.
---@param context? acp.Context mentions (`@…`) or paths, one or a list, or `{ range = { 2, 5 } }` of
---  the current buffer; nil: the current buffer
function M.add(context)
  act(function()
    require('acp.ui.notice').attempt('acp.add()', require('acp.command.session').add, context)
  end)
end

--- Cancel the running turn of the current session.
function M.cancel()
  act(function()
    require('acp.command.session').tell('cancel')
  end)
end

--- Answer a question of the agent; a late answer does nothing, and neither does one to a question
--- that is not half a second old: see :help acp-permission-seen.
---@param ask_id string `asks[].id` of inspect()
---@param answer string|{ action: 'accept'|'decline'|'cancel', content?: table } one of its
---  `options[].id`; for an elicitation what to do, and the values by the names of the fields
function M.respond(ask_id, answer)
  act(function()
    if require('acp.host.bridge').running() then
      local key = type(answer) == 'table' and 'answer' or 'option'
      require('acp.ask.answer').respond(ask_id, { [key] = answer })
    end
  end)
end

---@class acp.Status
---@field agent? string
---@field state? string
---@field mode? string
---@field model? string
---@field config? { id: string, values: string[] }[] options and what they can be
---@field used? integer tokens
---@field size? integer tokens
---@field cost? { amount: number, currency: string }
---@field pending? integer questions that wait for the user

--- The current session in short, for a statusline; never waits.
---@return acp.Status
function M.status()
  check()
  local chats = package.loaded['acp.chat.registry']
  return chats and vim.deepcopy(chats.status()) or {}
end

--- The same as one string, for `%{%…%}`; '' without a session. Each % is doubled, since an agent's
--- words must not become items of the statusline.
---@return string
function M.statusline()
  local status = M.status()
  if not status.agent then
    return ''
  end
  local parts = { status.agent, status.state }
  if status.mode then
    table.insert(parts, status.mode)
  end
  if (status.pending or 0) > 0 then
    table.insert(parts, ('%d waiting'):format(status.pending))
  end
  if status.used and (status.size or 0) > 0 then
    table.insert(parts, ('%d%%'):format(math.floor(100 * status.used / status.size + 0.5)))
  end
  return (table.concat(parts, ' '):gsub('%%', '%%%%'))
end

--- Say something on lines of the current buffer's file; an agent is told with the next prompt.
---@param range { [1]: integer, [2]: integer } first and last line, 1-based, inclusive
---@param text string '' takes back what was said there
function M.comment(range, text)
  act(function()
    require('acp.review.comments').comment(range, text)
  end)
end

--- Make a function a tool of every agent (:help acp-tools-own).
---@param tool acp.OwnTool
---@return fun() remove takes it away
function M.tool(tool)
  check()
  return require('acp.tools.own').add(tool)
end

---@class acp.OpenSession
---@field id? string
---@field parent? string of a sub-agent's
---@field agent string
---@field title? string
---@field cwd string
---@field state? string
---@field pending integer

--- The sessions that there are, the one used last first.
---@return acp.OpenSession[]
function M.sessions()
  check()
  return vim.tbl_map(function(chat)
    local status = chat.status
    return {
      id = status.session,
      parent = status.parent,
      agent = chat.agent,
      title = status.title,
      cwd = chat.root,
      state = status.state,
      pending = status.pending or 0,
    }
  end, package.loaded['acp.chat.registry'] and require('acp.chat.registry').all() or {})
end

--- Have something called at each event of that name (:help acp-events).
---@param event string for instance AcpTurnEnded
---@param callback fun(data: table)
---@return fun() stop ends it
function M.on(event, callback)
  check()
  local id = vim.api.nvim_create_autocmd('User', {
    pattern = event,
    callback = function(args)
      callback(args.data)
    end,
  })
  return function()
    pcall(vim.api.nvim_del_autocmd, id)
  end
end

--- A snapshot of everything, plain data (:help acp-inspect). Waits one second at most.
---@return table
function M.inspect()
  local found = require('acp.host.bridge').inspect()
  for _, ask in ipairs(found.asks or {}) do
    require('acp.ask.answer').came(ask.id)
  end
  return found
end

return M
