-- Swap files: who else has a file open.

local uv = vim.uv

local M = {}

---@return fun(): string? over the swap files that there are of that file
local function swaps(path)
  local name = vim.fs.basename(path)
  return coroutine.wrap(function()
    for _, folder in ipairs(vim.split(vim.o.directory, ',')) do
      local swap = vim.fs.joinpath(vim.fs.normalize(folder), name)
      if vim.endswith(folder, '//') then
        swap = vim.fs.joinpath(vim.fs.normalize(folder), (path:gsub('/', '%%')))
      elseif folder == '.' then
        swap = vim.fs.joinpath(vim.fs.dirname(path), '.' .. name)
      end
      -- Neovim goes from .swp down to .swa when names are taken.
      for last = ('p'):byte(), ('a'):byte(), -1 do
        local found = swap .. '.sw' .. string.char(last)
        if uv.fs_stat(found) then
          coroutine.yield(found)
        end
      end
    end
  end)
end

---@return boolean whether another Neovim, or one that crashed, has the file open
function M.exists(path)
  return swaps(path)() ~= nil
end

--- Who else has the file open: another process that lives, on this machine.
---@return string? as in "another Neovim (process 1234)"
function M.holder(path)
  for swap in swaps(path) do
    local info = vim.fn.swapinfo(swap)
    local pid = tonumber(info.pid) or 0
    local is_here = not info.error and (info.host or ''):sub(1, 8) == uv.os_gethostname():sub(1, 8)
    local is_other = pid > 0 and pid ~= uv.os_getpid()
    if is_here and is_other and uv.kill(pid, 0) == 0 then
      return ('another Neovim (process %d)'):format(pid)
    end
  end
end

return M
