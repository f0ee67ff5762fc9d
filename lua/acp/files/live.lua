-- Only the editor changes a buffer between two keys, so that marks, cursor, folds and undo stay.
--
-- Live file buffers for the host, which says what to change, guarded by the changedtick that it has
-- seen. The shapes are in doc/messages.md, "Host → Lua".

local deferred = require('acp.files.deferred')
local edit = require('acp.files.edit')
local file_buffers = require('acp.files.buffers')
local hands = require('acp.files.hands')
local save = require('acp.files.save')
local stamps = require('acp.files.stamps')
local unseen = require('acp.ui.unseen')

local api = vim.api

require('acp.host.lazy').interpreted()

local M = {}

---@alias acp.BufferOptions table<'fileformat'|'fileencoding'|'bomb'|'endofline'|'endoffile', any>

--- Let the buffer have what its file has, or had at that stamp.
---@param seen? string
---@return fun(buffer: integer)
local function settle(seen)
  return function(buffer)
    save.settle(buffer)
    stamps.sync(buffer, seen)
  end
end

--- Tell whether the user's write has put an end to the last line, which 'endofline' does not say.
local function was_ended(buffer, path)
  local options, saved = vim.bo[buffer], stamps.saved(path)
  local ends = options.fixendofline and not options.binary
  return ends and saved ~= '' and saved == stamps.synced(buffer)
end

-- What is over comes in portions: reading and sending it at once would hold the editor.
local MOST_LINES = 5000
local MOST_BYTES = 500000

---@param first integer 0-based
---@return integer bytes of these lines
local function size(buffer, first, last)
  return api.nvim_buf_get_offset(buffer, last) - api.nvim_buf_get_offset(buffer, first)
end

-- By buffer, the name that it had when it was read last: `:file` makes it that of another file.
---@type table<integer, string>
local names = {}

--- What a loaded file buffer holds, or nil if none of that resolved path is loaded. Without `lines`
--- and `empty` if the host knows them already: of that buffer, at that changedtick. With `count` in
--- their place if they are too many for one go, unless all are wanted.
---@param known_number? integer
---@param known_tick? integer
---@param whole? boolean
---@return table?
function M.read(path, known_number, known_tick, whole)
  local buffer = file_buffers.find(path)
  if not buffer then
    return nil
  end
  local options, tick = vim.bo[buffer], api.nvim_buf_get_changedtick(buffer)
  local binary = options.binary
  names[buffer] = api.nvim_buf_get_name(buffer)
  local live = {
    number = buffer,
    changedtick = tick,
    modified = options.modified,
    locked = options.readonly and 'read-only' or not options.modifiable and 'not modifiable' or '',
    fileformat = binary and 'unix' or options.fileformat,
    encoding = options.fileencoding,
    bom = options.bomb and not binary,
    endofline = options.endofline or was_ended(buffer, path),
    endoffile = options.endoffile,
    binary = binary,
    saved = stamps.saved(path),
    synced = stamps.synced(buffer),
    written = stamps.written(buffer, path),
    unchanged = not options.modified and stamps.is_synced(buffer),
  }
  local count = api.nvim_buf_line_count(buffer)
  if known_number == buffer and known_tick == tick then
    return live
  elseif not whole and (count > MOST_LINES or size(buffer, 0, count) > MOST_BYTES) then
    live.count = count
  else
    local lines = api.nvim_buf_get_lines(buffer, 0, -1, true)
    live.lines, live.empty = table.concat(lines, '\n'), edit.is_empty(buffer, lines)
  end
  return live
end

--- Lines of a buffer from there on, as many as go at once; nil if it is not as it was.
---@param first integer 0-based, there
---@return string? lines with line feeds in between: a list of them costs the host more to take
function M.lines(buffer, tick, first)
  if not api.nvim_buf_is_loaded(buffer) or api.nvim_buf_get_changedtick(buffer) ~= tick then
    return nil
  end
  local last = math.min(first + MOST_LINES, api.nvim_buf_line_count(buffer))
  while last - first > 1 and size(buffer, first, last) > MOST_BYTES do
    last = first + math.floor((last - first) / 2)
  end
  return table.concat(api.nvim_buf_get_lines(buffer, first, last, true), '\n')
end

--- The stamp of the file whose text came into its buffer before the user wrote it, without the host;
--- '' for none.
function M.merged(path)
  local buffer = file_buffers.find(path)
  return buffer and deferred.merged(buffer) or ''
end

--- The loaded file buffers below some resolved folders, by their resolved paths.
---@param roots string[]
local function below(roots)
  local found = {}
  for buffer, name in file_buffers.all() do
    local path = file_buffers.path(buffer, name)
    for _, root in ipairs(path and roots or {}) do
      if vim.startswith(path, (root:gsub('/$', '')) .. '/') then
        found[path] = name ~= path and found[path] or buffer
        break
      end
    end
  end
  return found
end

--- Of each of these its path, its 'fileencoding', the stamp of the file that it was last in step
--- with ('' if Neovim may have written it since), its number, its changedtick and its 'modified'.
---@param roots string[]
---@return { [1]: string, [2]: string, [3]: string, [4]: integer, [5]: integer, [6]: boolean }[]
function M.survey(roots)
  local found = {}
  for path, buffer in pairs(below(roots)) do
    local synced = stamps.written(buffer, path) and '' or stamps.synced(buffer)
    local options, tick = vim.bo[buffer], api.nvim_buf_get_changedtick(buffer)
    table.insert(found, { path, options.fileencoding, synced, buffer, tick, options.modified })
  end
  return found
end

--- What of the options is to be set: for a buffer with 'binary' the others mean nothing.
---@param options acp.BufferOptions?
local function as_set(buffer, options)
  if not options or options == vim.NIL then
    return {}
  end
  local ends = { endofline = options.endofline, endoffile = options.endoffile }
  return vim.bo[buffer].binary and ends or options
end

--- Why the buffer takes no edit now: it is not as it was, or the user is in the middle of a command.
---@return acp.Outcome?
local function refusal(buffer, tick, hunks)
  local is_same = api.nvim_buf_is_loaded(buffer)
    and api.nvim_buf_get_changedtick(buffer) == tick
    and (not names[buffer] or api.nvim_buf_get_name(buffer) == names[buffer])
  if not is_same then
    return { stale = true }
  end
  local busy = hands.busy(buffer, hunks)
  return busy and { busy = busy }
end

--- The same of an edit by which the buffer has what its file has: it is made at the latest before
--- the user writes the buffer.
---@param options acp.BufferOptions?
---@param seen? string
---@return acp.Outcome?
local function deferral(buffer, tick, hunks, options, seen)
  local refused = refusal(buffer, tick, hunks)
  if refused and refused.busy and (seen or '') ~= '' then
    deferred.defer(buffer, hunks, as_set(buffer, options), seen)
  elseif not refused then
    deferred.over(buffer)
  end
  return refused
end

--- Add what was saved, and what the buffer holds if `BufWritePost` has made it another: a formatter
--- may write either.
local function saved(buffer, outcome)
  outcome.synced = stamps.synced(buffer)
  unseen.quietly(edit.split_undo, buffer) -- what a formatter makes of it is a step of its own
  stamps.quietly(unseen.fire, buffer, 'BufWritePost') -- language servers and the like are told
  local is_there = api.nvim_buf_is_loaded(buffer)
  if is_there and api.nvim_buf_get_changedtick(buffer) ~= outcome.tick then
    stamps.part(buffer)
    local path = file_buffers.resolve(api.nvim_buf_get_name(buffer))
    outcome.live = M.read(path, nil, nil, true)
  end
  return outcome
end

--- Change text and options by that function of `acp.files.edit`, where a failure leaves all as it was.
---@param change fun(buffer: integer, hunks: acp.Hunk[], options: table, settle: function): acp.Outcome
---@param options acp.BufferOptions?
---@param settle_it fun(buffer: integer, modified: boolean)
local function changed(change, buffer, tick, hunks, options, settle_it)
  local outcome = unseen.quietly(change, buffer, hunks, as_set(buffer, options), settle_it)
  if not outcome.ok then
    stamps.restored(buffer, tick)
    outcome.error = require('acp.ui.notice').reason(outcome.error)
  end
  return outcome
end

--- Edit and save in one step of undo; stale if the buffer is not as it was at that changedtick, or its
--- file not as at that stamp; busy with what the user is in the middle of. `made`: the file that the
--- host has made of the text, `held`: that in whose place it goes. `quiet`: without `BufWritePost`.
---@param made? string path; nil: nothing is done, and told whether that is refused now
---@param held? string path
---@param quiet? boolean
---@param seen? string
---@return acp.Outcome
function M.write(buffer, tick, hunks, options, made, held, quiet, seen)
  local refused = refusal(buffer, tick, hunks)
  if refused or not made then
    return refused or { stale = true }
  end
  local written
  local outcome = changed(edit.change, buffer, tick, hunks, options, function()
    written = save.save(buffer, made, held, seen)
  end)
  if outcome.ok then
    stamps.sync(buffer, written)
    return quiet and outcome or saved(buffer, outcome)
  end
  if outcome.error == save.CHANGED then
    return { stale = true }
  end
  local name = api.nvim_buf_get_name(buffer)
  if not outcome.error:find(name, 1, true) then
    outcome.error = ('%s cannot be written: %s'):format(name, outcome.error)
  end
  return outcome
end

--- Edit a buffer so that it equals its file again, which is not touched.
---@param seen? string the stamp of the file whose text it is
---@param modified? boolean whether it was modified, which an option does without another changedtick
---@return acp.Outcome
function M.follow(buffer, tick, hunks, options, seen, modified)
  local refused = deferral(buffer, tick, hunks, options, seen)
  if refused or vim.bo[buffer].modified ~= (modified or false) then
    return refused or { stale = true }
  end
  local outcome = changed(edit.unlocked, buffer, tick, hunks, options, settle(seen))
  if outcome.ok then
    save.keep_undo(buffer)
  end
  return outcome
end

--- Edit and do not save. `settled`: the buffer has what its file has new, of which Neovim then does
--- not warn, and the user's locks do not count.
---@param options acp.BufferOptions? nil: as they are
---@param settled boolean
---@param seen? string the stamp of the file whose text it is
---@return acp.Outcome
function M.edit(buffer, tick, hunks, options, settled, seen)
  local refused = (settled and deferral or refusal)(buffer, tick, hunks, options, seen)
  if refused then
    return refused
  end
  local change = settled and edit.unlocked or edit.change
  return changed(change, buffer, tick, hunks, options, function(_, modified)
    if settled then
      settle(seen)(buffer)
    end
    if settled or not modified then
      api.nvim_set_option_value('modified', true, { buf = buffer })
    end
  end)
end

--- Who else has a file open, as in "another Neovim (process 1234)", or nil.
function M.holder(path)
  local other = file_buffers.otherwise(path)
  if other and vim.bo[other].modified then
    return 'a buffer with unsaved edits that another plugin writes'
  end
  return require('acp.files.swap').holder(path)
end

return M
