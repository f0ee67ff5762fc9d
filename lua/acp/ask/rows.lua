-- Lines of any length as rows of the screen: so it is known, to the row, what can be seen of them.
-- The rows are short enough not to be wrapped; their marks go along. Changes nothing.

local cells = require('acp.ui.cells')

local api = vim.api

if jit then -- what runs a few times a minute is not worth what LuaJIT tries with it
  jit.off(true, true)
end

local M = {}

local TAB = 4
local GAP = 1 -- cell that Neovim leaves between the end of a line and virtual text behind it
local LATE = 0.6 -- of a row: a blank behind that is a better place to break it than its end

---@alias acp.Part { [1]: string[], [2]: acp.Mark[] } texts and marks, as in an op

---@class acp.Row
---@field text string
---@field marks { [1]: integer, [2]: vim.api.keyset.set_extmark }[]
---@field item? integer number of what <CR> acts on, from 0

---@param character string
---@return integer cells
local function cells_of(character, column)
  return character == '\t' and TAB - column % TAB or api.nvim_strwidth(character)
end

--- How many cells a text takes in a row of its own.
---@return integer
function M.cells(text)
  return api.nvim_strwidth((text:gsub('\t', (' '):rep(TAB))))
end

--- Cut a text into what fits into so many cells.
---@param hang? integer cells that the further ones have less
---@return string[]
function M.pieces(text, width, hang)
  if #text <= width and not text:find('\t', 1, true) then
    return { text }
  end
  local pieces, first, used, blank = {}, 1, 0, nil
  local at = 1
  for _, character in ipairs(vim.fn.split(text, [[\zs]])) do
    local more = cells_of(character, used)
    if used + more > width and at > first then
      local stop = blank or at - 1
      table.insert(pieces, text:sub(first, stop))
      used = M.cells(text:sub(stop + 1, at - 1))
      if first == 1 then
        width = width - (hang or 0)
      end
      first, blank = stop + 1, nil
    end
    used = used + more
    at = at + #character
    if character == ' ' and used > width * LATE then
      blank = at - 1
    end
  end
  table.insert(pieces, text:sub(first))
  return pieces
end

--- The part of a mark that lies in a row; nil if none does.
---@param first integer byte of the line, from 0, at which the row begins
---@param last integer byte behind it
---@return { [1]: integer, [2]: table }?
local function part_of(mark, first, last)
  local options = mark[3]
  if options.hl_eol or options.line_hl_group then
    return { 0, options }
  end
  local stop = options.end_col
  if stop and mark[2] < last and stop > first then
    local clipped = { end_col = math.min(stop, last) - first }
    return { math.max(mark[2] - first, 0), vim.tbl_extend('force', options, clipped) }
  end
end

--- How far the further rows of a line stand in: as far as its words, behind blanks or its number.
---@return integer cells
local function hang_of(text, width)
  local head = text:match('^%S+ %d+%. ') or text:match('^%s+') or ''
  local taken = M.cells(head)
  return taken * 3 <= width and taken or 0
end

--- The rows of one line.
---@param marks acp.Mark[] of that line
---@return acp.Row[]
function M.of_line(text, marks, width)
  local before, behind, indent = {}, {}, 0
  for _, mark in ipairs(marks) do
    if mark[3].virt_text_pos == 'inline' and mark[2] == 0 then
      table.insert(before, mark)
      indent = indent + cells.of(mark[3].virt_text)
    elseif mark[3].virt_text then
      table.insert(behind, mark)
    end
  end
  local rows, first = {}, 0
  local hang = hang_of(text, width - indent)
  for number, piece in ipairs(M.pieces(text, math.max(width - indent, 1), hang)) do
    local row = { text = piece, marks = {} }
    for _, mark in ipairs(marks) do
      local found = not mark[3].virt_text and part_of(mark, first, first + #piece)
      table.insert(row.marks, found or nil)
    end
    for _, mark in ipairs(before) do
      local blank = { { (' '):rep(indent), 'AcpDim' } }
      local chunks = number == 1 and mark[3].virt_text or blank
      table.insert(row.marks, { 0, { virt_text = chunks, virt_text_pos = 'inline' } })
    end
    if number > 1 and hang > 0 then
      local blank = { { (' '):rep(hang), 'AcpFloat' } }
      table.insert(row.marks, { 0, { virt_text = blank, virt_text_pos = 'inline' } })
    end
    table.insert(rows, row)
    first = first + #piece
  end
  for _, mark in ipairs(behind) do
    local taken = indent + (#rows > 1 and hang or 0) + M.cells(rows[#rows].text)
    if cells.of(mark[3].virt_text) + GAP > width - taken then
      table.insert(rows, { text = '', marks = {} })
    end
    local options = { virt_text = mark[3].virt_text, virt_text_pos = 'eol' }
    table.insert(rows[#rows].marks, { 0, options })
  end
  return rows
end

--- The marks of each line.
---@return table<integer, acp.Mark[]> by the number of the line, from 1
function M.marks_of(part)
  local found = {}
  for _, mark in ipairs(part[2]) do
    found[mark[1] + 1] = found[mark[1] + 1] or {}
    table.insert(found[mark[1] + 1], mark)
  end
  return found
end

--- The rows of all lines.
---@param item? integer number of the first line
---@return acp.Row[]
function M.of(part, width, item)
  local marks, rows = M.marks_of(part), {}
  for number, text in ipairs(part[1]) do
    for _, row in ipairs(M.of_line(text, marks[number] or {}, width)) do
      row.item = item and item + number - 1
      table.insert(rows, row)
    end
  end
  return rows
end

--- A row of ours.
---@param group string
---@return acp.Row
function M.row(text, group)
  return { text = text, marks = { { 0, { end_col = #text, hl_group = group } } } }
end

---@param from_end boolean
---@return string the beginning, or the end, that fits
local function fitting(text, width, from_end)
  local characters = vim.fn.split(text, [[\zs]])
  local found, used = {}, 0
  for number = 1, #characters do
    local character = characters[from_end and #characters - number + 1 or number]
    used = used + cells_of(character, 0)
    if used > width then
      break
    end
    table.insert(found, from_end and 1 or #found + 1, character)
  end
  return table.concat(found)
end

--- One text of two ends, the middle left out where it does not fit.
---@param first string
---@param last string "" if there is only one text
---@return string
function M.middle_cut(first, last, width)
  if last == '' and M.cells(first) <= width then
    return first
  end
  last = last == '' and first or last
  local left = math.max(math.ceil((width - 1) / 2), 1)
  return fitting(first, left, false) .. '…' .. fitting(last, math.max(width - 1 - left, 0), true)
end

--- One row of two of a line: the first one cut at its end, and what stands behind the second.
---@param first acp.Row
---@param second acp.Row
---@return acp.Row
function M.joined(first, second, width)
  local mark, behind = first.marks[1], nil
  for _, each in ipairs(second.marks) do
    behind = each[2].virt_text_pos == 'eol' and each[2] or behind
  end
  local room = width - 1 - (behind and cells.of(behind.virt_text) + GAP or 0)
  local text = first.text
  if not (first.cut or second.text == '') or M.cells(text) > room + 1 then
    text = fitting(text, room, false) .. '…'
  end
  local row = M.row(text, mark and mark[2].hl_group or 'AcpFloat')
  table.insert(row.marks, behind and { 0, behind } or nil)
  return vim.tbl_extend('force', row, { item = first.item, cut = true })
end

return M
