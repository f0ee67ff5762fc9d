-- `:Acp install`: makes the plugin's own Python environment, or brings it up to date. Needs no host,
-- never blocks, may be run again at any time, and works as the build step of a plugin manager.

local events = require('acp.ui.events')
local interpreter = require('acp.host.interpreter')
local log = require('acp.host.log')
local notice = require('acp.ui.notice')

local M = {}

local NEWEST, OLDEST = 14, 11
local HEADLESS_WAIT_MS = 10 * 60 * 1000

local NO_PYTHON = 'there is no Python 3.11 or newer on PATH: install one, or uv, then :Acp install'
local NEW_ENOUGH = ('import sys; sys.exit(sys.version_info < (3, %d))'):format(OLDEST)
-- Not an error in a plugin folder that cannot be written to: it only makes the first start faster.
local COMPILE = 'import compileall, sys; [compileall.compile_dir(d, quiet=2) for d in sys.argv[1:]]'

-- What the user's settings of pip and uv say: where packages come from, and how the network is reached.
-- Where they would go, and which, is ours to say: in a place of the user's, or of other versions, no host
-- would find them.
local OF_PIP = vim.split(
  [[index-url extra-index-url no-index find-links trusted-host cert client-cert proxy timeout
    default-timeout retries keyring-provider cache-dir no-cache-dir use-feature]],
  '%s+'
)

-- Beginnings of the names of variables.
local OF_UV = vim.split(
  [[CACHE_DIR CONCURRENT_ CONFIG_FILE DEFAULT_INDEX EXTRA_INDEX_URL FIND_LINKS HTTP_ INDEX INSECURE_
    INSTALLER_ KEYRING_PROVIDER LINK_MODE MANAGED_PYTHON NATIVE_TLS NO_CACHE NO_CONFIG NO_INDEX
    NO_MANAGED_PYTHON OFFLINE PYPY_INSTALL_MIRROR PYTHON_ REQUEST_TIMEOUT SYSTEM_CERTS]],
  '%s+'
)

--- The environment without the variables that begin so, but for those that go on as one of `kept` does.
---@param environment table<string, string>
---@param kept string[]
local function without(environment, prefix, kept)
  local found = {}
  for name, value in pairs(environment) do
    local rest = vim.startswith(name, prefix) and name:sub(#prefix + 1)
    local is_kept = not rest
      or vim.iter(kept):any(function(beginning)
        return vim.startswith(rest, beginning)
      end)
    found[name] = is_kept and value or nil
  end
  return found
end

---@param text string as Python shows it
local function unquoted(text)
  local inner = text:match('^[\'"](.*)[\'"]$') or text
  return (inner:gsub('\\(.)', { n = '\n', t = '\t', ['\\'] = '\\', ["'"] = "'", ['"'] = '"' }))
end

--- What pip is run in: without its own files of settings, with what is kept of them as variables.
---@param environment table<string, string>
---@param listed string what `pip config list` says
local function for_pip(environment, listed)
  local found = without(environment, 'PIP_', {})
  for _, section in ipairs({ 'global', 'install', ':env:' }) do -- the later, the weightier
    for line in listed:gmatch('[^\r\n]+') do
      local of, key, value = line:match('^(%S+)%.([%w-]+)=(.*)$')
      value = value and unquoted(value)
      if of == section and value ~= '' and vim.list_contains(OF_PIP, key) then
        found['PIP_' .. key:upper():gsub('-', '_')] = value
      end
    end
  end
  found.PIP_CONFIG_FILE = '/dev/null'
  return found
end

local running = false
local child ---@type integer? the job that runs
local waiting = {} ---@type (fun(err: string?))[] who waits for its end

--- A file of the plugin's folder; LuaRocks puts it into a folder below.
local function file(name)
  local root = interpreter.root()
  local rock = vim.fs.joinpath(root, 'conf', name)
  return vim.uv.fs_stat(rock) and rock or vim.fs.joinpath(root, name)
end

--- The dependencies in pyproject.toml: names and the versions that will do.
function M.dependencies()
  local text = table.concat(vim.fn.readfile(file('pyproject.toml')), '\n')
  local list = text:match('\ndependencies = %[(.-)\n%]')
  local found = {}
  for entry in list:gmatch('"([^"]+)"') do
    table.insert(found, entry)
  end
  return found
end

--- Say what it does now: it takes a minute.
---@param number integer of the step
local function step(number, what)
  notice.notice(('installing (%d of 3): %s …'):format(number, what))
end

--- Run a program without blocking, in the plugin's folder; to be called in a coroutine.
---@param env? table<string, string>
local function run(command, env)
  log.line('run: ' .. table.concat(command, ' '))
  local this = coroutine.running()
  local where = { cwd = interpreter.root(), env = env }
  local job, err = interpreter.run(command, where, function(code, stdout, stderr)
    log.write(stdout .. stderr)
    vim.schedule(function()
      assert(coroutine.resume(this, { code = code, stdout = stdout, stderr = stderr }))
    end)
  end)
  if not job then
    return { code = 127, stdout = '', stderr = err }
  end
  child = job
  return coroutine.yield()
end

--- Say in one sentence why a command failed.
function M.explain(command, result)
  local said = vim.trim(result.stdout .. '\n' .. result.stderr)
  local no_module = said:match('No module named .?venv') or said:find('ensurepip', 1, true)
  if no_module then
    local version = command[1]:match('python(3%.%d+)$') or '3'
    local package = said:match('apt install (python3[%w.]*%-venv)')
      or ('python%s-venv'):format(version)
    return ('%s has no venv module: apt install %s, then :Acp install'):format(command[1], package)
  end
  local last = said:match('[^\n]+$') or ('exit code %d'):format(result.code)
  return ('%s failed: %s; log: %s'):format(vim.fs.basename(command[1]), last, log.path())
end

---@param env? table<string, string>
---@return string? err
local function try(command, env)
  local result = run(command, env)
  return result.code ~= 0 and M.explain(command, result) or nil
end

--- Make the environment with the newest Python that can; a name on PATH may be only a shim.
---@return string? err
local function make_with_python()
  local names = { 'python3' }
  for minor = OLDEST, NEWEST do
    table.insert(names, 1, 'python3.' .. minor)
  end
  local first
  for _, name in ipairs(names) do
    local path = vim.fn.exepath(name)
    if path ~= '' and run({ path, '-I', '-c', NEW_ENOUGH }).code == 0 then
      local err = try({ path, '-I', '-m', 'venv', interpreter.venv() })
      if not err then
        return nil
      end
      first = first or err
    end
  end
  return first or NO_PYTHON
end

-- These versions and no others, each known by its hash (`make lock` writes them); only wheels: what
-- builds another package has no hash.
local function wheels()
  return { '--require-hashes', '--only-binary', ':all:', '-r', file('requirements.txt') }
end

---@return string? err
local function install_with_uv()
  step(1, 'making a Python environment with uv')
  local env = without(interpreter.environment(), 'UV_', OF_UV)
  local make = { 'uv', 'venv', '--quiet', '--allow-existing', '--python', '>=3.' .. OLDEST }
  -- pip compiles what it installs, uv only when it is told to
  local add = { 'uv', 'pip', 'install', '--quiet', '--compile-bytecode', '--python' }
  table.insert(add, interpreter.venv_python())
  local err = try(vim.list_extend(make, { interpreter.venv() }), env)
  if err then
    return err
  end
  step(2, 'getting the packages')
  return try(vim.list_extend(add, wheels()), env)
end

---@return string? err
local function install_with_pip()
  step(1, 'making a Python environment')
  local err = make_with_python()
  if err then
    return err
  end
  step(2, 'getting the packages')
  local env = interpreter.environment()
  env.PIP_PYTHON = nil -- it would make it another Python's pip
  local pip = { interpreter.venv_python(), '-I', '-m', 'pip' }
  local ask = vim.list_extend(vim.list_slice(pip), { 'config', 'list' })
  local add = vim.list_extend(pip, { 'install', '--quiet', '--disable-pip-version-check' })
  local listed = run(ask, env).stdout
  return try(vim.list_extend(add, wheels()), for_pip(env, listed))
end

--- Do all of it.
---@return string? err
local function install()
  local err = (vim.fn.executable('uv') == 1 and install_with_uv or install_with_pip)()
  if not err then
    local root = interpreter.root()
    step(3, 'preparing a quick start')
    run({ interpreter.venv_python(), '-I', '-c', COMPILE, root .. '/python', root .. '/rplugin' })
  end
  return err
end

local function ready()
  local program, origin = interpreter.find()
  local done = 'the Python environment is ready'
  return program == interpreter.venv_python() and done .. ': :Acp tutor teaches the plugin'
    or ('%s, but %s is used instead'):format(done, origin)
end

--- Neovim is leaving: without a user (a build step) it waits, with one nothing is kept waiting.
local function leave()
  if running and #vim.api.nvim_list_uis() == 0 then
    vim.wait(HEADLESS_WAIT_MS, function()
      return not running
    end, 50)
  end
  if running and child then
    vim.uv.kill(-vim.fn.jobpid(child), 'sigterm')
  end
end

--- Make or update the environment.
---@param on_done? fun(err: string?)
function M.run(on_done)
  if running then
    return notice.notice('the installation is still running')
  end
  running = true
  table.insert(waiting, on_done)
  events.group('acp.install')('VimLeavePre', 'The installation ends, or is waited for', leave)
  vim.fn.mkdir(vim.fs.dirname(interpreter.venv()), 'p')
  coroutine.wrap(function()
    local err = install()
    running = false
    notice.notice(err or ready(), err ~= nil)
    local told = waiting
    waiting = {}
    for _, listener in ipairs(told) do
      listener(err)
    end
  end)()
end

---@return boolean
function M.is_running()
  return running
end

--- Have something called when the installation that runs is over.
---@param listener fun(err: string?)
function M.on_end(listener)
  table.insert(waiting, listener)
end

return M
