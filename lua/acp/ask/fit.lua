-- What of a question is to be seen in a window of so many cells and rows: first what is asked, then
-- the options. Parts give way in an order, the question itself never. Changes nothing.

local rows = require('acp.ask.rows')

local M = {}

local COUNTED = 20000 -- bytes
local SHORT = 40 -- cells in which there is no room for more than what would be done

---@alias acp.Ask table see doc/messages.md, and `view/question/menu.py`

---@class acp.Fit
---@field rows acp.Row[]
---@field level integer how much had to give way; 1 for nothing
---@field winbar? string what is asked, above rows that scroll

-- How each part gives way, in order: rows that the head may have, that the body must have, whether
-- options are whole, one row each, or counted only, and whether there is more than that.
local LEVELS = {
  { head = math.huge, body = math.huge, options = 'whole', more = true },
  { head = 4, body = 8, options = 'whole', notes = 4 },
  { head = 2, body = 5, options = 'whole', notes = 3 },
  { head = 2, body = 4, options = 'short', notes = 2 },
  { head = 2, body = 3, options = 'count', notes = 2 },
  { head = 1, body = 1, options = 'count', notes = 1 },
  { head = 1, body = 1, options = 'none', notes = 0 },
}

--- Rows from one end of the body, no more than are wanted.
---@param lines integer how many lines of it may be used
---@param from_end boolean
---@return acp.Row[]
local function from(part, width, most, lines, from_end)
  local marks, found, count = rows.marks_of(part), {}, #part[1]
  for step = 1, lines do
    local number = from_end and count - step + 1 or step
    local of_line = rows.of_line(part[1][number], marks[number] or {}, width)
    for at = 1, #of_line do
      if #found == most then
        return found
      end
      local row = of_line[from_end and #of_line - at + 1 or at]
      row.item = number - 1
      table.insert(found, from_end and 1 or #found + 1, row)
    end
  end
  return found
end

--- How many rows it takes; of an endless one nearly, for that is counted by its cells.
---@return integer
local function height(part, width)
  local marks, count, left = rows.marks_of(part), 0, COUNTED
  for number, text in ipairs(part[1]) do
    left = left - #text
    local is_counted = left > 0
    local exact = is_counted and #rows.of_line(text, marks[number] or {}, width)
    count = count + (exact or math.max(math.ceil(rows.cells(text) / width), 1))
  end
  return count
end

---@param omitted? integer lines that are left out of it
---@param hint? string
---@return acp.Row[] rows the middle left out where there are too many
local function middle_cut(part, width, most, omitted, hint)
  omitted = omitted or 0
  local count = #part[1]
  if count == 0 then
    return {}
  end
  local whole = omitted == 0 and from(part, width, most + 1, count, false) or nil
  if whole and #whole <= most then
    return whole
  elseif most <= 2 then
    local first = from(part, width, 1, count, false)[1]
    local last = from(part, width, 1, count, true)[1]
    local cut = rows.middle_cut(first.text, last.text, width)
    if most == 2 then
      cut = rows.middle_cut('… ' .. last.text, '', width)
    end
    local mark = first.marks[1] and first.marks[1][2].hl_group or 'AcpCode'
    return most == 1 and { rows.row(cut, mark) } or { first, rows.row(cut, mark) }
  end
  local lines = omitted > 0 and math.floor(count / 2) or count
  local above = from(part, width, math.ceil((most - 1) / 2), lines, false)
  local below = from(part, width, most - 1 - #above, lines, true)
  local hidden = math.max(height(part, width) - #above - #below, 1) + omitted
  local noun = hidden == 1 and 'row' or 'rows'
  local gap = ('… %d %s more%s'):format(hidden, noun, hint or '')
  gap = rows.cells(gap) > width and ('… %d more%s'):format(hidden, hint or '') or gap
  table.insert(above, rows.row(rows.middle_cut(gap, '', width), 'AcpWarning'))
  return vim.list_extend(above, below)
end

--- The rows of a body that does not fit as a whole.
---@param hint string
---@return acp.Row[]
local function shortened(ask, width, most, hint)
  local changes = ask.changes
  local left_out = #changes[1] > 0 and #ask.body[1] - #changes[1] or 0
  if ask.omitted > 0 or left_out == 0 or most < 4 then
    return middle_cut(ask.body, width, most, ask.omitted, hint)
  end
  local found = from(changes, width, most, #changes[1], false)
  if #found == most then
    return middle_cut(changes, width, most, left_out, hint)
  end
  local gap = ('… %d unchanged%s'):format(left_out, hint)
  table.insert(found, rows.row(rows.middle_cut(gap, '', width), 'AcpDim'))
  return found
end

---@param way 'whole'|'short'|'count'|'none'
---@return acp.Row[]
local function options(ask, width, way, is_inside)
  local count, item = #ask.options[1], #ask.body[1]
  if way == 'none' or count == 0 then
    return {}
  elseif way == 'count' then
    local key = is_inside and 'D' or '<Tab>'
    local text = ('%d option%s: %s'):format(count, count == 1 and '' or 's', key)
    return { rows.row(rows.middle_cut(text, '', width), 'AcpSelected') }
  elseif way == 'whole' then
    return rows.of(ask.options, width, item)
  end
  local found, last = {}, nil
  for _, row in ipairs(rows.of(ask.options, width, item)) do
    if row.item ~= last then
      table.insert(found, row)
    else
      found[#found] = rows.joined(found[#found], row, width)
    end
    last = row.item
  end
  return found
end

--- The head where there is no room for notes: that there are some is to be seen all the same.
---@return acp.Part
local function marked(ask)
  if #ask.notes[1] == 0 then
    return ask.head
  end
  local text = '! ' .. table.concat(ask.head[1], ' ')
  return { { text }, { { 0, 0, { end_col = #text, hl_group = 'AcpWarning' } } } }
end

--- What of it is shown at a level; nil if even that is too much.
---@param level table
---@return acp.Row[]?
local function at_level(ask, level, width, room, is_inside)
  local has_notes = (level.notes or 1) > 0
  local head = has_notes and ask.head or marked(ask)
  local notes = has_notes and middle_cut(ask.notes, width, level.notes or room, 0) or {}
  local choices = options(ask, width, level.options, is_inside)
  local about = level.more and rows.of(ask.about, width) or {}
  local gap = level.more and #choices > 0 and { { text = '', marks = {} } } or {}
  local has_body = #ask.body[1] > 0
  local left = room - #notes - #choices - #about - #gap
  local hint = level.options == 'whole' and ': D shows all' or nil
  local most = has_body and level.head or math.max(level.head, left)
  head = middle_cut(head, width, math.min(most, room), 0, hint)
  left = left - #head
  if left < (has_body and 1 or 0) then
    return nil
  end
  local whole = from(ask.body, width, left + 1, #ask.body[1], false)
  local is_whole = ask.omitted == 0 and #whole <= left
  if not is_whole and left < level.body then
    return nil
  end
  local body = is_whole and whole or shortened(ask, width, left, ': D shows all')
  return vim.iter({ head, notes, body, about, gap, choices }):fold({}, vim.list_extend)
end

--- A form that is higher than its window scrolls below its question, which stands whole above it.
---@return acp.Fit
local function scrolling(ask, width, is_inside)
  local head = table.concat(ask.head[1], ' ')
  local bar = rows.middle_cut(head, '', width)
  local is_whole = bar == head
  local parts = {
    is_whole and {} or rows.of(ask.head, width),
    rows.of(ask.notes, width),
    rows.of(ask.body, width, 0),
    options(ask, width, 'whole', true),
  }
  local found = vim.iter(parts):fold({}, vim.list_extend)
  return { rows = found, level = 3, winbar = (is_whole or is_inside) and bar or nil }
end

---@param room integer rows
---@param is_inside boolean the cursor is in its window
---@return acp.Fit
function M.fit(ask, width, room, is_inside)
  for number, level in ipairs(LEVELS) do
    local found = at_level(ask, level, width, room, is_inside)
    if found then
      return { rows = found, level = number }
    elseif ask.kind == 'form' then
      return scrolling(ask, width, is_inside)
    end
  end
  local title, first = table.concat(marked(ask)[1], ' '), ask.body[1][1]
  local sign = #ask.notes[1] > 0 and '! ' or ''
  local text = not first and title or width < SHORT and sign .. first or title .. ': ' .. first
  local last = ask.body[1][#ask.body[1]] or ''
  local only = rows.row(rows.middle_cut(text, last, width), 'AcpToolTitle')
  return { rows = { only }, level = #LEVELS + 1 }
end

--- The one row of a folded question.
---@param key string what brings it back
---@return acp.Row
function M.folded(ask, width, key)
  local waiting = ask.count > 1 and (' %d of %d'):format(ask.number, ask.count) or ''
  local behind = ('%s · %s '):format(waiting, key)
  local head = rows.middle_cut('? ' .. ask.head[1][1], '', width - rows.cells(behind))
  return rows.row(head .. behind, 'AcpWarning')
end

return M
