-- `:Acp install`: makes the plugin's own Python environment, or brings it up to date. Needs no host, never
-- blocks, may be run again at any time, and works as the build step of a plugin manager.

local interpreter = require('acp.interpreter')
local log = require('acp.log')
local notice = require('acp.notice')

local M = {}

local NEWEST, OLDEST = 14, 11

---@type boolean
local running = false

--- The dependencies in pyproject.toml; the environment gets these, not the plugin itself.
---@return string[]
function M.dependencies()
  local path = vim.fs.joinpath(interpreter.root(), 'pyproject.toml')
  local text = table.concat(vim.fn.readfile(path), '\n')
  local list = text:match('\ndependencies = %[(.-)\n%]')
  local found = {}
  for entry in list:gmatch('"([^"]+)"') do
    table.insert(found, entry)
  end
  return found
end

--- A Python that is new enough, by its name on PATH, newest first; python3 is tried last.
---@return string?
local function find_python()
  for minor = NEWEST, OLDEST, -1 do
    local path = vim.fn.exepath('python3.' .. minor)
    if path ~= '' then
      return path
    end
  end
  local path = vim.fn.exepath('python3')
  return path ~= '' and path or nil
end

---@param python string
---@param venv string
---@return string[][] commands to be run one after the other
local function steps(python, venv)
  local program = interpreter.venv_python()
  local root = interpreter.root()
  local compile = { program, '-m', 'compileall', '-q', root .. '/python', root .. '/rplugin' }
  if vim.fn.executable('uv') == 1 then
    local install = { 'uv', 'pip', 'install', '--quiet', '--python', program }
    return {
      { 'uv', 'venv', '--quiet', '--allow-existing', '--python', '>=3.' .. OLDEST, venv },
      vim.list_extend(install, M.dependencies()),
      compile,
    }
  end
  local pip = { program, '-m', 'pip', 'install', '--quiet', '--upgrade' }
  table.insert(pip, '--disable-pip-version-check')
  return {
    { python, '-c', 'import sys; sys.exit(sys.version_info < (3, ' .. OLDEST .. '))' },
    { python, '-m', 'venv', venv },
    vim.list_extend(pip, M.dependencies()),
    compile,
  }
end

--- Say in one sentence why a step failed.
---@param command string[]
---@param result vim.SystemCompleted
---@return string
function M.explain(command, result)
  local said = vim.trim((result.stderr or '') .. '\n' .. (result.stdout or ''))
  if command[2] == '-c' then
    return ('%s is too old: install Python 3.11 or newer, or uv, then :Acp install'):format(
      command[1]
    )
  end
  if said:find('ensurepip', 1, true) then
    local package = said:match('apt install (python3[%w.]*%-venv)') or 'python3-venv'
    return ('%s has no venv module: apt install %s, then :Acp install'):format(command[1], package)
  end
  local last = said:match('[^\n]+$') or ('exit code %d'):format(result.code)
  return ('%s failed: %s; log: %s'):format(vim.fs.basename(command[1]), last, log.path())
end

---@param on_done? fun(err: string?)
---@param err? string
local function finish(on_done, err)
  running = false
  notice.notice(err or 'the Python environment is ready', err ~= nil)
  if on_done then
    on_done(err)
  end
end

---@param commands string[][]
---@param position integer
---@param on_done? fun(err: string?)
local function run_from(commands, position, on_done)
  local command = commands[position]
  if not command then
    return finish(on_done)
  end
  log.line('run: ' .. table.concat(command, ' '))
  local ok, err = pcall(
    vim.system,
    command,
    { text = true },
    vim.schedule_wrap(function(result)
      log.write((result.stdout or '') .. (result.stderr or ''))
      if result.code ~= 0 then
        return finish(on_done, M.explain(command, result))
      end
      run_from(commands, position + 1, on_done)
    end)
  )
  if not ok then
    finish(on_done, ('cannot run %s: %s'):format(command[1], err))
  end
end

--- Make or update the environment.
---@param on_done? fun(err: string?)
function M.run(on_done)
  if running then
    return notice.notice('the installation is still running')
  end
  local python = find_python()
  if not python and vim.fn.executable('uv') == 0 then
    local err = 'there is no python3 on PATH: install Python 3.11 or newer, then :Acp install'
    return finish(on_done, err)
  end
  running = true
  notice.notice('installing the Python environment …')
  vim.fn.mkdir(vim.fs.dirname(interpreter.venv()), 'p')
  run_from(steps(python or 'python3', interpreter.venv()), 1, on_done)
end

return M
