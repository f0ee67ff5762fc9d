-- Modules that are loaded when they are used first. `RARE` names them all; there is no other way: they
-- are required at the top of a file like any other. None of them may do anything by being loaded that
-- must be done before. Also a module that only these require waits with them.

local M = {}

local RARE = {
  'acp.ask.window',
  'acp.chat.code',
  'acp.chat.output',
  'acp.files.edit',
  'acp.files.save',
  'acp.prompt.complete',
  'acp.prompt.history',
  'acp.prompt.mention',
  'acp.prompt.symbols',
  'acp.ui.float',
}

--- What `require` returns until the module is loaded, and what early users keep: it hands on.
local function waiting(name)
  local ways = {}
  local function load()
    package.preload[name], package.loaded[name] = nil, nil
    local real = require(name)
    ways.__index, ways.__newindex = real, real
    return real
  end
  ways.__index = function(_, key)
    return load()[key]
  end
  ways.__newindex = function(_, key, value)
    load()[key] = value
  end
  return setmetatable({}, ways)
end

for _, name in ipairs(RARE) do
  if not package.loaded[name] then
    package.preload[name] = function()
      return waiting(name)
    end
  end
end

--- Let a module be interpreted, which calls this first of all: what runs a few times a minute, or makes
--- a few calls of the API once an edit, is not worth what LuaJIT tries with it.
function M.interpreted()
  if jit then
    jit.off(debug.getinfo(2, 'f').func, true)
  end
end

-- What the first answer of an agent may need.
local NEEDED_SOON = 'acp.ask.window'

--- Load that while the answer is waited for.
function M.warm()
  M.warm = function() end
  vim.schedule(function()
    local _ = require(NEEDED_SOON).any
  end)
end

return M
