-- `:checkhealth acp`: what runs the host, whether it answers, the configuration, and each agent.

local bridge = require('acp.host.bridge')
local interpreter = require('acp.host.interpreter')
local private = require('acp.host.private')

local health = vim.health

local M = {}

local WAIT_MS = 10000 -- a machine that is busy takes seconds to start the host

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

-- The events that are listened to, all of them; of a row, one is enough.
M.EVENTS = {}
local EVENTS = [[
  BufEnter BufFilePost BufLeave BufModifiedSet|OptionSet BufNewFile BufReadCmd BufReadPost
  BufUnload BufWinEnter BufWinLeave BufWipeout BufWriteCmd BufWritePost BufWritePre
  CmdlineLeave ColorScheme CompleteChanged CursorMoved CursorMovedI DiagnosticChanged FileAppendPost
  FileAppendPre FileChangedShell FileType FileWritePost FileWritePre FocusGained FocusLost
  InsertCharPre InsertEnter InsertLeave InsertLeavePre ModeChanged QuitPre SafeState
  SessionLoadPost SessionWritePost ShellCmdPost ShellFilterPost TabEnter TermClose TermOpen
  TextChanged UIEnter UILeave User VimEnter VimLeavePre VimResized WinClosed WinEnter WinLeave
  WinResized WinScrolled
]]
for row in EVENTS:gmatch('%S+') do
  table.insert(M.EVENTS, vim.split(row, '|'))
end

-- The functions that are young, experimental or meant for others; of a row, one is enough.
M.FUNCTIONS = {
  { 'vim.api.nvim__redraw' },
  { 'vim.api.nvim_exec2' },
  { 'vim.api.nvim_ui_send', 'vim.api.nvim_chan_send' },
  { 'vim.api.nvim_win_text_height' },
  { 'vim.fs.joinpath' },
  { 'vim.islist' },
  { 'vim.iter' },
  { 'vim.keycode' },
  { 'vim.list_contains' },
  { 'vim.lsp.util.make_floating_popup_options' },
  { 'vim.system' },
  { 'vim.treesitter.highlighter.active' },
  { 'vim.treesitter.language.get_lang' },
  { 'vim.uv.new_timer' },
}

---@param name string of an autocommand event
local function is_event(name)
  return vim.fn.exists('##' .. name) == 1
end

---@param name string with dots, beginning with vim
local function is_there(name)
  local at = _G
  for part in vim.gsplit(name, '.', { plain = true }) do
    at = type(at) == 'table' and at[part] or nil -- not vim.tbl_get(): some are loaded when indexed
  end
  return at ~= nil
end

---@param all string[][]
---@param exists fun(name: string): boolean
---@return integer count of rows of which nothing exists
local function report_missing(all, exists, what)
  local missing = vim.tbl_filter(function(row)
    return #vim.tbl_filter(exists, row) == 0
  end, all)
  for _, row in ipairs(missing) do
    local advice = 'use a version of Neovim that has it, or a newer acp.nvim'
    health.error(('this Neovim has no %s %s'):format(what, table.concat(row, ' or ')), advice)
  end
  return #missing
end

local function check_neovim()
  health.start('acp: Neovim')
  if vim.fn.has('nvim-0.10') == 0 then
    return health.error('acp.nvim needs Neovim 0.10 or newer')
  end
  local missing = report_missing(M.EVENTS, is_event, 'event')
    + report_missing(M.FUNCTIONS, is_there, 'function')
  if missing == 0 then
    health.ok(tostring(vim.version()))
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
  local versions, said = {}, ''
  local job = interpreter.run(command, { cwd = interpreter.root() }, function(_, stdout)
    said = stdout
  end)
  if vim.fn.jobwait({ job }, WAIT_MS)[1] == -1 then
    vim.fn.jobstop(job)
  end
  for name, version in said:gmatch('(%S+) (%S+)\n') do
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
  local shell = require('acp.host.options').value('shell')
  if type(shell) == 'string' and vim.fn.executable(vim.fs.normalize(shell)) == 0 then
    health.error(('vim.g.acp.shell: there is no program %s'):format(shell))
  end
end

---@class acp.Kept
---@field name string
---@field what string
---@field files integer
---@field bytes integer

-- Folders in the order of the help, and what is in them.
local FOLDERS = {
  { 'sessions', 'what was said' },
  { 'open', 'which sessions were open' },
  { 'choices', 'modes and models that were chosen last' },
  { 'edits', 'what agents have changed' },
  { 'drafts', 'unsent prompts' },
  { 'log', 'traffic with agents' },
  { 'remote', 'hosts that were connected to' },
  { 'registry', 'the list of agents that was fetched' },
  { '', 'the log of the host' },
}

---@param depth integer
---@return integer files
---@return integer bytes
local function measure(folder, depth)
  local files, bytes = 0, 0
  for name, type in vim.fs.dir(folder, { depth = depth }) do
    if type == 'file' then
      local status = vim.uv.fs_lstat(vim.fs.joinpath(folder, name))
      files, bytes = files + 1, bytes + (status and status.size or 0)
    end
  end
  return files, bytes
end

--- What is kept below Neovim's state. Makes sure that the folders are the user's.
---@return acp.Kept[]
---@return string[] problems why nothing is kept there
local function list_kept()
  local kept, problems = {}, {}
  for _, row in ipairs(FOLDERS) do
    local ok, folder = pcall(private.folder, row[1] ~= '' and row[1] or nil)
    if ok then
      local files, bytes = measure(folder, row[1] == '' and 1 or 3)
      table.insert(kept, { name = row[1], what = row[2], files = files, bytes = bytes })
    else
      table.insert(problems, tostring(folder))
    end
  end
  return kept, problems
end

---@param bytes integer
---@return string
local function size_of(bytes)
  return bytes < 2 ^ 20 and ('%.1f kB'):format(bytes / 2 ^ 10) or ('%.1f MB'):format(bytes / 2 ^ 20)
end

local function check_kept()
  health.start('acp: what is kept')
  local kept, problems = list_kept()
  for _, row in ipairs(kept) do
    local size = size_of(row.bytes)
    local name = row.name ~= '' and (row.name .. ': ') or ''
    health.ok(('%s%s: %d files, %s'):format(name, row.what, row.files, size))
  end
  for _, problem in ipairs(problems) do
    health.error(problem, 'nothing is kept there: move it away')
  end
end

local function check_worktrees()
  health.start('acp: worktrees')
  local found = require('acp.command.worktrees').all()
  for _, record in ipairs(found) do
    local text = ('%s of %s: %s'):format(record.name, record.home, record.folder)
    if record.is_made and vim.uv.fs_stat(record.folder) then
      health.ok(text)
    else
      local advice = (':Acp worktree remove %s removes it'):format(record.name)
      health.warn(text .. ' is not whole', advice)
    end
  end
  if #found == 0 then
    health.ok('there is none: :Acp worktree makes one')
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

local function check_tools()
  health.start('acp: tools of the editor')
  local servers = require('acp.tools.language').servers()
  for _, server in ipairs(servers) do
    health.ok(('language server %s, buffers: %d'):format(server.name, server.buffers))
  end
  if #servers == 0 then
    health.info('no language server is attached: agents get no diagnostics, types or references')
  end
end

local function check_neighbours()
  health.start('acp: other plugins')
  local problems = require('acp.host.neighbours').problems()
  for _, found in ipairs(problems) do
    health.warn(found.problem, { found.advice, 'see :help acp-neighbours' })
  end
  if #problems == 0 then
    health.ok('none of those that are loaded is in the way')
  end
end

--- Called by :checkhealth.
function M.check()
  check_neovim()
  check_python()
  local agents = check_host()
  check_configuration()
  check_kept()
  check_worktrees()
  check_neighbours()
  if agents then
    check_agents(agents)
  end
  check_tools()
end

return M
