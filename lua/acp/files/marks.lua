-- The marks of lines that an edit of ours takes out: they come back with the lines, as they do after
-- `u`: lower-case marks, those of the visual area, and extmarks that `u` restores. Only acp.files.edit
-- calls.

local events = require('acp.ui.events')

local api = vim.api

local M = {}

-- So many stretches of lines are remembered of a buffer, with so many extmarks in all.
local STRETCHES = 1000
local EXTMARKS = 20000
local NAMES = vim.split('abcdefghijklmnopqrstuvwxyz<>', '')

local anchors = api.nvim_create_namespace('acp_gone')
---@type table<integer, true> namespaces that are drawn anew after an edit, or live for a moment
local ours = {
  [api.nvim_create_namespace('acp_review')] = true,
  [api.nvim_create_namespace('acp_review_places')] = true,
  [api.nvim_create_namespace('acp_follow')] = true,
}

---@alias acp.MarkPlace { line: integer, column: integer, below?: boolean } line of the stretch, from
--- 1; or the beginning of the line below that

---@class acp.GoneMark a mark with a name, or an extmark, whose ends were in the stretch or not
---@field name? string
---@field space? integer
---@field id? integer
---@field options? vim.api.keyset.set_extmark
---@field first? acp.MarkPlace
---@field last? acp.MarkPlace

---@class acp.Stretch lines that are gone
---@field anchor integer extmark where they stood
---@field lines string[]
---@field marks acp.GoneMark[]

---@type table<integer, acp.Stretch[]> by buffer
local gone = {}

---@return acp.GoneMark[] the marks with names, by lines of the buffer
local function named(buffer)
  local found, get = {}, api.nvim_buf_get_mark
  for index = 1, #NAMES do
    local name = NAMES[index]
    local place = get(buffer, name)
    if place[1] > 0 then
      table.insert(found, { name = name, first = { line = place[1], column = place[2] } })
    end
  end
  return found
end

---@param first integer 0-based, half-open
---@return acp.GoneMark[] those in these rows, by lines of the stretch
local function within(marks, first, last)
  local found = {}
  for _, mark in ipairs(marks) do
    local line = mark.first.line - first
    if line >= 1 and line <= last - first then
      local place = { line = line, column = mark.first.column }
      table.insert(found, { name = mark.name, first = place })
    end
  end
  return found
end

local WHOLE = { details = true, overlap = true, limit = EXTMARKS }

---@param first integer 0-based
local function extmarks(buffer, first, last)
  local found = {}
  local all = api.nvim_buf_get_extmarks(buffer, -1, { first, 0 }, { last, 0 }, WHOLE)
  if #all == 0 then
    return found
  end
  -- A place that stays where a text is put in (`gravity` to the left) is that of the text before it.
  local function place(row, column, gravity)
    local below = column == 0 and not gravity
    local line = row and row - first + (below and 0 or 1)
    local inside = line and line >= 1 and line <= last - first
    return inside and { line = line, column = column, below = below } or nil
  end
  for _, mark in ipairs(all) do
    local id, row, column, options = unpack(mark)
    local space = options.ns_id
    options.ns_id, options.invalid = nil, nil
    if options.virt_text_win_col then
      options.virt_text_pos = nil -- "win_col" is told, and not taken
    end
    local begins = place(row, column, options.right_gravity)
    local ends = place(options.end_row, options.end_col, options.end_right_gravity)
    if not ours[space] and options.undo_restore ~= false and (begins or ends) then
      local kept = { space = space, id = id, options = options, first = begins, last = ends }
      table.insert(found, kept)
    end
  end
  return found
end

---@param anchor integer[] row and column
---@return boolean waits whether an end of it is where the edit has left it: only that is waited for
local function waits(buffer, mark, anchor)
  if mark.name then
    local line = api.nvim_buf_get_mark(buffer, mark.name)[1]
    -- Those of the visual area are put beside lines that go.
    return line == 0 or mark.name:find('[<>]') and math.abs(line - anchor[1] - 0.5) < 1
  end
  local now = api.nvim_buf_get_extmark_by_id(buffer, mark.space, mark.id, { details = true })
  if #now == 0 then
    return false
  end
  local function at(wanted, row, column)
    return row == anchor[1] and column == anchor[2] and wanted or nil
  end
  mark.first, mark.last =
    at(mark.first, now[1], now[2]), at(mark.last, now[3].end_row, now[3].end_col)
  return (mark.first or mark.last) ~= nil
end

---@return integer[] place row and column where it stood; none if that is not known any more
local function anchor_of(buffer, stretch)
  return api.nvim_buf_get_extmark_by_id(buffer, anchors, stretch.anchor, {})
end

--- The stretches that may come back yet, without the oldest of too many.
local function stretches(buffer)
  local kept, all, count = {}, gone[buffer], 0
  for index = #all, 1, -1 do
    local stretch = all[index]
    count = count + #stretch.marks
    local has_room = #kept < STRETCHES and count - #stretch.marks < EXTMARKS
    if has_room and #stretch.marks > 0 and #anchor_of(buffer, stretch) > 0 then
      table.insert(kept, 1, stretch)
    else
      api.nvim_buf_del_extmark(buffer, anchors, stretch.anchor)
    end
  end
  gone[buffer] = #kept > 0 and kept or nil
  return kept
end

--- Remember the marks of lines that are about to be taken out; in one edit the last lines first.
---@param first integer 0-based, half-open
---@param known { named?: acp.GoneMark[] } of the edit: what its first call has found
function M.take(buffer, first, last, known)
  known.named = known.named or named(buffer)
  local marks = extmarks(buffer, first, last)
  if #known.named > 0 then
    vim.list_extend(marks, within(known.named, first, last))
  end
  if #marks == 0 then
    return
  end
  local lines = api.nvim_buf_get_lines(buffer, first, last, true)
  local anchor = api.nvim_buf_set_extmark(buffer, anchors, first, 0, {})
  gone[buffer] = gone[buffer] or {}
  table.insert(gone[buffer], { anchor = anchor, lines = lines, marks = marks })
end

if jit then
  -- As in acp.files.live; what goes through each line is compiled.
  for _, each in ipairs({ named, within, extmarks, M.take }) do
    jit.off(each, true)
  end
end

---@param first? integer[] 0-based row and column where it begins; nil: where it begins now
---@param last? integer[]
local function put(buffer, mark, first, last)
  if mark.name then
    api.nvim_buf_set_mark(buffer, mark.name, first[1] + 1, first[2], {})
    return
  end
  local now = api.nvim_buf_get_extmark_by_id(buffer, mark.space, mark.id, { details = true })
  first, last = first or now, last or { now[3].end_row, now[3].end_col }
  local options = vim.tbl_extend('force', mark.options, { id = mark.id, strict = false })
  options.end_row, options.end_col = last[1], last[2]
  -- What the API tells of a mark, it may not take.
  pcall(api.nvim_buf_set_extmark, buffer, mark.space, first[1], first[2], options)
end

---@class acp.Return the marks of a stretch, and the lines among which it is to be found
---@field stretch acp.Stretch
---@field lines string[]
---@field row integer 0-based, of the first of the lines after the edit

--- See which stretches an edit may bring back; call it before, and `give` with it after the edit.
---@return acp.Return[]
function M.awaited(buffer, hunks)
  local found = {}
  if not gone[buffer] then
    return found
  end
  for _, stretch in ipairs(stretches(buffer)) do
    local anchor, shift = anchor_of(buffer, stretch), 0
    local at = anchor[1]
    for _, hunk in ipairs(hunks) do
      local first, last, lines = unpack(hunk)
      if at >= first and at <= last and #lines > 0 then
        stretch.marks = vim.tbl_filter(function(mark)
          return waits(buffer, mark, anchor)
        end, stretch.marks)
        table.insert(found, { stretch = stretch, lines = lines, row = first + shift })
      end
      shift = shift + #lines - (last - first)
    end
  end
  return found
end

--- Find lines that were gone among lines that come.
---@param now string[]
---@return table<integer, integer> rows offset among those that come, from 0, by the line's number
local function found_again(lines, now)
  local rows, texts = {}, { table.concat(lines, '\n') .. '\n', table.concat(now, '\n') .. '\n' }
  local line, row = 1, 0
  local function pass(until_line)
    while line < until_line do
      rows[line] = row
      line, row = line + 1, row + 1
    end
  end
  for _, hunk in ipairs(vim.diff(texts[1], texts[2], { result_type = 'indices' })) do
    local first, count, start, added = unpack(hunk)
    pass(count == 0 and first + 1 or first)
    line, row = line + count, (added == 0 and start or start - 1) + added
  end
  pass(#lines + 1)
  return rows
end

--- Put back the marks of lines that have come back: the last that went first, as `u` does.
function M.give(buffer, returns)
  for index = #returns, 1, -1 do
    local back = returns[index]
    local rows = found_again(back.stretch.lines, back.lines)
    local function place(wanted)
      local offset = wanted and rows[wanted.line]
      return offset and { back.row + offset + (wanted.below and 1 or 0), wanted.column } or nil
    end
    local anchor = anchor_of(buffer, back.stretch)
    back.stretch.marks = vim.tbl_filter(function(mark)
      local first, last = place(mark.first), place(mark.last)
      local is_left = mark.first and not first or mark.last and not last
      if first or last or mark.space then
        -- What waits yet goes along with the place where its line was.
        put(buffer, mark, first or mark.first and anchor, last or mark.last and anchor)
      end
      mark.first, mark.last = not first and mark.first or nil, not last and mark.last or nil
      return is_left
    end, back.stretch.marks)
  end
end

events.group('acp_marks')('BufUnload', 'The marks of a buffer go with it', function(event)
  gone[event.buf] = nil
end)

return M
