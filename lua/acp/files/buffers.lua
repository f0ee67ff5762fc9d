-- Which buffers hold files, and which of them a path means, symlinks resolved.

local api = vim.api

local M = {}

--- The path without symlinks; the file itself need not exist.
---@param name string
---@return string
function M.resolve(name)
  local real = vim.uv.fs_realpath(name)
  if real then
    return real
  end
  local folder = vim.uv.fs_realpath(vim.fs.dirname(name))
  return folder and vim.fs.joinpath(folder, vim.fs.basename(name)) or name
end

---@return fun(): integer?, string? over loaded buffers of files, with their names
function M.all()
  return coroutine.wrap(function()
    for _, buffer in ipairs(api.nvim_list_bufs()) do
      local name = api.nvim_buf_get_name(buffer)
      local loaded = api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].buftype == ''
      if loaded and name ~= '' and not name:match('^%a[%w+.-]+://') then
        coroutine.yield(buffer, name)
      end
    end
  end)
end

--- The loaded buffer of a file.
---@param path string resolved
---@return integer? buffer
function M.find(path)
  for buffer, name in M.all() do
    if name == path then
      return buffer
    end
  end
  for buffer, name in M.all() do
    if M.resolve(name) == path then
      return buffer
    end
  end
end

return M
