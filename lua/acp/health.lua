-- `:checkhealth acp`: what runs the host, whether it answers, the configuration, and each agent.

local bridge = require('acp.bridge')
local interpreter = require('acp.interpreter')

local health = vim.health

local M = {}

local WAIT_MS = 3000

local PROBE = [[
import json, sys
from importlib.metadata import version, PackageNotFoundError
found = {"python": "%d.%d.%d" % sys.version_info[:3]}
for name in ("pynvim", "pydantic", "anyio", "pygments"):
    try:
        found[name] = version(name)
    except PackageNotFoundError:
        found[name] = None
print(json.dumps(found))
]]

local function check_neovim()
  health.start('acp: Neovim')
  if vim.fn.has('nvim-0.10') == 1 then
    health.ok(tostring(vim.version()))
  else
    health.error('acp.nvim needs Neovim 0.10 or newer')
  end
end

---@param found table
local function report_packages(found)
  for _, name in ipairs({ 'pynvim', 'pydantic', 'anyio', 'pygments' }) do
    local version = found[name]
    if version and version ~= vim.NIL then
      health.ok(('%s %s'):format(name, version))
    else
      health.error(('package %s is missing'):format(name), 'run :Acp install')
    end
  end
end

local function check_python()
  health.start('acp: Python')
  local program, origin = interpreter.find()
  local ok, job = pcall(vim.system, { program, '-c', PROBE }, { text = true })
  local result = ok and job:wait(WAIT_MS)
  if not result or result.code ~= 0 then
    health.error(('%s (%s) does not run'):format(program, origin), 'run :Acp install')
    return
  end
  local found = vim.json.decode(result.stdout)
  local line = ('%s %s (from %s)'):format(program, found.python, origin)
  if vim.version.lt(found.python, '3.11') then
    return health.error(line .. ' is too old: 3.11 is needed', 'run :Acp install')
  end
  health.ok(line)
  report_packages(found)
end

---@param verb string
---@return string? err
---@return any result
local function ask(verb)
  local answered, err, result
  bridge.call(verb, nil, function(problem, value)
    answered, err, result = true, problem, value
  end)
  vim.wait(WAIT_MS, function()
    return answered
  end, 10)
  return not answered and 'it does not answer' or err, result
end

---@return table[]? agents
local function check_host()
  health.start('acp: host')
  local err, agents = ask('agents')
  if err then
    health.error('the host: ' .. err, 'see ' .. require('acp.log').path())
    return nil
  end
  local host = bridge.inspect().host
  health.ok(('version %s, process %s'):format(host.version, host.pid))
  return agents
end

local function check_configuration()
  health.start('acp: configuration')
  for _, problem in ipairs(bridge.problems) do
    health.warn(problem)
  end
  if #bridge.problems == 0 then
    health.ok('vim.g.acp is valid')
  end
end

---@param agents table[]
local function check_agents(agents)
  health.start('acp: agents')
  for _, agent in ipairs(agents) do
    local version = agent.version and agent.version ~= '' and (' ' .. agent.version) or ''
    if agent.found then
      health.ok(('%s%s: %s'):format(agent.name, version, agent.command))
    else
      local how = agent.install ~= '' and ('install it with: ' .. agent.install)
        or 'its command is set in vim.g.acp.agents'
      health.info(('%s: %s is not on PATH; %s'):format(agent.name, agent.command, how))
    end
  end
end

--- Called by :checkhealth.
function M.check()
  check_neovim()
  check_python()
  local agents = check_host()
  check_configuration()
  if agents then
    check_agents(agents)
  end
end

return M
