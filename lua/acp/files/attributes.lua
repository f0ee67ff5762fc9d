-- Extended attributes of files, and with them access lists, for which libuv has no calls: Linux only.
-- Only acp.files.save calls.

local M = {}

-- What the system calls an attribute that is not there, and a file system that has none.
local NONE, NOT_SUPPORTED = 61, 95

---@return table? C
---@return table? ffi
local function library()
  local found, ffi = pcall(require, 'ffi')
  if not found or vim.uv.os_uname().sysname ~= 'Linux' then
    return nil
  end
  -- names of our own: another plugin may have declared the others in its way
  pcall(
    ffi.cdef,
    [[
    long acp_listxattr(const char *path, char *list, size_t size) __asm__("listxattr");
    long acp_getxattr(const char *path, const char *name, char *value, size_t size)
      __asm__("getxattr");
    int acp_setxattr(const char *path, const char *name, const char *value, size_t size, int flags)
      __asm__("setxattr");
    int acp_removexattr(const char *path, const char *name) __asm__("removexattr");
  ]]
  )
  return ffi.C, ffi
end

---@param ffi table
---@param call fun(data: any, size: integer): integer
---@return string? data nil: there is none
local function fetched(ffi, call)
  local size = tonumber(call(nil, 0))
  local data = size > 0 and ffi.new('char[?]', size) or nil
  local got = data and tonumber(call(data, size)) or size
  if got < 0 then
    assert(ffi.errno() == NONE or ffi.errno() == NOT_SUPPORTED)
    return nil
  end
  return data and ffi.string(data, got) or ''
end

---@param C table
---@param ffi table
---@param path string
---@return table<string, string>
local function all(C, ffi, path)
  local found = {}
  local names = fetched(ffi, function(data, size)
    return C.acp_listxattr(path, data, size)
  end)
  for name in (names or ''):gmatch('%Z+') do
    found[name] = fetched(ffi, function(data, size)
      return C.acp_getxattr(path, name, data, size)
    end)
  end
  return found
end

--- Give a file those of another, and no more.
---@param from string
---@param to string
---@return boolean done
function M.copy(from, to)
  return (pcall(function()
    local C, ffi = library()
    assert(C and ffi)
    local wanted, now = all(C, ffi, from), all(C, ffi, to)
    for name in pairs(now) do
      assert(wanted[name] or C.acp_removexattr(to, name) == 0)
    end
    for name, value in pairs(wanted) do
      assert(value == now[name] or C.acp_setxattr(to, name, value, #value, 0) == 0)
    end
  end))
end

return M
