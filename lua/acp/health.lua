-- `:checkhealth acp`: what runs the host, whether it answers, the configuration, and each agent.

local bridge = require('acp.host.bridge')
local interpreter = require('acp.host.interpreter')

local health = vim.health

local M = {}

local WAIT_MS = 3000

-- The path filter, as for the host: a project's own json.py must not be run.
local PROBE = [[
import sys
sys.path = [entry for entry in sys.path if entry != ""]
print("python %d.%d.%d" % sys.version_info[:3])
from importlib.metadata import version, PackageNotFoundError
for name in sys.argv[1:]:
    try:
        print(name + " " + version(name))
    except PackageNotFoundError:
        pass
]]

local function check_neovim()
  health.start('acp: Neovim')
  if vim.fn.has('nvim-0.10') == 1 then
    health.ok(tostring(vim.version()))
  else
    health.error('acp.nvim needs Neovim 0.10 or newer')
  end
end

---@return string[] names of the packages that the host needs
local function packages()
  return vim.tbl_map(function(dependency)
    return dependency:match('^[%w_-]+')
  end, require('acp.host.install').dependencies())
end

---@param program string
---@return table<string, string> versions by name; empty if it does not run
local function probe(program)
  local command = vim.list_extend({ program, '-c', PROBE }, packages())
  local ok, job = pcall(vim.system, command, { text = true })
  local versions = {}
  for name, version in (ok and job:wait(WAIT_MS).stdout or ''):gmatch('(%S+) (%S+)\n') do
    versions[name] = version
  end
  return versions
end

local function check_python()
  health.start('acp: Python')
  local program, origin = interpreter.find()
  local versions = probe(program)
  if not versions.python then
    return health.error(('%s (%s) does not run'):format(program, origin), 'run :Acp install')
  end
  local line = ('%s %s (from %s)'):format(program, versions.python, origin)
  if vim.version.lt(versions.python, '3.11') then
    return health.error(line .. ' is too old: 3.11 is needed', 'run :Acp install')
  end
  health.ok(line)
  for _, name in ipairs(packages()) do
    if versions[name] then
      health.ok(('%s %s'):format(name, versions[name]))
    else
      health.error(('package %s is missing'):format(name), 'run :Acp install')
    end
  end
end

---@class acp.AgentRow
---@field name string
---@field found boolean
---@field command string
---@field install string '' if there is no one command for it
---@field version? string once it was connected

---@return string? err
---@return acp.AgentRow[]? agents
local function ask_for_agents()
  local answered, err, agents
  bridge.call('agents', nil, function(problem, result)
    answered, err, agents = true, problem, result
  end)
  vim.wait(WAIT_MS, function()
    return answered
  end, 10)
  return not answered and 'it does not answer' or err, agents
end

---@return acp.AgentRow[]? agents
local function check_host()
  health.start('acp: host')
  local err, agents = ask_for_agents()
  if err then
    health.error('the host: ' .. err, 'see ' .. require('acp.host.log').path())
    return nil
  end
  local host = bridge.inspect().host
  health.ok(('version %s, process %s'):format(host.version, host.pid))
  return agents
end

local function check_configuration()
  health.start('acp: configuration')
  if not bridge.running() then
    return health.info('not checked: that needs the host')
  end
  for _, problem in ipairs(bridge.problems) do
    health.warn(problem)
  end
  if #bridge.problems == 0 then
    health.ok('vim.g.acp is valid')
  end
end

---@param agents acp.AgentRow[]
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
