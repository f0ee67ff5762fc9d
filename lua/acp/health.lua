-- `:checkhealth acp`: what runs the host, whether it answers, the configuration, and each agent.

local bridge = require('acp.host.bridge')
local interpreter = require('acp.host.interpreter')

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

---@param text string words; of those with | between them one is enough
---@return string[][]
local function rows_of(text)
  return vim.tbl_map(function(row)
    return vim.split(row, '|')
  end, vim.split(text, '%s+', { trimempty = true }))
end

-- The events that are listened to, all of them.
M.EVENTS = rows_of([[
  BufEnter BufFilePost BufLeave BufModifiedSet|OptionSet BufNewFile BufReadCmd BufReadPost
  BufUnload BufWinEnter BufWinLeave BufWipeout BufWriteCmd BufWritePost BufWritePre
  CmdlineLeave ColorScheme CompleteChanged CursorMoved CursorMovedI DiagnosticChanged FileAppendPost
  FileAppendPre FileChangedShell FileType FileWritePost FileWritePre FocusGained FocusLost
  InsertCharPre InsertEnter InsertLeave InsertLeavePre ModeChanged QuitPre SafeState
  SessionLoadPost SessionWritePost ShellCmdPost ShellFilterPost TabEnter TermClose TermOpen
  TextChanged UIEnter UILeave User VimEnter VimLeavePre VimResized WinClosed WinEnter WinLeave
  WinResized WinScrolled
]])

-- The functions that are young, experimental or meant for others.
M.FUNCTIONS = rows_of([[
  vim.api.nvim__redraw vim.api.nvim_exec2 vim.api.nvim_win_text_height vim.fs.joinpath vim.islist
  vim.iter vim.keycode vim.list_contains vim.lsp.util.make_floating_popup_options vim.system
  vim.treesitter.highlighter.active vim.treesitter.language.get_lang vim.uv.new_timer
]])
table.insert(M.FUNCTIONS, { 'vim.api.nvim_ui_send', 'vim.api.nvim_chan_send' })

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

---@alias acp.HealthRow { [1]: 'ok'|'info'|'warn'|'error', [2]: string, [3]?: string }

--- What the host says of what it knows.
local function ask_host()
  local is_answered, err, rows = false, nil, nil
  bridge.call('health', nil, function(problem, result)
    is_answered, err, rows = true, problem, result
  end)
  vim.wait(WAIT_MS, function()
    return is_answered
  end, 10)
  err = not is_answered and 'it does not answer' or err
  local failed = { 'error', 'the host: ' .. (err or ''), 'see ' .. require('acp.host.log').path() }
  return err and { host = { failed } } or rows
end

---@param rows? acp.HealthRow[] nil: the host does not say
local function report(title, rows)
  if rows then
    health.start('acp: ' .. title)
  end
  for _, row in ipairs(rows or {}) do
    health[row[1]](row[2], row[3])
  end
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

local function check_tools()
  health.start('acp: tools of the editor')
  local servers = require('acp.tools.language').clients()
  for _, server in ipairs(servers) do
    local count = #vim.tbl_keys(server.attached_buffers or {})
    health.ok(('language server %s, buffers: %d'):format(server.name, count))
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
  local rows = ask_host()
  report('host', rows.host)
  check_configuration()
  report('what is kept', rows.kept)
  report('worktrees', rows.worktrees)
  check_neighbours()
  report('agents', rows.agents)
  check_tools()
end

return M
