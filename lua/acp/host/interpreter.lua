-- Which Python runs the host, how, and what its end means in words; and how the Pythons that are ours are
-- started. The user's shell may say to every Python what to import, where it lives and what to do at its
-- end: that is for the user's programs, not for these.

local M = {}

-- Must be valid in every Python there is, since it is what finds an interpreter too old. No module of
-- a project is ever imported: it starts in the plugin's folder, the path filter comes before the
-- first import from it, and only then it goes to where the user is. (`-P` would do, but is unknown to
-- a Python that is too old; `-I` would hide packages that users have installed for themselves.)
local PROLOGUE = [[
import sys
if sys.version_info < (3, 11):
    sys.stderr.write("Python %d.%d" % sys.version_info[:2])
    sys.exit(3)
sys.path = [entry for entry in sys.path if entry != ""]
try:
    import pynvim
except ImportError as error:
    sys.stderr.write(str(error))
    sys.exit(4)
import os
try:
    os.chdir(os.environ.pop("ACP_NVIM_FOLDER"))
except (KeyError, OSError):
    pass
pynvim.start_host()
]]

local TOO_OLD, NO_PACKAGE = 3, 4

local HOST = 'rplugin/python3/acp_host.py'

--- The root of the plugin, wherever the package manager has put it; LuaRocks puts Lua elsewhere.
function M.root()
  local here = debug.getinfo(1, 'S').source:sub(2)
  local above = vim.fn.fnamemodify(here, ':p:h:h:h:h')
  if vim.uv.fs_stat(vim.fs.joinpath(above, HOST)) then
    return above
  end
  local found = vim.api.nvim_get_runtime_file(HOST, false)[1]
  return found and vim.fn.fnamemodify(found, ':p:h:h:h') or above
end

--- Folder of the environment that `:Acp install` makes.
function M.venv()
  return vim.fs.joinpath(vim.fn.stdpath('data') --[[@as string]], 'acp.nvim', 'venv')
end

--- Python of that environment; it need not exist.
function M.venv_python()
  return vim.fs.joinpath(M.venv(), 'bin', 'python')
end

--- Choose the interpreter of the host; the first that is set or there.
---@return string program
---@return string origin where the choice comes from, in words
function M.find()
  local configured = require('acp.host.options').value('python')
  if type(configured) == 'string' and configured ~= '' then
    return vim.fs.normalize(configured), 'vim.g.acp.python'
  end
  if vim.fn.executable(M.venv_python()) == 1 then
    return M.venv_python(), ':Acp install'
  end
  local provider = vim.g.python3_host_prog
  if type(provider) == 'string' and provider ~= '' then
    return vim.fs.normalize(provider), 'vim.g.python3_host_prog'
  end
  if vim.fn.executable('pynvim-python') == 1 then
    return vim.fn.exepath('pynvim-python'), 'pynvim-python on PATH'
  end
  local found = vim.fn.exepath('python3')
  return found ~= '' and found or 'python3', 'python3 on PATH'
end

-- What is said to Pythons comes to the host under this name, for the agents that it starts: they get
-- the user's environment as it is. `acp_host.py` knows it, too.
local KEPT = 'ACP_NVIM_KEPT_'

-- The C library keeps what large texts have taken, for each thread that has read one, unless it is told
-- not to: some files of many megabytes would leave a host of hundreds. Only that of GNU reads these.
local MEMORY = {
  MALLOC_ARENA_MAX = '1',
  MALLOC_MMAP_THRESHOLD_ = '131072',
  MALLOC_TRIM_THRESHOLD_ = '1048576',
}

local function is_said_to_pythons(name)
  return name:find('^PYTHON.') ~= nil
    or name:find('^VIRTUAL_ENV') ~= nil
    or name == '__PYVENV_LAUNCHER__'
end

--- The user's environment without what is said to Pythons.
function M.environment()
  local found = vim.fn.environ()
  for _, name in ipairs(vim.tbl_keys(found)) do
    if is_said_to_pythons(name) then
      found[name] = nil
    end
  end
  return found
end

--- The same for the host, which has the rest under other names.
function M.environment_of_host()
  local found = vim.tbl_extend('force', M.environment(), MEMORY)
  for name, value in pairs(vim.fn.environ()) do
    if is_said_to_pythons(name) or MEMORY[name] then
      found[KEPT .. name] = value
    end
  end
  return found
end

--- Run a program in a group of its own, to be ended as a whole. (`vim.system` of Neovim 0.10 cannot
--- do without a variable.)
---@param where { cwd: string, env?: table<string, string> } without `env` it is `environment()`
---@param on_end fun(code: integer, stdout: string, stderr: string)
---@return integer? job
---@return string? err
function M.run(command, where, on_end)
  local said = { '', '' }
  local function hears(number)
    return function(_, data)
      said[number] = table.concat(data, '\n')
    end
  end
  local ok, job = pcall(vim.fn.jobstart, command, {
    cwd = where.cwd,
    env = where.env or M.environment(),
    clear_env = true,
    detach = true,
    stdin = 'null',
    stdout_buffered = true,
    stderr_buffered = true,
    on_stdout = hears(1),
    on_stderr = hears(2),
    on_exit = function(_, code)
      on_end(code, said[1], said[2])
    end,
  })
  if not ok or job <= 0 then
    return nil, ok and ('%s cannot be run'):format(command[1]) or tostring(job)
  end
  return job
end

---@return string[] command that runs the host
---@return table where it is started, and how it learns where the user is: options of `jobstart`
function M.command(program)
  local plugin = vim.fs.joinpath(M.root(), HOST)
  local env = M.environment_of_host()
  env.ACP_NVIM_FOLDER = vim.fn.getcwd()
  return { program, '-c', PROLOGUE, plugin }, { cwd = M.root(), env = env, clear_env = true }
end

--- Say how the host ended and what to do.
---@param code integer exit code, 128 + signal when killed
---@param stderr string the end of what it wrote
function M.explain(program, code, stderr)
  if code == TOO_OLD and stderr:find('^Python %d') then
    local advice = '%s is %s, the host needs 3.11 or newer: run :Acp install'
    return advice:format(program, stderr:match('^Python [%d.]+'))
  end
  if code == NO_PACKAGE then
    local package = stderr:match("No module named '([^'.]+)") or 'pynvim'
    return ('Python package %s is missing in %s: run :Acp install'):format(package, program)
  end
  local last = vim.trim(stderr):match('[^\n]*$')
  local reason = last ~= '' and (', ' .. last) or ''
  local sentence = 'the host ended (exit code %d%s); the next command starts a new one; log: %s'
  return sentence:format(code, reason, require('acp.host.log').path())
end

return M
