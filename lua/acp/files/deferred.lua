-- Edits that wait for the end of the user's command, and what the disk has new that was not followed
-- yet: both come into the buffer before Neovim writes it, so that it has nothing to ask and neither
-- text is lost. What waits is known here, and needs no host.

local edit = require('acp.files.edit')
local events = require('acp.ui.events')
local file_buffers = require('acp.files.buffers')
local hands = require('acp.files.hands')
local save = require('acp.files.save')
local stamps = require('acp.files.stamps')
local unseen = require('acp.ui.unseen')

local api = vim.api

local M = {}

-- Milliseconds that the user's write waits for the host to follow what the disk has new.
local PATIENCE = 500

--- By buffer what is to be changed where, with which options, and the stamp of the file whose text it has then.
---@type table<integer, { parts: table[], options: table<string, any>, seen: string }>
local waiting = events.by_buffer()
---@type table<integer, string> by buffer: the stamp of the file whose text came in without the host
local merged = events.by_buffer()
local space = api.nvim_create_namespace('acp_deferred')

--- Nothing waits for that buffer any more.
function M.over(buffer)
  if waiting[buffer] then
    api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  end
  waiting[buffer], merged[buffer] = nil, nil
end

--- Remember an edit that must wait. Its places move with the text.
---@param seen string
function M.defer(buffer, hunks, options, seen)
  M.over(buffer)
  local parts = {}
  for index, hunk in ipairs(hunks) do
    local first, last, lines = unpack(hunk)
    local place = { end_row = last, end_col = 0, end_right_gravity = false, undo_restore = false }
    local mark = api.nvim_buf_set_extmark(buffer, space, first, 0, place)
    local old = api.nvim_buf_get_lines(buffer, first, last, true)
    parts[index] = { mark = mark, old = old, new = lines }
  end
  waiting[buffer] = { parts = parts, options = options, seen = seen }
end

--- The stamp of the file whose text has come into the buffer here; '' if none has.
function M.merged(buffer)
  return merged[buffer] or ''
end

--- The hunks where they are by now; nil if the user has changed one of their places.
---@param parts { mark: integer, old: string[], new: string[] }[]
local function placed(buffer, parts)
  local hunks, done = {}, 0
  for index, part in ipairs(parts) do
    local mark = api.nvim_buf_get_extmark_by_id(buffer, space, part.mark, { details = true })
    local first, last = mark[1], math.max(mark[1], mark[3].end_row)
    local now = api.nvim_buf_get_lines(buffer, first, last, false)
    if first < done or not vim.deep_equal(now, part.old) then
      return nil
    end
    hunks[index], done = { first, last, part.new }, last
  end
  return hunks
end

--- Make the edit that waits now, unless the user has changed its places, or the disk has gone on.
local function apply(buffer, path)
  local it = waiting[buffer]
  local hunks = it and save.stamp(path) == it.seen and placed(buffer, it.parts)
  if not hunks then
    return false
  end
  local outcome = edit.unlocked(buffer, hunks, it.options, function(_, modified)
    save.settle(buffer)
    stamps.sync(buffer, it.seen)
    vim.bo[buffer].modified = modified
  end)
  if outcome.ok then
    M.over(buffer)
    merged[buffer] = it.seen
  end
  return outcome.ok or false
end

--- Let the host follow the disk now; how long the user waits for it is bounded.
local function follow(buffer, path)
  local bridge = package.loaded['acp.host.bridge']
  local is_done = false
  local function done()
    is_done = true
  end
  if not (bridge and bridge.tell_running('writes', { path = path }, done)) then
    return
  end
  hands.lend(buffer, function()
    vim.wait(PATIENCE, function()
      return is_done
    end, 2)
  end)
end

--- Bring into the buffer what waits for it, and what its file has new.
local function catch_up(buffer)
  local path = file_buffers.path(buffer, api.nvim_buf_get_name(buffer))
  local synced, tick = stamps.synced(buffer), api.nvim_buf_get_changedtick(buffer)
  if not path or vim.fn.state('o') ~= '' or synced == '' then
    return false
  end
  local now = save.stamp(path)
  if now ~= '' and now ~= synced and now ~= stamps.saved(path) and not apply(buffer, path) then
    follow(buffer, path)
  end
  return api.nvim_buf_get_changedtick(buffer) ~= tick
end

--- Bring it there amid what the user does in whatever mode.
local function come_first(buffer)
  if catch_up(buffer) and api.nvim_get_mode().mode:sub(1, 1) == 'i' then
    -- Neovim knows by number the line where the insert began: let it begin here
    api.nvim_feedkeys(vim.keycode('<C-g>u'), 'in', false)
  end
end

local on = events.group('acp_deferred')

-- Nested: Neovim is told that the file is as it was by a |BufWriteCmd|.
on('BufWritePre', 'What agents have made of the file comes first', function(event)
  if file_buffers.resolve(event.match) == file_buffers.file(event.buf) then
    come_first(event.buf)
  end
end, { nested = true })

--- Whether somebody else has a handler for what happens to this buffer, which chooses then.
local function is_chosen_by_others(event)
  return vim.iter(api.nvim_get_autocmds({ event = event.event })):any(function(it)
    if it.group == event.group or it.buflocal then
      return it.group ~= event.group and it.buffer == event.buf
    end
    local name = it.pattern:find('/', 1, true) and event.file or vim.fs.basename(event.file)
    return vim.regex(vim.fn.glob2regpat(it.pattern)):match_str(name) ~= nil
  end)
end

-- Neovim finds before the host that the file has changed, as where the user goes to a hidden buffer,
-- or comes back to Neovim, while a command of an agent runs. What other handlers choose counts.
on('FileChangedShell', 'What agents have made of the file comes in unasked', function(event)
  local path = file_buffers.file(event.buf)
  if is_chosen_by_others(event) then
    return
  end
  vim.v.fcs_choice = 'ask'
  if path and vim.v.fcs_reason:find('^c') then -- changed, or in conflict with the buffer
    come_first(event.buf)
    vim.v.fcs_choice = stamps.synced(event.buf) == save.stamp(path) and '' or 'ask'
  end
end, { nested = true })

-- Plugins that save then may do so without events.
on('InsertLeavePre', 'What agents have made of the file meanwhile', function(event)
  if waiting[event.buf] then
    unseen.leaving(catch_up, event.buf)
  end
end, { nested = true })

return M
