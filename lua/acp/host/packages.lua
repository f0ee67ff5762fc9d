-- What the user's settings of pip and uv say to `:Acp install`: where packages come from, and how the
-- network is reached. Where they would go, and which, is ours to say: in a place of the user's, or of
-- other versions, no host would find them.

local M = {}

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

---@param environment table<string, string>
---@param prefix string
---@param is_kept fun(name: string): boolean
---@return table<string, string>
local function filtered(environment, prefix, is_kept)
  local found = {}
  for name, value in pairs(environment) do
    if not vim.startswith(name, prefix) or is_kept(name:sub(#prefix + 1)) then
      found[name] = value
    end
  end
  return found
end

--- What uv is run in.
---@param environment table<string, string>
---@return table<string, string>
function M.for_uv(environment)
  return filtered(environment, 'UV_', function(name)
    return vim.iter(OF_UV):any(function(kept)
      return vim.startswith(name, kept)
    end)
  end)
end

--- What pip is asked for its settings in: PIP_PYTHON would make it another Python's pip.
---@param environment table<string, string>
---@return table<string, string>
function M.to_ask_pip(environment)
  return filtered(environment, 'PIP_', function(name)
    return name ~= 'PYTHON'
  end)
end

---@param text string as Python shows it
---@return string
local function unquoted(text)
  local inner = text:match('^[\'"](.*)[\'"]$') or text
  return (inner:gsub('\\(.)', { n = '\n', t = '\t', ['\\'] = '\\', ["'"] = "'", ['"'] = '"' }))
end

--- What pip is run in: without its own files of settings, with what is kept of them as variables.
---@param environment table<string, string>
---@param listed string what `pip config list` says
---@return table<string, string>
function M.for_pip(environment, listed)
  local found = filtered(environment, 'PIP_', function()
    return false
  end)
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

return M
