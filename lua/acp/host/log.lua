-- The log of the Lua side and of the host's stderr: one file, opened for each line, never raises.

local private = require('acp.host.private')

local M = {}

-- Bytes of it, and of one text.
local LIMIT, LONGEST = 1024 * 1024, 256 * 1024

---@return string path of the log file; it need not exist
function M.path()
  return vim.fs.joinpath(vim.fn.stdpath('state') --[[@as string]], 'acp.nvim', 'host.log')
end

--- Keep one old log beside the new one.
local function rotate()
  local stat = vim.uv.fs_lstat(M.path())
  if stat and stat.size > LIMIT then
    vim.uv.fs_rename(M.path(), M.path() .. '.old')
  end
end

--- Append the end of a text as it is. A state folder that cannot be written to costs the log, nothing
--- else.
function M.write(text)
  pcall(function()
    private.folder()
    rotate()
    private.append(M.path(), text:sub(-LONGEST))
  end)
end

--- Remove it.
function M.forget()
  vim.uv.fs_unlink(M.path())
  vim.uv.fs_unlink(M.path() .. '.old')
end

--- Append one line with the time.
function M.line(text)
  M.write(('%s %s\n'):format(os.date('%Y-%m-%d %H:%M:%S'), text))
end

return M
