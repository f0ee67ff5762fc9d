-- What the editor has written is the user's: which state of a file that was, from whatever buffer, and
-- when a buffer and its file were last in step. Our own writes are not the user's. Of a write no event may
-- have told: the undo tree knows what was written. A stamp is that of `acp.files.save`, '' for none.

local coding = require('acp.files.coding')
local edit = require('acp.files.edit')
local events = require('acp.ui.events')
local file_buffers = require('acp.files.buffers')
local foreign = require('acp.files.foreign')
local save = require('acp.files.save')
local unseen = require('acp.ui.unseen')

local api = vim.api

local M = {}

-- So many files are remembered that the user has written: what `:argdo` writes, the host sees later.
local MOST = 100000
-- Bytes of files that are compared with their buffers: the user waits for it.
local MOST_BYTES = 2 ^ 21

---@type table<string, string> by resolved path: the buffer may be gone
local saved = {}
---@type string[] the paths of `saved`, the oldest first
local order = {}
---@type table<integer, string> by buffer
local synced = events.by_buffer()
---@type table<integer, {tick: integer, state: integer}> by buffer: which text was in step
local texts = events.by_buffer()
---@type table<integer, integer> by buffer: how often it was written, as far as was seen
local writes = events.by_buffer()
---@type table<string, string> by resolved path: the file before Neovim writes it
local before = {}
local is_quiet = false

---@type table<integer, { count: integer, lines: string[]? }> by buffer: what was found last
local last_written = events.by_buffer()

--- The change after which the buffer was written last; 0: before all changes.
---@param tree vim.fn.undotree.ret
---@return integer? number nil if the tree does not go back so far
local function change_of(tree)
  local state, is_whole
  local function walk(entries)
    for _, entry in ipairs(entries) do
      state = entry.save == tree.save_last and entry.seq or state
      is_whole = is_whole or entry.seq == 1
      walk(entry.alt or {})
    end
  end
  walk(tree.entries)
  return state or is_whole and 0 or nil
end

--- A command with a file, whatever is in its name.
---@param command fun(opts: table)
local function with_file(command, path)
  local magic, mods = { file = false, bar = false }, { silent = true }
  edit.unhindered(command, { path, bang = true, magic = magic, mods = mods })
end

--- The lines after another change of the same tree, made in a buffer of their own: the user's stays
--- as it is.
---@param state integer
local function lines_at(buffer, state)
  local path, other = vim.fn.tempname(), unseen.buffer()
  local lines
  local ok, err = pcall(function()
    api.nvim_buf_call(buffer, function()
      with_file(vim.cmd.wundo, path)
    end)
    vim.bo[other].undolevels = 1000
    vim.bo[other].fileformat = vim.bo[buffer].fileformat
    api.nvim_buf_set_lines(other, 0, -1, true, api.nvim_buf_get_lines(buffer, 0, -1, true))
    api.nvim_buf_call(other, function()
      with_file(function(opts)
        opts.bang = nil
        vim.cmd.rundo(opts)
      end, path)
      vim.cmd(('silent undo %d'):format(state))
    end)
    lines = api.nvim_buf_get_lines(other, 0, -1, true)
  end)
  vim.uv.fs_unlink(path)
  api.nvim_buf_delete(other, { force = true })
  return ok and lines or error(err, 0)
end

--- What the modified buffer held when it was written for the last time; nil: it is not known.
---@param times integer how often it was written
local function lines_written(buffer, times)
  local last = last_written[buffer]
  if last and last.count == times then
    return last.lines
  end
  local state = change_of(api.nvim_buf_call(buffer, vim.fn.undotree))
  local lines
  if state then
    local ok, result = pcall(unseen.quietly, lines_at, buffer, state)
    lines = ok and result or nil
  end
  last_written[buffer] = { count = times, lines = lines }
  return lines
end

---@return string path resolved
local function file_of(buffer)
  return file_buffers.resolve(api.nvim_buf_get_name(buffer))
end

--- How often Neovim has written the buffer to its file, with or without events; a write to another
--- file does not count.
local function count(buffer)
  return api.nvim_buf_call(buffer, function()
    return api.nvim_eval('undotree().save_last') -- Lua would be given each entry of the tree, too
  end)
end

--- Let the host, if it runs, look at once: what agents do from now on is not what was there before.
---@param verb 'met'|'ran'
---@param payload? { path: string, saved?: string } `saved`: as the user has just written it
local function tell(verb, payload)
  local bridge = package.loaded['acp.host.bridge']
  if bridge then
    bridge.tell_running(verb, payload)
  end
end

--- Take note that the user has written a file.
local function note(path)
  if not saved[path] then
    table.insert(order, path)
    if #order > MOST then
      saved[table.remove(order, 1)] = nil
    end
  end
  saved[path] = save.stamp(path)
  if saved[path] ~= '' then -- else it was no backup after all
    tell('met', { path = path, saved = saved[path] })
  end
end

--- The file as the user has last written it from its buffer, since we look.
function M.saved(path)
  if saved[path] and save.stamp(path) == '' then
    saved[path] = '' -- it is gone: another write than this one will have made it anew
  end
  return saved[path] or ''
end

--- The file that the buffer has last been in step with.
function M.synced(buffer)
  return synced[buffer] or ''
end

--- Take note that all writes of the buffer until now are known.
local function see(buffer)
  writes[buffer] = count(buffer)
  last_written[buffer] = nil
end

---@return integer number of the change in the undo tree whose text the buffer has
local function state(buffer)
  return api.nvim_buf_call(buffer, vim.fn.changenr)
end

--- Take note that the buffer has what its file has, or had at that stamp.
---@param seen? string nil or '': as it is now
function M.sync(buffer, seen)
  file_buffers.settle(buffer)
  synced[buffer] = (seen or '') ~= '' and seen or save.stamp(file_of(buffer))
  texts[buffer] = { tick = api.nvim_buf_get_changedtick(buffer), state = state(buffer) }
  see(buffer) -- our own counts, too, where Neovim takes the buffer for written
end

--- What Neovim has written to the buffer's file since both were last seen in step, of which no event
--- has told: by `:noautocmd write`, or in an autocommand that is not nested. Another program may have
--- written after it. Of a modified buffer also what an event has told of: nobody may have looked at
--- the file before that other program came.
---@param path string resolved, of its file
---@return string[]? lines none: they are not known; nil: Neovim has not
function M.written(buffer, path)
  local now = save.stamp(path)
  if now == '' or now == synced[buffer] or now == saved[path] then
    return nil
  end
  local times, is_modified = count(buffer), vim.bo[buffer].modified
  local is_told = times <= (writes[buffer] or 0)
  local is_last = saved[path] and saved[path] == synced[buffer]
  if is_told and not (is_modified and is_last) then
    return nil
  end
  local lines = is_modified and lines_written(buffer, times)
  return lines or not is_told and {} or nil
end

--- Whether the buffer has the very text that was in step. That it is not modified does not tell:
--- after what `BufWritePost` has made of it, Neovim says so, too.
function M.is_synced(buffer)
  local text, tick = texts[buffer], api.nvim_buf_get_changedtick(buffer)
  if text and text.tick ~= tick and state(buffer) == text.state then
    text.tick = tick -- the user has undone what came after
  end
  return text ~= nil and text.tick == tick
end

--- Take note that the buffer has the text again that it had at that changedtick: an edit has failed.
function M.restored(buffer, tick)
  local text = texts[buffer]
  if text and text.tick == tick then
    text.tick, text.state = api.nvim_buf_get_changedtick(buffer), state(buffer)
  end
end

--- Let the text that was in step be another than the one that the buffer has now.
function M.part(buffer)
  local text = texts[buffer]
  if text and api.nvim_buf_get_changedtick(buffer) ~= text.tick then
    texts[buffer] = nil
  end
end

--- Do something that is not the user's.
function M.quietly(action, ...)
  is_quiet = true
  action(...)
  is_quiet = false
end

--- Whether that is what happens now.
function M.is_quiet()
  return is_quiet
end

--- Find out whether the buffer shows another text than its file holds, when other plugins are done.
local function compare_later(buffer)
  vim.schedule(function()
    if not api.nvim_buf_is_loaded(buffer) or vim.bo[buffer].modified then
      return
    end
    local path = file_of(buffer)
    if synced[buffer] == save.stamp(path) then
      foreign.compare(buffer, path)
    end
  end)
end

local on = events.group('acp_stamps')

--- The backups that Neovim may have made of a file that it has written.
local function backups(path)
  local name, beside = vim.fs.basename(path), vim.fs.dirname(path)
  local found = { vim.o.patchmode ~= '' and path .. vim.o.patchmode or nil }
  for _, folder in ipairs(vim.o.backup and vim.opt.backupdir:get() or {}) do
    local is_beside = folder == '.' or vim.startswith(folder, './')
    local base = vim.endswith(folder, '//') and path:gsub('/', '%%') or name
    folder = is_beside and vim.fs.joinpath(beside, folder) or folder
    table.insert(found, vim.fs.normalize(vim.fs.joinpath(folder, base .. vim.o.backupext)))
  end
  return found
end

on('SessionWritePost', 'The user has written a session', function()
  note(file_buffers.resolve(vim.v.this_session))
end)

on({ 'ShellCmdPost', 'ShellFilterPost', 'TermClose' }, 'The user has run a program', function()
  tell('ran')
end)

-- Later Neovims may have another event for it; then such a write is seen when the host looks.
local modified = vim.fn.exists('##BufModifiedSet') == 1 and { 'BufModifiedSet' } or {}
table.insert(modified, 'BufUnload')

--- Whether a buffer has what its file has, which somebody may have changed since Neovim has read or
--- written it. Where that cannot be told Neovim's word counts: it is not modified.
---@param most integer bytes of a file that is read for it
---@return integer bytes that were read
local function is_as_file(buffer, most)
  local path = file_of(buffer)
  local status = vim.uv.fs_stat(path)
  if not status or status.type ~= 'file' or status.size > most then
    return true, 0
  end
  local can_read, content = pcall(save.content, path)
  local text, line_end = coding.bytes(buffer), coding.line_end(buffer)
  local is_empty = content == '' and text == line_end
  -- 'fixendofline' puts an end below the last line as Neovim writes it
  local is_same = text == nil or text == content or text .. line_end == content
  return not can_read or is_same or is_empty, status.size
end

--- Whether nothing was written though the event says so: who answers `n` when Neovim asks whether to
--- write leaves the file to others, who may have changed it meanwhile.
local function is_refused(event, path)
  local buffer = event.buf
  return event.event == 'BufWritePost'
    and path == file_of(buffer)
    and count(buffer) == writes[buffer]
    and not foreign.is_one(buffer)
    and not is_as_file(buffer, MOST_BYTES)
end

on({ 'BufWritePre', 'FileWritePre', 'FileAppendPre' }, 'The file before the user', function(event)
  local path = file_buffers.resolve(event.match)
  before[path] = save.stamp(path)
end)

on({ 'BufWritePost', 'FileWritePost', 'FileAppendPost' }, 'The user has written', function(event)
  local path = file_buffers.resolve(event.match)
  local was = before[path]
  before[path] = nil
  if is_quiet or was == save.stamp(path) or is_refused(event, path) then
    return
  end
  if event.event == 'BufWritePost' and path == file_of(event.buf) then
    M.sync(event.buf)
    compare_later(event.buf)
  end
  note(path)
  for _, backup in ipairs(backups(path)) do
    note(file_buffers.resolve(backup))
  end
end)

--- Take note of a write that no event has told of, if there was one.
local function look_for_write(buffer)
  local path = file_buffers.file(buffer)
  if not path or vim.bo[buffer].modified or not M.written(buffer, path) then
    return
  end
  -- else another has written it since: the host finds out
  if foreign.is_one(buffer) or is_as_file(buffer, MOST_BYTES) then
    M.sync(buffer)
    note(path)
  end
end

on(modified, 'Perhaps a write that no event has told of', function(event)
  look_for_write(event.buf)
end)

-- No event tells of what `BufWriteCmd` does, nor that 'modified' is off by that. This one comes in each
-- frame of a chat: it is for such buffers only.
foreign.watch(function(buffer)
  api.nvim_clear_autocmds({ group = 'acp_stamps', event = 'SafeState', buffer = buffer })
  on('SafeState', 'Perhaps a write of another plugin', function()
    if foreign.is_one(buffer) then
      look_for_write(buffer)
    end
  end, { buffer = buffer })
end)

on('BufReadPost', 'A buffer has what its file has', function(event)
  M.sync(event.buf)
  compare_later(event.buf)
  tell('met', { path = file_of(event.buf) })
end)

-- The user waits for all of them together.
local room = MOST_BYTES
for buffer in file_buffers.all() do
  foreign.compare(buffer, file_of(buffer))
  see(buffer)
  if not vim.bo[buffer].modified then
    local is_same, read = is_as_file(buffer, room)
    room = room - read
    if is_same then
      M.sync(buffer)
    end
  end
end

return M
