-- Live file buffers for the host: what they hold, and edits that keep marks, cursor, folds and undo.
-- It decides nothing: the host says which lines to change and how the bytes are to be, guarded by
-- the changedtick that it has seen. The shapes are in doc/architecture.md, "Host → Lua".

local edit = require('acp.edit')

local api = vim.api

local M = {}

---@class acp.BufferOptions
---@field fileformat string
---@field fileencoding string
---@field bomb boolean
---@field endofline boolean

---@param name string
---@return string name without symlinks; the file itself need not exist
local function resolve(name)
  local real = vim.uv.fs_realpath(name)
  if real then
    return real
  end
  local folder = vim.uv.fs_realpath(vim.fs.dirname(name))
  return folder and vim.fs.joinpath(folder, vim.fs.basename(name)) or name
end

---@return fun(): integer?, string? over loaded buffers of files, with their names
local function files()
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

---@param path string resolved
---@return integer? buffer
local function find(path)
  for buffer, name in files() do
    if name == path then
      return buffer
    end
  end
  for buffer, name in files() do
    if resolve(name) == path then
      return buffer
    end
  end
end

---@param buffer integer
---@param lines string[]
---@return boolean empty whether it stands for zero bytes, not for one line end
local function is_empty(buffer, lines)
  return #lines == 1 and lines[1] == '' and api.nvim_buf_call(buffer, vim.fn.wordcount).bytes == 0
end

--- What a loaded file buffer holds, or nil if none of that resolved path is loaded.
---@param path string
---@return table?
function M.read(path)
  local buffer = find(path)
  if not buffer then
    return nil
  end
  local options = vim.bo[buffer]
  local lines = api.nvim_buf_get_lines(buffer, 0, -1, true)
  return {
    number = buffer,
    changedtick = api.nvim_buf_get_changedtick(buffer),
    lines = lines,
    modified = options.modified,
    modifiable = options.modifiable,
    readonly = options.readonly,
    fileformat = options.fileformat,
    encoding = options.fileencoding,
    bom = options.bomb,
    endofline = options.endofline,
    empty = is_empty(buffer, lines),
  }
end

--- The resolved paths of all loaded file buffers below some resolved folders.
---@param roots string[]
---@return string[]
function M.paths(roots)
  local found = {}
  for _, name in files() do
    local path = resolve(name)
    for _, root in ipairs(roots) do
      if vim.startswith(path, (root:gsub('/$', '')) .. '/') then
        table.insert(found, path)
        break
      end
    end
  end
  return found
end

---@param buffer integer
---@param tick integer
---@return boolean
local function is_fresh(buffer, tick)
  return api.nvim_buf_is_loaded(buffer) and api.nvim_buf_get_changedtick(buffer) == tick
end

--- Save exactly these bytes: no final line end is added, no formatter runs, nobody is asked.
---@param buffer integer
local function save(buffer)
  local before = edit.set(buffer, { fixendofline = false })
  local ok, err = pcall(api.nvim_buf_call, buffer, function()
    vim.cmd('silent noautocmd keepalt lockmarks write!')
  end)
  edit.set(buffer, before)
  if not ok then
    error(err, 0)
  end
end

--- Tell language servers and the like that the file was written.
---@param buffer integer
local function announce(buffer)
  local ok, err = pcall(api.nvim_buf_call, buffer, function()
    api.nvim_exec_autocmds('BufWritePost', { buffer = buffer, modeline = false })
  end)
  if not ok then
    require('acp.notice').notice('BufWritePost: ' .. tostring(err), true)
  end
end

--- Edit and save in one step of undo; stale if the buffer is not as it was at that changedtick.
---@param buffer integer
---@param tick integer
---@param hunks acp.Hunk[]
---@param options acp.BufferOptions
---@return acp.Outcome
function M.write(buffer, tick, hunks, options)
  if not is_fresh(buffer, tick) then
    return { stale = true }
  end
  local outcome = edit.change(buffer, hunks, options, save)
  if outcome.ok then
    announce(buffer)
  end
  return outcome
end

--- Make Neovim take the buffer for written: unmodified, and as new as its file (no W11, no W12, no
--- question at `:w`). Nothing is written: what `BufWriteCmd` handles, Neovim leaves to it.
---@param buffer integer
local function settle(buffer)
  local ignored = vim.o.eventignore
  vim.o.eventignore = ''
  local written = api.nvim_create_autocmd('BufWriteCmd', {
    buffer = buffer,
    callback = function()
      vim.bo[buffer].modified = false
    end,
  })
  local ok, err = pcall(api.nvim_buf_call, buffer, function()
    vim.cmd('silent keepalt lockmarks write!')
  end)
  api.nvim_del_autocmd(written)
  vim.o.eventignore = ignored
  if not ok then
    error(err, 0)
  end
end

--- Edit an unmodified buffer so that it equals its file again, which is not touched.
---@param buffer integer
---@param tick integer
---@param hunks acp.Hunk[]
---@param options acp.BufferOptions
---@return acp.Outcome
function M.follow(buffer, tick, hunks, options)
  if not is_fresh(buffer, tick) or vim.bo[buffer].modified then
    return { stale = true }
  end
  local locks = edit.set(buffer, { modifiable = true, readonly = false })
  local outcome = edit.change(buffer, hunks, options, settle)
  edit.set(buffer, locks)
  return outcome
end

local selections = api.nvim_create_namespace('acp_selection')

--- A selection's lines as they stand now, 1-based and inclusive; its mark is dropped. nil if its
--- buffer or its mark is gone.
---@param buffer integer
---@param mark integer
---@return { first: integer, last: integer, lines: string[] }?
function M.selection(buffer, mark)
  if not api.nvim_buf_is_loaded(buffer) then
    return nil
  end
  local found = api.nvim_buf_get_extmark_by_id(buffer, selections, mark, { details = true })
  if #found == 0 then
    return nil
  end
  api.nvim_buf_del_extmark(buffer, selections, mark)
  local first, last = found[1], found[3].end_row + 1
  return {
    first = first + 1,
    last = last,
    lines = api.nvim_buf_get_lines(buffer, first, last, false),
  }
end

return M
