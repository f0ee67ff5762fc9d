-- Only the editor moves marks along with what the user types, and knows which lines a key means.
--
-- The marks of a review: what agents have changed in the buffers of files. The host says what to draw;
-- here it is drawn, goes along with what the user types, and the host is told when to draw anew.

local bridge = require('acp.host.bridge')
local buffers = require('acp.files.buffers')
local compare = require('acp.ui.compare')
local events = require('acp.ui.events')
local hunks = require('acp.review.hunks')
local keys = require('acp.review.keys')
local lists = require('acp.review.lists')
local notice = require('acp.ui.notice')
local removed_lines = require('acp.review.removed_lines')

local api = vim.api

local M = {}

local PAUSE_MS = 200
-- To read a longer buffer while the user types would be felt.
local LONG = 20000
-- Marks that are put at once: some 5 ms.
local PORTION = 2000
local REST = (' '):rep(1000)

-- The colour of lines that are asked for, and of no others that are virtual; that of their signs.
local ASKED = 'AcpReviewAdd'
local ASKED_SIGN = 'AcpWinbarAsk'
local ASKED_GONE = 'AcpReviewDelete' -- of lines; those that are gone already are virtual
-- Virtual lines that come by themselves, while the user looks at something else.
local CALM = { [ASKED] = true, [ASKED_SIGN] = true, AcpReviewConflict = true }

local namespace = api.nvim_create_namespace('acp_review')

---@alias acp.ReviewMark table see doc/messages.md, "Host → Lua"

---@class acp.Reviewed
---@field path string resolved
---@field tick integer the changedtick that it was drawn for
---@field look? table by which its virtual lines were broken, and its notes
---@field marks? acp.ReviewMark[] all of them, if some are of what is asked

---@type table<integer, acp.Reviewed> by buffer
local reviewed = {}
---@type table<integer, true> by buffer: its changes are looked at
local attached = {}
---@type table<integer, table> by buffer: the last call of `tell_later`, which is due
local due = {}
-- Whether all of the review is shown.
local is_on = false

local function tick_of(buffer)
  return api.nvim_buf_get_changedtick(buffer)
end

---@param drawn acp.Reviewed
local function is_right(buffer, drawn)
  local fits = not drawn.look or vim.deep_equal(drawn.look, removed_lines.look(buffer))
  return fits and drawn.tick == tick_of(buffer)
end

--- Take all marks from a buffer: of its file nobody knows a hunk.
local function clear(buffer)
  due[buffer], reviewed[buffer] = nil, nil
  if api.nvim_buf_is_loaded(buffer) then
    api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
    hunks.put(buffer, {})
    keys.set(buffer, false)
  end
  removed_lines.set_above(buffer, 0)
end

--- Tell the host, if what is drawn is not what there is.
local function tell(buffer)
  due[buffer] = nil
  local is_loaded = api.nvim_buf_is_loaded(buffer)
  local drawn = reviewed[buffer]
  local path = is_loaded and (drawn and drawn.path or hunks.path_of(buffer))
  if path and not (drawn and is_right(buffer, drawn)) then
    bridge.tell_running('edited', { path = path })
  end
end

--- Once, for the last such call.
---@param milliseconds integer after that
local function tell_later(buffer, milliseconds)
  local this = {}
  due[buffer] = this
  vim.defer_fn(function()
    if due[buffer] == this then
      tell(buffer)
    end
  end, milliseconds)
end

--- Look at the changes of a buffer as long as it has marks.
local function attach(buffer)
  if attached[buffer] then
    return
  end
  attached[buffer] = true
  api.nvim_buf_attach(buffer, false, {
    on_lines = function()
      if not reviewed[buffer] then
        attached[buffer] = nil
        return true
      end
      if api.nvim_buf_line_count(buffer) <= LONG then
        tell_later(buffer, PAUSE_MS)
      end
    end,
    on_reload = function()
      tell_later(buffer, 0)
    end,
    on_detach = function()
      attached[buffer], reviewed[buffer], due[buffer] = nil, nil, nil
      vim.schedule(function()
        if not reviewed[buffer] then
          removed_lines.set_above(buffer, 0)
        end
      end)
    end,
  })
end

--- Files that are opened later are drawn then; what is broken at the edge of a window goes along
--- with it.
local function watch()
  local on, desc = events.group('acp.review'), 'The marks of a review stay right'
  on({ 'BufReadPost', 'BufNewFile', 'BufWinEnter' }, desc, function(event)
    tell_later(event.buf, 0)
  end)
  on('BufFilePost', 'The hunks of a file stay with its name', function(event)
    local drawn = reviewed[event.buf]
    if drawn and drawn.path ~= hunks.path_of(event.buf) then
      clear(event.buf)
      bridge.tell_running('edited', { path = drawn.path })
    end
    tell_later(event.buf, 0)
  end)
  on({ 'BufWritePost', 'InsertLeave' }, desc, function(event)
    if reviewed[event.buf] and api.nvim_buf_line_count(event.buf) > LONG then
      tell_later(event.buf, 0)
    end
  end)
  on('WinResized', desc, function()
    for _, window in ipairs(vim.v.event.windows) do
      local buffer = api.nvim_win_is_valid(window) and api.nvim_win_get_buf(window)
      if buffer and reviewed[buffer] and reviewed[buffer].look then
        tell_later(buffer, PAUSE_MS)
      end
    end
  end)
end

---@return boolean whether it shows what is asked
local function is_asked(mark)
  local options = mark[3]
  local words = options.virt_text or (options.virt_lines or {})[1] or {}
  local look = options.sign_hl_group or options.hl_group or (words[1] or {})[2]
  return look == ASKED_SIGN or look == ASKED or look == ASKED_GONE
end

--- Words for which there is no room behind their line stand above it: none of them is cut.
---@param room? integer cells of the narrowest window
local function whole(buffer, mark, room)
  local row, _, options, _, above = unpack(mark, 1, 5)
  if not above or not room then
    return options
  end
  local used = vim.fn.virtcol({ row + 1, '$' }, false, vim.fn.win_findbuf(buffer)[1]) - 1
  if used + api.nvim_strwidth(vim.trim(options.virt_text[1][1])) + 2 <= room then
    return options
  end
  return { virt_lines = above, virt_lines_above = true }
end

--- The colour of a virtual line goes on to the edge of the window.
---@param line { [1]: string, [2]: string }[]
local function to_edge(line)
  return vim.list_extend(vim.list_slice(line), { { REST, line[#line][2] } })
end

---@return integer above how many lines above the first one
local function put_marks(buffer, marks)
  local above, room = 0, removed_lines.width(buffer, true)
  for _, mark in ipairs(marks) do
    local row, column, _, rows = unpack(mark)
    local options = vim.tbl_extend('force', whole(buffer, mark, room), { strict = false })
    if options.virt_lines then
      options.virt_lines = vim.tbl_map(to_edge, options.virt_lines)
      options.virt_lines_overflow = vim.fn.has('nvim-0.11') == 1 and 'scroll' or nil
      above = above + (row == 0 and options.virt_lines_above and #options.virt_lines or 0)
    end
    for offset = 0, rows - 1 do
      api.nvim_buf_set_extmark(buffer, namespace, row + offset, column, options)
    end
  end
  return above
end

--- What is asked comes by itself: where its lines would push the cursor of a window out of sight, so
--- that the window would scroll, those above the cursor are left out.
local function spare_views(buffer)
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    local info = vim.fn.getwininfo(window)[1]
    local rows = { start_row = info.topline - 1, end_row = api.nvim_win_get_cursor(window)[1] - 1 }
    local is_seen = rows.start_row <= rows.end_row
    if is_seen and api.nvim_win_text_height(window, rows).all > info.height then
      local first, last = { rows.start_row, 0 }, { rows.end_row, -1 }
      local options = { details = true, type = 'virt_lines' }
      for _, mark in ipairs(api.nvim_buf_get_extmarks(buffer, namespace, first, last, options)) do
        if CALM[mark[4].virt_lines[1][1][2]] then
          api.nvim_buf_del_extmark(buffer, namespace, mark[1])
        end
      end
    end
  end
end

--- Put marks from there on, a portion after the other: all at once would hold the editor.
---@param drawn acp.Reviewed
local function put_from(buffer, marks, drawn, first)
  local portion = vim.list_slice(marks, first, first + PORTION - 1)
  local above = put_marks(buffer, portion)
  if first == 1 then
    removed_lines.set_above(buffer, above)
  end
  spare_views(buffer)
  if first + PORTION > #marks then
    return
  end
  vim.schedule(function()
    if reviewed[buffer] ~= drawn then
      return
    elseif drawn.tick ~= tick_of(buffer) then
      return tell_later(buffer, 0)
    end
    put_from(buffer, marks, drawn, first + PORTION)
  end)
end

--- Put these marks in place of all that a buffer has; beside what is asked that is not in it, too.
---@param drawn acp.Reviewed
local function put_all(buffer, marks, drawn)
  api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  if compare.has(buffer) then
    marks = vim.tbl_filter(function(mark)
      return not is_asked(mark)
    end, marks)
  end
  put_from(buffer, marks, drawn, 1)
  local versions = package.loaded['acp.review.versions']
  if versions then
    versions.fill(buffer)
  end
end

--- A comparison with the buffer was opened or closed: show what is asked in one place.
function M.draw_again(buffer)
  local drawn = reviewed[buffer]
  if drawn and drawn.marks and drawn.tick == tick_of(buffer) then
    reviewed[buffer] = vim.tbl_extend('force', drawn, {})
    put_all(buffer, drawn.marks, reviewed[buffer])
    tell_later(buffer, 0) -- its windows may be narrower by now
  end
end

--- Called by the host: put these marks in place of all that the file has; none takes all away.
---@param tick integer the changedtick that they are for
---@param rows integer[][] of the hunks: first and last row, half-open; where lines are only gone, both are the same
---@param look? table what virtual lines were broken by
---@return { ok?: boolean, stale?: boolean, gone?: boolean, look?: table } what they are to be broken by instead
function M.draw(path, tick, marks, rows, look)
  local buffer = buffers.find(path)
  if not buffer then
    return { gone = true }
  elseif tick_of(buffer) ~= tick then
    return { stale = true }
  elseif look and not vim.deep_equal(look, removed_lines.look(buffer)) then
    return { look = removed_lines.look(buffer) }
  end
  require('acp.ui.highlights').define()
  hunks.put(buffer, rows)
  keys.set(buffer, is_on and #rows > 0)
  if #marks == 0 and #rows == 0 and not reviewed[buffer] then
    api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
    return { ok = true }
  end
  attach(buffer) -- and stay so without marks: `u` may have taken the hunk, and <C-r> brings it back
  local kept = vim.iter(marks):any(is_asked) and marks or nil
  local drawn = { path = path, tick = tick, look = look, marks = kept }
  reviewed[buffer] = drawn
  put_all(buffer, marks, drawn)
  if drawn.look then
    tell_later(buffer, PAUSE_MS) -- the signs of this drawing may have made the text narrower
  end
  require('acp.ui.apply').redraw()
  return { ok = true }
end

--- Files of which the user was told that a buffer does not show what an agent has made of them.
---@type table<string, true>
local unseen = {}

--- Tell the user of those files, once until they have no hunks any more.
local function tell_unseen(files)
  local foreign = buffers.foreign()
  local told = unseen
  unseen = {}
  for _, file in ipairs(next(foreign) and files or {}) do
    if foreign[file.path] and #file.rows > 0 then
      unseen[file.path] = true
      if not told[file.path] then
        local name = vim.fs.basename(file.path)
        notice.notice(('%s was changed, its buffer does not show it: :edit reads it'):format(name))
      end
    end
  end
end

--- Called by the host: the files with hunks, in the order in which motions go through them.
---@param on? boolean all of the review is shown
---@return boolean has_lists the quickfix lists want to be brought up to date
function M.files(files, on)
  local had, overview = hunks.set_files(files), package.loaded['acp.review.overview']
  if overview then
    overview.follow()
  end
  tell_unseen(files)
  is_on = on or false
  for buffer in pairs(reviewed) do
    if api.nvim_buf_is_loaded(buffer) then
      keys.set(buffer, is_on and #hunks.of(buffer) > 0)
    end
  end
  if #files == 0 then
    events.leave('acp.review')
  elseif not had then
    watch()
  end
  return lists.are_there()
end

bridge.on_end(function() -- nobody would draw anew
  M.files({})
  vim.iter(vim.tbl_keys(reviewed)):each(clear)
end)

return M
