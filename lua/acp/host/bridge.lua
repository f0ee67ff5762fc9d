-- Only the editor starts a process before there is a host, and ends what a host has left behind.
--
-- The one file that talks to Python; the host starts on first use. Only ever notifies: nothing here
-- waits but `inspect` (one second at most) and `shutdown` (half a second).

require('acp.host.lazy')
local calls = require('acp.host.calls')
local interpreter = require('acp.host.interpreter')
local log = require('acp.host.log')
local notice = require('acp.ui.notice')
local options = require('acp.host.options')

local M = {}

---@class acp.Host
---@field channel integer
---@field pid integer
---@field python string
---@field groups table<integer, true> process groups of its children
---@field stderr string the end of what it wrote
---@field options? table the configuration that it has
---@field leaving? boolean Neovim is ending it
---@field failure? string why it is of no use, in its own words

---@type acp.Host?
local host
---@type table? the last one of this host
local snapshot
---@type string? how the last host ended
local last_end
---@type (fun())[] who wants to know that a host has ended
local listeners = {}
---@type (fun())[] who has something to tell a new host
local starters = {}
local STDERR_KEPT = 4000

--- Sentences about mistakes in the configuration, as the host has last found them.
---@type string[]
M.problems = {}

local function kill_groups(this)
  for pgid in pairs(this.groups) do
    vim.uv.kill(-pgid, 'sigkill')
  end
  this.groups = {}
end

---@param code integer
local function ended(this, code)
  if host == this then
    host, snapshot = nil, nil
  end
  kill_groups(this)
  if this.leaving then
    return
  end
  last_end = this.failure or interpreter.explain(this.python, code, this.stderr)
  calls.fail(this, last_end)
  for _, listener in ipairs(listeners) do
    listener()
  end
  notice.warn(last_end)
end

--- Have something called whenever a host has ended by itself, before the user is told: to end what
--- it has left behind.
function M.on_end(listener)
  table.insert(listeners, listener)
end

--- Have something called whenever a host has begun: what it must know before anything else.
function M.on_start(starter)
  table.insert(starters, starter)
end

--- The chats that there are, for a snapshot without a host; `acp.chat.buffer` knows them.
---@type fun(): table[]
M.chats = function()
  return {}
end

---@param data string[]
local function keep_stderr(this, data)
  local text = table.concat(data, '\n')
  if text ~= '' then
    this.stderr = (this.stderr .. text):sub(-STDERR_KEPT)
    log.write(text)
  end
end

---@return acp.Host?
local function start()
  local python, origin = interpreter.find()
  local this = { python = python, groups = {}, stderr = '' }
  local command, where = interpreter.command(python)
  local handlers = {
    rpc = true,
    on_stderr = function(_, data)
      keep_stderr(this, data)
    end,
    on_exit = function(_, code)
      ended(this, code)
    end,
  }
  local ok, channel = pcall(vim.fn.jobstart, command, vim.tbl_extend('error', where, handlers))
  if not ok or channel <= 0 then
    last_end = ('cannot run %s (from %s): run :Acp install'):format(python, origin)
    notice.warn(last_end)
    return nil
  end
  this.channel, this.pid = channel, vim.fn.jobpid(channel)
  return this
end

---@return boolean sent false when the channel is closed already
local function send(this, verb, payload, call)
  if payload == nil or vim.tbl_isempty(payload) then
    payload = vim.empty_dict()
  end
  local ok, err = pcall(vim.rpcnotify, this.channel, 'acp', verb, payload, call or vim.NIL)
  if not ok and not tostring(err):find('Invalid channel', 1, true) then
    error(err, 0)
  end
  return ok
end

local function configured(problems)
  if #problems > 0 and not vim.deep_equal(problems, M.problems) then
    local more = #problems > 1 and (' (and %d more, see :checkhealth acp)'):format(#problems - 1)
      or ''
    notice.warn(problems[1] .. more)
  end
  M.problems = problems
end

--- Tell the host the configuration, if it does not know it as it stands now.
local function configure(this)
  local wanted, problem = options.get()
  if this.options == wanted then
    return
  end
  this.options = wanted
  local payload = {
    options = wanted,
    paths = {
      data = vim.fs.joinpath(vim.fn.stdpath('data') --[[@as string]], 'acp.nvim'),
      state = vim.fs.joinpath(vim.fn.stdpath('state') --[[@as string]], 'acp.nvim'),
      root = interpreter.root(),
      run = vim.fn.stdpath('run'),
    },
  }
  local call = calls.remember(this, function(err, problems)
    if not err then
      configured(vim.list_extend({ problem }, problems or {}))
    end
  end)
  send(this, 'configure', payload, call)
end

--- Whether the host waits for `:Acp install`, which is at work.
function M.is_installing()
  local install = package.loaded['acp.host.install']
  if host or not install or not install.is_running() then
    return false
  end
  local _, origin = interpreter.find()
  return origin ~= 'vim.g.acp.python'
end

---@return boolean sent
local function deliver(verb, payload, done)
  require('acp.ui.highlights').define()
  for _ = 1, 2 do -- a host may be dead although its exit was not told yet: then a new one
    local is_new = not host
    host = host or start()
    if not host then
      return false
    end
    configure(host)
    for _, starter in ipairs(is_new and starters or {}) do
      starter()
    end
    if not host then
      return false
    end
    local call = done and calls.remember(host, done)
    if send(host, verb, payload, call) then
      return true
    end
    calls.forget(call)
    -- its channel is closed: let its end be told before another host begins
    vim.uv.kill(host.pid, 'sigkill')
    vim.fn.jobwait({ host.channel }, 500)
    host, snapshot = nil, nil
  end
  return false
end

--- The host starts when the installation is over: it is told then.
---@return boolean sent
local function deliver_later(verb, payload, done)
  require('acp.host.install').on_end(function(err)
    local sent = not err and deliver(verb, payload, done)
    if not sent and done then
      done(err or last_end, nil)
    end
  end)
  return true
end

--- Tell the host something; starts it if it does not run.
---@param verb string see doc/messages.md
---@param done? acp.Done called later, if it is sent
---@return boolean sent false when there is no host and none can be started; the user was told
function M.notify(verb, payload, done)
  return (M.is_installing() and deliver_later or deliver)(verb, payload, done)
end

--- Tell a host that runs something that no other need know: none is started for it.
---@return boolean sent
function M.tell_running(verb, payload, done)
  return host ~= nil and send(host, verb, payload, done and calls.remember(host, done))
end

--- Tell a host that runs the configuration, if it does not know it as it stands now.
function M.configure()
  if host then
    configure(host)
  end
end

--- Ask the host something.
---@param on_done acp.Done called later, or at once when there is no host
function M.call(verb, payload, on_done)
  if not M.notify(verb, payload, on_done) then
    on_done(last_end, nil)
  end
end

M.answer = calls.answer

--- Called by the host: a child's process group that must not outlive it.
function M.group(pgid, alive)
  if host and pgid > 1 then
    host.groups[pgid] = alive or nil
  end
end

--- Called by the host: it cannot do its work, for instance because a package is missing.
function M.host_failed(sentence)
  if host then
    host.failure = sentence
    vim.fn.jobstop(host.channel)
  end
end

---@return boolean
function M.running()
  return host ~= nil
end

--- Say what the host could not do; that there is no host, was said already.
---@param err string
function M.warn(err)
  if M.running() then
    notice.warn(err)
  end
end

--- Ask the host something; what it could not do is said.
---@param done? fun(result: any)
---@param failed? fun(err: string)
function M.ask(verb, payload, done, failed)
  M.call(verb, payload, function(err, result)
    if err then
      M.warn(err)
      if failed then
        failed(err)
      end
    elseif done then
      done(result)
    end
  end)
end

--- The last snapshot of the host, or one without it, marked as what it is.
local function stale(err)
  local copy = snapshot and vim.deepcopy(snapshot)
    or {
      host = { running = M.running() },
      connections = {},
      sessions = M.chats(),
      asks = {},
      terminals = {},
      edits = {},
      follow = { enabled = false },
    }
  copy.host.error = err
  return copy
end

--- The snapshot of :help acp-inspect. Waits one second at most; never starts the host, never raises.
function M.inspect()
  if not host then
    return stale(last_end)
  end
  if vim.in_fast_event() then
    return stale('not possible in a fast event')
  end
  local answered, problem
  local call = calls.remember(host, function(err, result)
    answered, problem = true, err
    snapshot = result or snapshot
  end)
  local sent = send(host, 'inspect', nil, call)
  pcall(vim.wait, sent and 1000 or 0, function()
    return answered
  end, 10)
  if answered and not problem then
    return snapshot
  end
  return stale(problem or 'no answer within a second')
end

--- Neovim is leaving: let the host end its agents, then end what is left.
function M.shutdown()
  local this = host
  if not this then
    return
  end
  this.leaving = true
  host = nil
  if send(this, 'shutdown') and vim.fn.jobwait({ this.channel }, 500)[1] == -1 then
    vim.uv.kill(this.pid, 'sigkill')
  end
  kill_groups(this)
end

return M
