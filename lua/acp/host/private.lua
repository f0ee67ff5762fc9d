-- Files of ours on the disk: for the user alone, whatever the umask (folders 0700, files 0600). A link
-- that lies in their place is not followed; what belongs to somebody else is left alone.

local uv = vim.uv

local M = {}

local FOLDER, FILE = tonumber('700', 8), tonumber('600', 8)

--- Raises unless it is the user's, and of that type; its mode is that, whatever the umask.
---@param type 'directory'|'file'
local function claim(path, type, mode)
  local status = assert(uv.fs_lstat(path))
  assert(status.type == type, path .. ' is no ' .. type)
  assert(status.uid == uv.getuid(), path .. ' belongs to somebody else')
  if bit.band(status.mode, tonumber('777', 8)) ~= mode then
    assert(uv.fs_chmod(path, mode))
  end
end

--- Have a folder of ours below Neovim's state. Raises.
---@param name? string
function M.folder(name)
  local state = vim.fn.stdpath('state') --[[@as string]]
  local path = vim.fs.joinpath(state, 'acp.nvim')
  vim.fn.mkdir(state, 'p')
  for _, each in ipairs({ path, name and vim.fs.joinpath(path, name) }) do
    uv.fs_mkdir(each, FOLDER)
    claim(each, 'directory', FOLDER)
    path = each
  end
  return path
end

---@param file integer descriptor
local function write(file, text)
  uv.fs_fchmod(file, FILE)
  local count, err = uv.fs_write(file, text)
  uv.fs_close(file)
  assert(count, err)
  assert(count == #text, 'no space left on device') -- the beginning of it is no file
end

--- Write a file as a whole, in place of what is there. Raises, and then that is still there.
---@param path string in a folder of ours
function M.replace(path, text)
  local new = path .. '.new'
  uv.fs_unlink(new)
  local ok, err = pcall(write, assert(uv.fs_open(new, 'wx', FILE)), text)
  if not ok then
    uv.fs_unlink(new)
    error(err, 0)
  end
  assert(uv.fs_rename(new, path))
end

--- Write on at the end of a file. Raises.
---@param path string in a folder of ours
function M.append(path, text)
  local is_there = uv.fs_lstat(path) ~= nil
  if is_there then
    claim(path, 'file', FILE)
  end
  -- a link that leads nowhere is no file, but `x` does not make what it leads to
  write(assert(uv.fs_open(path, is_there and 'a' or 'ax', FILE)), text)
end

--- What a file holds. Raises.
function M.read(path)
  claim(path, 'file', FILE)
  return vim.fn.readfile(path)
end

return M
