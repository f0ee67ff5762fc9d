-- Which project the user is in, and which chats are of it.

local buffers = require('acp.files.buffers')

local api = vim.api

local M = {}

---@return string? its first lines, nil if it is not a file
local function head(path)
  local stat = vim.uv.fs_stat(path)
  local ok, lines = pcall(vim.fn.readfile, path, '', 100)
  return stat and stat.type == 'file' and ok and table.concat(lines, '\n') or nil
end

---@param path string absolute, or relative to the folder
local function below(folder, path)
  return vim.fs.normalize(vim.startswith(path, '/') and path or vim.fs.joinpath(folder, path))
end

--- The work tree of a git folder that lies in another one, as those of worktrees and submodules do.
--- Both must name each other.
---@return string?
local function work_tree(folder)
  local link = head(folder .. '/gitdir')
  local config = not link and head(folder .. '/config') or ''
  local named = link and vim.fs.dirname(below(folder, vim.trim(link)))
  named = named or below(folder, vim.trim(config:match('\n%s*worktree%s*=([^\n]+)') or '/'))
  local back = (head(named .. '/.git') or ''):match('^gitdir: ([^\n]+)')
  local real = vim.uv.fs_realpath
  return back and real(below(named, back)) == real(folder) and named or nil
end

--- Where a file belongs: one in a git folder, as the message of a commit, to the work tree of that.
---@return string path
function M.place(path)
  if not (path:find('/worktrees/', 1, true) or path:find('/modules/', 1, true)) then
    return path
  end
  for folder in vim.fs.parents(path) do
    if vim.uv.fs_stat(folder .. '/HEAD') then
      local tree = work_tree(folder)
      return tree and vim.fs.joinpath(tree, vim.fs.basename(path)) or path
    end
  end
  return path
end

--- The file that the current window shows; one in a git folder as if it were in the work tree.
---@return string path '' if it shows none
function M.file()
  return vim.bo.buftype == '' and M.place(api.nvim_buf_get_name(0)) or ''
end

--- The project of a file, as the host finds it: the nearest folder with `.git` above the file, else
--- above the working directory, else the working directory.
---@param file string path, '' for none
function M.root(file, cwd)
  local own = vim.startswith(file, '/') and vim.fs.root(file, '.git')
  return own or vim.fs.root(cwd, '.git') or cwd
end

--- Those of some chats whose folders hold a path; where projects lie in one another, the inner ones.
---@return acp.Chat[] in the same order
function M.holding(chats, path)
  local most, found, wanted = 0, {}, buffers.resolve(path) .. '/'
  local more = require('acp.host.options').value('additional_directories')
  for _, chat in ipairs(chats) do
    local depth = 0
    for _, root in ipairs(vim.list_extend({ chat.root }, type(more) == 'table' and more or {})) do
      local folder = buffers.resolve(root):gsub('/*$', '/')
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
