-- Virtual lines that show what an agent has removed, as Neovim by itself would not show them: broken
-- where the window would break them, and above the first line of a file.

local events = require('acp.ui.events')
local unseen = require('acp.ui.unseen')

local api = vim.api

local M = {}

local REST = (' '):rep(1000)
-- Before words of the user's.
local PREFIX = '▌ '

---@alias acp.Chunk { [1]: string, [2]: string } text and highlight group
---@alias acp.VirtualLine acp.Chunk[]

---@return integer width of its text
local function text_width(window)
  local info = vim.fn.getwininfo(window)[1]
  local signs = vim.wo[window].signcolumn
  -- a sign column that comes with the signs of this very drawing is not in `textoff` yet
  local coming = vim.startswith(signs, 'auto') and info.textoff == 0 and 2 or 0
  return info.width - info.textoff - coming
end

--- The width at which lines have to be broken: that of the narrowest window that wraps them.
---@param is_any? boolean of the narrowest window, whether it wraps lines or not
---@return integer? width nil if no window does
function M.width(buffer, is_any)
  local width
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    if is_any or vim.wo[window].wrap then
      width = math.min(width or math.huge, math.max(text_width(window), 1))
    end
  end
  return width
end

---@return acp.VirtualLine line with blanks in place of tabs, as the buffer would show them
---@return integer width
local function expand(line, tabstop)
  local column, expanded = 0, {}
  for _, chunk in ipairs(line) do
    local parts = vim.split(chunk[1], '\t', { plain = true })
    for index, part in ipairs(parts) do
      column = column + api.nvim_strwidth(part)
      if index < #parts then
        local blanks = tabstop - column % tabstop
        parts[index], column = part .. (' '):rep(blanks), column + blanks
      end
    end
    table.insert(expanded, { table.concat(parts), chunk[2] })
  end
  return expanded, column
end

--- How many cells the text of a buffer's line takes.
function M.cells(buffer, row)
  local text = api.nvim_buf_get_lines(buffer, row, row + 1, false)[1] or ''
  local _, cells = expand({ { text, '' } }, vim.bo[buffer].tabstop)
  return cells
end

---@param line acp.VirtualLine without tabs
local function broken(line, width)
  local rows, row, room = {}, {}, width
  for _, chunk in ipairs(line) do
    local piece = {}
    for _, character in ipairs(vim.fn.split(chunk[1], '\\zs')) do
      local cells = api.nvim_strwidth(character)
      if cells > room and room < width then
        table.insert(row, { table.concat(piece), chunk[2] })
        table.insert(rows, row)
        row, piece, room = {}, {}, width
      end
      table.insert(piece, character)
      room = room - cells
    end
    table.insert(row, { table.concat(piece), chunk[2] })
  end
  table.insert(rows, row)
  return rows
end

--- Words are broken between words, and what stands before them is there in each row.
---@param line acp.VirtualLine of one chunk that begins with `PREFIX`
---@return acp.VirtualLine[]
local function broken_words(line, width)
  local rows, row, group = {}, PREFIX, line[1][2]
  for word in line[1][1]:sub(#PREFIX + 1):gmatch('%S+%s*') do
    if row ~= PREFIX and api.nvim_strwidth(vim.trim(row .. word)) > width then
      table.insert(rows, { { row, group } })
      row = PREFIX
    end
    row = row .. word
  end
  table.insert(rows, { { row, group } })
  return vim.iter(rows):fold({}, function(all, it)
    local fits = api.nvim_strwidth(it[1][1]) <= width + 1
    return vim.list_extend(all, fits and { it } or broken(it, width))
  end)
end

--- Break lines that are too wide, and let the colour of each go on to the edge of the window.
---@param lines acp.VirtualLine[]
---@param width? integer nil to break none
---@return acp.VirtualLine[]
function M.fit(lines, width, tabstop)
  local fitted = {}
  for _, line in ipairs(lines) do
    local expanded, cells = expand(line, tabstop)
    local rest = line[#line][2]
    local breaks = vim.startswith(line[1][1], PREFIX) and broken_words or broken
    for _, row in ipairs(width and cells > width and breaks(expanded, width) or { expanded }) do
      table.insert(row, { REST, rest })
      table.insert(fitted, row)
    end
  end
  return fitted
end

--- Scroll them into sight, unless that would scroll the cursor out of it.
---@param count integer virtual lines above the first line
local function fill(window, count)
  local height = vim.fn.getwininfo(window)[1].height
  local topfill = math.max(math.min(count, height - 2), 0)
  local cursor = api.nvim_win_get_cursor(window)[1]
  local rows = api.nvim_win_text_height(window, { end_row = cursor - 1 }).all - count
  if topfill + rows <= height then
    unseen.scroll(window, { topfill = topfill })
  end
end

---@type table<integer, integer> by buffer: virtual lines above its first line
local above = {}

--- Neovim leaves lines above the first one out when it jumps there.
local function watch()
  local on = events.group('acp.removed_lines')
  on('WinScrolled', 'Show removed lines above the first line', function()
    for name, change in pairs(vim.v.event) do
      local window = tonumber(name)
      if window and change.topline ~= 0 and api.nvim_win_is_valid(window) then
        M.reveal(window)
      end
    end
  end)
end

--- Show the lines above the first one, if the window begins with it.
function M.reveal(window)
  local count = above[api.nvim_win_get_buf(window)]
  if count and vim.fn.line('w0', window) == 1 then
    fill(window, count)
  end
end

--- So many virtual lines are above the first line of the buffer now.
function M.set_above(buffer, count)
  local is_first, before = not next(above), above[buffer] or 0
  above[buffer] = count > 0 and count or nil
  if count > 0 and count ~= before then
    vim.tbl_map(M.reveal, vim.fn.win_findbuf(buffer))
  end
  if not next(above) then
    events.leave('acp.removed_lines')
  elseif is_first then
    watch()
  end
end

return M
