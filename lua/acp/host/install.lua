-- `:Acp install`: makes the plugin's own Python environment, or brings it up to date. Needs no host,
-- never blocks, may be run again at any time, and works as the build step of a plugin manager.

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

---@type boolean
local running = false
---@type vim.SystemObj?
local child

--- A file of the plugin's folder; LuaRocks puts it into a folder below.
---@param name string
---@return string path
local function file(name)
  local root = interpreter.root()
  local rock = vim.fs.joinpath(root, 'conf', name)
  return vim.uv.fs_stat(rock) and rock or vim.fs.joinpath(root, name)
end

--- The dependencies in pyproject.toml: names and the versions that will do.
---@return string[]
function M.dependencies()
  local text = table.concat(vim.fn.readfile(file('pyproject.toml')), '\n')
  local list = text:match('\ndependencies = %[(.-)\n%]')
  local found = {}
  for entry in list:gmatch('"([^"]+)"') do
    table.insert(found, entry)
  end
  return found
end

--- Run a program without blocking, in the plugin's folder; to be called in a coroutine.
---@param command string[]
---@return vim.SystemCompleted
local function run(command)
  log.line('run: ' .. table.concat(command, ' '))
  local this = coroutine.running()
  local ok, started = pcall(
    vim.system,
    command,
    -- in a group of its own, to be ended as a whole
    { text = true, detach = true, cwd = interpreter.root() },
    vim.schedule_wrap(function(result)
      log.write((result.stdout or '') .. (result.stderr or ''))
      assert(coroutine.resume(this, result))
    end)
  )
  if not ok then
    return { code = 127, signal = 0, stderr = tostring(started) }
  end
  child = started
  return coroutine.yield()
end

--- Say in one sentence why a command failed.
---@param command string[]
---@param result vim.SystemCompleted
---@return string
function M.explain(command, result)
  local said = vim.trim((result.stdout or '') .. '\n' .. (result.stderr or ''))
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

---@param command string[]
---@return string? err
local function try(command)
  local result = run(command)
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

--- Do all of it.
---@return string? err
local function install()
  local program, root = interpreter.venv_python(), interpreter.root()
  local with_uv = vim.fn.executable('uv') == 1
  local make = { 'uv', 'venv', '--quiet', '--allow-existing', '--python', '>=3.' .. OLDEST }
  local add = with_uv and { 'uv', 'pip', 'install', '--quiet', '--python', program }
    or { program, '-I', '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check' }
  -- These versions and no others, each known by its hash (`make lock` writes them); only wheels: what
  -- builds another package has no hash.
  local hashes = file('requirements.txt')
  vim.list_extend(add, { '--require-hashes', '--only-binary', ':all:', '-r', hashes })
  local err
  if with_uv then
    err = try(vim.list_extend(make, { interpreter.venv() }))
  else
    err = make_with_python()
  end
  err = err or try(add)
  if not err then
    run({ program, '-I', '-c', COMPILE, root .. '/python', root .. '/rplugin' })
  end
  return err
end

---@return string
local function ready()
  local program, origin = interpreter.find()
  local done = 'the Python environment is ready'
  return program == interpreter.venv_python() and done
    or ('%s, but %s goes before it'):format(done, origin)
end

--- Neovim is leaving: without a user (a build step) it waits, with one nothing is kept waiting.
local function leave()
  if running and #vim.api.nvim_list_uis() == 0 then
    vim.wait(HEADLESS_WAIT_MS, function()
      return not running
    end, 50)
  end
  if running and child then
    vim.uv.kill(-child.pid, 'sigterm')
  end
end

--- Make or update the environment.
---@param on_done? fun(err: string?)
function M.run(on_done)
  if running then
    return notice.notice('the installation is still running')
  end
  running = true
  local group = vim.api.nvim_create_augroup('acp.install', {})
  vim.api.nvim_create_autocmd('VimLeavePre', { group = group, callback = leave })
  notice.notice('installing the Python environment …')
  vim.fn.mkdir(vim.fs.dirname(interpreter.venv()), 'p')
  coroutine.wrap(function()
    local err = install()
    running = false
    notice.notice(err or ready(), err ~= nil)
    if on_done then
      on_done(err)
    end
  end)()
end

return M
