-- Extended attributes of files, and with them access lists, for which libuv has no calls: Linux only.
-- Only acp.files.save calls.

local M = {}

-- What the system calls an attribute that is not there, and a file system that has none.
local NONE, NOT_SUPPORTED = 61, 95

local found, ffi = pcall(require, 'ffi')
local is_able = found and vim.uv.os_uname().sysname == 'Linux'
if is_able then
  -- Names of our own: another plugin may have declared the others in its way.
  ffi.cdef([[
    long acp_listxattr(const char *path, char *list, size_t size) __asm__("listxattr");
    long acp_getxattr(const char *path, const char *name, char *value, size_t size)
      __asm__("getxattr");
    int acp_setxattr(const char *path, const char *name, const char *value, size_t size, int flags)
      __asm__("setxattr");
    int acp_removexattr(const char *path, const char *name) __asm__("removexattr");
  ]])
end

---@param call fun(data: any, size: integer): integer
---@return string? data nil: there is none
local function fetched(call)
  local size = tonumber(call(nil, 0))
  local data = size > 0 and ffi.new('char[?]', size) or nil
  local got = data and tonumber(call(data, size)) or size
  if got < 0 then
    assert(ffi.errno() == NONE or ffi.errno() == NOT_SUPPORTED)
    return nil
  end
  return data and ffi.string(data, got) or ''
end

---@param path string
---@return table<string, string>
local function all(path)
  local values = {}
  local names = fetched(function(data, size)
    return ffi.C.acp_listxattr(path, data, size)
  end)
  for name in (names or ''):gmatch('%Z+') do
    values[name] = fetched(function(data, size)
      return ffi.C.acp_getxattr(path, name, data, size)
    end)
  end
  return values
end

---@param from string
---@param to string
local function copy(from, to)
  local wanted, now = all(from), all(to)
  for name in pairs(now) do
    assert(wanted[name] or ffi.C.acp_removexattr(to, name) == 0)
  end
  for name, value in pairs(wanted) do
    assert(value == now[name] or ffi.C.acp_setxattr(to, name, value, #value, 0) == 0)
  end
end

--- Give a file those of another, and no more.
---@param from string
---@param to string
---@return boolean done
function M.copy(from, to)
  return is_able and pcall(copy, from, to)
end

return M
