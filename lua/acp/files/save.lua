-- Saves a buffer so that its file changes at once or not at all: the host has made a file beside it, and
-- that takes its place, or with 'backupcopy' is written into it, in the step that changes the buffer.
-- `:write` itself empties the file first, and where no backup can be made (a full disk) it goes on
-- without one. Only acp.files.live calls.

local edit = require('acp.files.edit')
local file_buffers = require('acp.files.buffers')

local api, uv = vim.api, vim.uv

local M = {}

-- Why a file was not written that is another than the one that was seen.
M.CHANGED = 'the file has changed meanwhile'

--- What tells one state of a file from the next; as `files.disk.stamp` in the host.
function M.stamp(path)
  local status = uv.fs_stat(path)
  if not status then
    return ''
  end
  local time = status.mtime
  return ('%d.%09d:%d:%d'):format(time.sec, time.nsec, status.size, status.ino)
end

---@generic T
---@param result T?
---@param err string?
---@return T
local function must(result, err)
  if not result then
    error(err, 0)
  end
  return result
end

---@param status uv.fs_stat.result
local function check_plain(status, path)
  if status.type ~= 'file' then
    error(('%s is not a plain file: it is a %s'):format(path, status.type), 0)
  end
end

--- Run something with an open plain file: a link that has taken its place leads nowhere, and a pipe
--- blocks nobody.
---@param access integer
---@param action fun(file: integer): any
local function with_file(path, access, action)
  local file = must(uv.fs_open(path, bit.bor(access, uv.constants.O_NONBLOCK), 0))
  local ok, result = pcall(function()
    local named, status = must(uv.fs_lstat(path)), must(uv.fs_fstat(file))
    check_plain(named, path)
    if named.ino ~= status.ino or named.dev ~= status.dev then
      error(('%s is another file now'):format(path), 0)
    end
    return action(file)
  end)
  uv.fs_close(file)
  return ok and result or must(nil, not ok and result or nil)
end

--- What the plain file at that path holds. Raises why it cannot be read.
function M.content(path)
  return with_file(path, uv.constants.O_RDONLY, function(file)
    return must(uv.fs_read(file, must(uv.fs_fstat(file)).size, 0))
  end)
end

---@param file integer
local function put(file, data)
  local done = 0
  while done < #data do
    done = done + must(uv.fs_write(file, data:sub(done + 1), done))
  end
  must(uv.fs_ftruncate(file, #data))
  must(uv.fs_fsync(file))
end

--- Write into the file itself; when that fails, what it held is put back.
local function overwrite(path, data)
  local old = M.content(path)
  with_file(path, uv.constants.O_RDWR, function(file)
    local ok, err = pcall(put, file, data)
    if not ok then
      put(file, old)
      error(err, 0)
    end
    return true
  end)
end

--- Whether 'backupcopy' wants the file itself to be written.
---@param buffer? integer nil: of any file
function M.in_place(buffer)
  local own = buffer and vim.bo[buffer].backupcopy or ''
  local copies = own == '' and vim.go.backupcopy or own
  return (',' .. copies .. ','):find(',yes,', 1, true) ~= nil
end

--- Put the made file in the place of the other; into it where that is wanted, or where the other is more
--- than a name, or the made one could not be made beside it.
---@param made string
---@param in_place boolean
local function replace(made, path, in_place)
  local status = uv.fs_lstat(path)
  if not status then
    must(uv.fs_rename(made, path))
    return
  end
  check_plain(status, path)
  local is_beside = vim.fs.dirname(made) == vim.fs.dirname(path)
  local renames = not in_place and is_beside and status.nlink == 1
  if not (renames and uv.fs_rename(made, path)) then
    overwrite(path, M.content(made))
  end
end

--- Make Neovim take the buffer for written: unmodified, and as new as its file (no W11, no W12, no
--- question at `:w`); no undo leads to a state that is taken for saved. Nothing is written: what
--- `BufWriteCmd` handles, Neovim leaves to it.
function M.settle(buffer)
  local ignored = vim.o.eventignore
  vim.o.eventignore = 'OptionSet' -- which would tell of this very option
  local written = api.nvim_create_autocmd('BufWriteCmd', {
    buffer = buffer,
    callback = function()
      vim.bo[buffer].modified = false
    end,
  })
  local ok, err = pcall(api.nvim_buf_call, buffer, function()
    edit.unhindered(api.nvim_command, 'silent keepalt lockmarks write!')
  end)
  api.nvim_del_autocmd(written)
  vim.o.eventignore = ignored
  if not ok then
    error(err, 0)
  end
end

local function bytes(hex)
  return (hex:gsub('%x%x', function(byte)
    return string.char(tonumber(byte, 16))
  end))
end

-- The head of an undo file: its kind and version in 11 bytes, the digest of the lines.
local UNDO_FILE, DIGEST_AT = 'Vim\159UnDo\229', 11
-- SHA-256 of one line with nothing in it
local ONE_LINE = bytes('6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d')

--- Give the undo file of an empty file the digest by which Neovim looks for it, that of no line:
--- `:wundo` has written that of one.
local function of_no_line(name)
  local file = io.open(name, 'r+b')
  local head = file and file:read(DIGEST_AT + #ONE_LINE) or ''
  if file and vim.startswith(head, UNDO_FILE) and head:sub(DIGEST_AT + 1) == ONE_LINE then
    file:seek('set', DIGEST_AT)
    file:write(bytes(vim.fn.sha256('')))
  end
  if file then
    file:close()
  end
end

--- Keep the undo file in step with the text, as `:write` would: it is good for this text only.
function M.keep_undo(buffer)
  if not vim.bo[buffer].undofile then
    return
  end
  pcall(api.nvim_buf_call, buffer, function()
    local name = vim.fn.undofile(api.nvim_buf_get_name(buffer))
    edit.unhindered(function()
      -- without a bang: another file of that name stays
      vim.cmd.wundo({
        name,
        magic = { file = false, bar = false },
        mods = { emsg_silent = true, silent = true, lockmarks = true },
      })
    end)
    if vim.fn.getfsize(api.nvim_buf_get_name(buffer)) == 0 then
      of_no_line(name)
    end
  end)
end

--- Save the buffer as the file that was made of it. Raises why it cannot be, and its own file is then
--- as it was.
---@param made string
---@param held string its own file, by its folder as the host holds it: whatever takes the place of that
---@param seen? string the stamp of what may be replaced; of anything else it is not: `CHANGED`
---@return string stamp of what was written: another program may write at any time
function M.save(buffer, made, held, seen)
  local name = api.nvim_buf_get_name(buffer)
  local path = file_buffers.path(buffer, name)
  if not path then
    error(('%s leads to another file now'):format(name), 0)
  end
  local folder, written = vim.fs.dirname(path), nil
  local ok, err = pcall(function()
    if seen and M.stamp(held) ~= seen then
      error(M.CHANGED, 0)
    end
    replace(made, held, M.in_place(buffer))
    written = M.stamp(held)
  end)
  if not ok and not written then
    local told = tostring(err):gsub(vim.pesc(vim.fs.dirname(held)), function()
      return folder
    end)
    error(told, 0)
  end
  -- It is written, whatever another plugin says to that.
  if not pcall(M.settle, buffer) then
    vim.bo[buffer].modified = false
  end
  M.keep_undo(buffer)
  return written
end

return M
