-- Which project the user is in, and which chats are of it.

local api = vim.api

local M = {}

--- The file that the current window shows.
---@return string path '' if it shows none
function M.file()
  return vim.bo.buftype == '' and api.nvim_buf_get_name(0) or ''
end

--- The project of a file, as the host finds it: the nearest folder with `.git` above the file, else
--- above the working directory, else the working directory.
---@param file string path, '' for none
---@param cwd string
---@return string
function M.root(file, cwd)
  local own = vim.startswith(file, '/') and vim.fs.root(file, '.git')
  return own or vim.fs.root(cwd, '.git') or cwd
end

---@param path string
---@return string path without links, as far as it is there
local function real(path)
  local found = vim.uv.fs_realpath(path)
  if found then
    return found
  end
  local folder = vim.fs.dirname(path)
  return folder == path and path or vim.fs.joinpath(real(folder), vim.fs.basename(path))
end

--- Those of some chats whose folders hold a path; where projects lie in one another, the inner ones.
---@param chats acp.Chat[]
---@param path string
---@return acp.Chat[] in the same order
function M.holding(chats, path)
  local most, found, wanted = 0, {}, real(path) .. '/'
  local more = require('acp.host.options').value('additional_directories')
  for _, chat in ipairs(chats) do
    local depth = 0
    for _, root in ipairs(vim.list_extend({ chat.root }, type(more) == 'table' and more or {})) do
      local folder = real(root):gsub('/*$', '/')
      depth = vim.startswith(wanted, folder) and math.max(depth, #folder) or depth
    end
    if depth > most then
      most, found = depth, {}
    end
    if depth == most and depth > 0 then
      table.insert(found, chat)
    end
  end
  return found
end

return M
