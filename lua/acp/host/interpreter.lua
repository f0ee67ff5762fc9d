-- Which Python runs the host, how, and what its end means in words. Starts nothing by itself.

local python = require('acp.host.python')

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
---@return string
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
---@return string
function M.venv()
  return vim.fs.joinpath(vim.fn.stdpath('data') --[[@as string]], 'acp.nvim', 'venv')
end

--- Python of that environment; it need not exist.
---@return string
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

---@param program string
---@return string[] command that runs the host
---@return table where it is started, and how it learns where the user is: options of `jobstart`
function M.command(program)
  local plugin = vim.fs.joinpath(M.root(), HOST)
  local env = python.environment_of_host()
  env.ACP_NVIM_FOLDER = vim.fn.getcwd()
  return { program, '-c', PROLOGUE, plugin }, { cwd = M.root(), env = env, clear_env = true }
end

--- Say how the host ended and what to do.
---@param program string
---@param code integer exit code, 128 + signal when killed
---@param stderr string the end of what it wrote
---@return string sentence
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
