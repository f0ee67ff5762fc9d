-- Starts the Pythons that are ours. The user's shell may say to every Python what to import, where it
-- lives and what to do at its end: that is for the user's programs, not for these.

local M = {}

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
---@return table<string, string>
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
---@return table<string, string>
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
---@param command string[]
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

return M
