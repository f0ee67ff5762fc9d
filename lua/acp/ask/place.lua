-- Where the window of the questions goes and how large it is: over the lower part of its chat if that
-- is on screen, never over a prompt, nor the line that the cursor is in. Reads the screen, changes
-- nothing.

local cells = require('acp.ui.cells')
local chats = require('acp.chat.registry')
local fit = require('acp.ask.fit')
local float = require('acp.ui.float')
local layout = require('acp.ui.layout')
local menu = require('acp.ask.menu')
local rows = require('acp.ask.rows')

local api = vim.api

if jit then -- what runs a few times a minute is not worth what LuaJIT tries with it
  jit.off(true, true)
end

local M = {}

local MORE = '… %d more %s' -- rows of a form
local BORDER = 2
local READABLE, NARROW, WIDEST = 60, 30, 100
local LEAST = 16 -- cells of a row in which words can be read
local LEVEL = 60 -- the least zindex
local MESSAGES = 200 -- zindex of command lines that plugins draw
local GOOD = 3 -- the last level of a fit at which the options are whole

---@alias acp.Area { row: integer, column: integer, width: integer, height: integer } 0-based

--- What floats may cover.
---@return acp.Area
local function screen()
  local tabs = #api.nvim_list_tabpages() > 1 and 1 or 2
  local top = vim.o.showtabline >= tabs and 1 or 0
  local bottom = vim.o.cmdheight + (vim.o.laststatus > 0 and 1 or 0)
  local height = math.max(vim.o.lines - bottom - top, 1)
  return { row = top, column = 0, width = vim.o.columns, height = height }
end

---@return acp.Area
local function area_of(window)
  local position = api.nvim_win_get_position(window)
  return {
    row = position[1],
    column = position[2],
    width = api.nvim_win_get_width(window),
    height = api.nvim_win_get_height(window),
  }
end

--- The line in which the cursor of the current window is.
---@return acp.Area
local function cursor_line(window)
  local area = area_of(window)
  local cursor = api.nvim_win_get_cursor(window)
  local place = vim.fn.screenpos(window, cursor[1], cursor[2] + 1)
  if place.row > 0 then
    area.row = place.row - 1
  end
  area.height = 1
  return area
end

local function is_own(window)
  return window == menu.winid or window == menu.detail
end

--- Whether the user is in the question.
function M.is_inside()
  return is_own(api.nvim_get_current_win())
end

--- What must stay visible.
---@return acp.Area[]
local function obstacles()
  local found = {}
  for _, window in ipairs(api.nvim_tabpage_list_wins(0)) do
    local buffer = api.nvim_win_get_buf(window)
    local chat = chats.of(buffer)
    if chat and buffer == chat.prompt then
      table.insert(found, area_of(window))
    end
  end
  local current = api.nvim_get_current_win()
  if not is_own(current) then
    table.insert(found, cursor_line(current))
  end
  return found
end

--- What a float covers, its border counted.
---@return acp.Area
local function covered_by(config)
  local around_it = config.border and config.border ~= 'none' and BORDER or 0
  return {
    row = config.row,
    column = config.col,
    width = config.width + around_it,
    height = config.height + around_it,
  }
end

---@param one acp.Area
---@param other acp.Area
local function overlap(one, other)
  return one.row < other.row + other.height
    and other.row < one.row + one.height
    and one.column < other.column + other.width
    and other.column < one.column + one.width
end

--- What is left of an area around something in it.
---@param whole acp.Area
---@param hole acp.Area
---@return acp.Area[]
local function around(whole, hole)
  local bottom, right = whole.row + whole.height, whole.column + whole.width
  local under, behind = hole.row + hole.height, hole.column + hole.width
  local sides = {
    { height = hole.row - whole.row },
    { row = under, height = bottom - under },
    { width = hole.column - whole.column },
    { column = behind, width = right - behind },
  }
  local found = vim.tbl_map(function(side)
    return vim.tbl_extend('keep', side, whole)
  end, sides)
  return vim.tbl_filter(function(it)
    return it.width > BORDER and it.height > BORDER
  end, found)
end

--- The free parts of an area, the largest first.
---@param whole acp.Area
---@param holes acp.Area[]
---@return acp.Area[]
local function free(whole, holes)
  local found = { whole }
  for _, hole in ipairs(holes) do
    local left = {}
    for _, part in ipairs(found) do
      vim.list_extend(left, overlap(part, hole) and around(part, hole) or { part })
    end
    found = left
  end
  table.sort(found, function(one, other)
    local more = one.width * one.height - other.width * other.height
    return more > 0 or (more == 0 and one.row > other.row)
  end)
  return vim.list_slice(found, 1, 6)
end

--- The area of its chat; a narrow one gets some of what is beside it, but little of a window in which
--- the user works.
---@return acp.Area?
local function chat_area(ask)
  local window = layout.window_of(ask.chat)
  if not window then
    return nil
  end
  local found, current = area_of(window), api.nvim_get_current_win()
  local is_away = not is_own(current) and not chats.of(api.nvim_win_get_buf(current))
  local least = math.min((is_away and NARROW or READABLE) + BORDER, vim.o.columns)
  local right = found.column + found.width
  local width = math.max(found.width, least)
  found.column = math.max(right - width, 0)
  found.width = width
  return found
end

--- How wide its lines want it to be.
---@param frame string[] title and footer
---@return integer
local function width_for(ask, most, frame)
  local width = 1
  for _, part in ipairs({ ask.head, ask.notes, ask.body, ask.about, ask.options, { frame } }) do
    for _, text in ipairs(part[1]) do
      width = math.max(width, math.min(rows.cells(text), most) + 2)
    end
    for _, mark in ipairs(part[2] or {}) do
      local beside = mark[3].virt_text
      local text = part[1][mark[1] + 1]
      for _, chunk in ipairs(beside or {}) do
        width = math.max(width, rows.cells(text) + rows.cells(chunk[1]) + 2)
      end
    end
  end
  return math.max(math.min(width, most), 1)
end

--- Join as many words of a footer as fit.
---@param words string[] the most important first
---@return string
local function footer(words, width)
  local text = ''
  for _, word in ipairs(words) do
    local longer = text == '' and word or text .. ' · ' .. word
    if rows.cells(longer) + 2 <= width then
      text = longer
    end
  end
  return text == '' and '' or ' ' .. text .. ' '
end

--- The zindex at which nothing hides it: above all floats of others that lie there.
---@return integer
local function level(config)
  local here, found = covered_by(config), LEVEL
  local is_command = api.nvim_get_mode().mode:sub(1, 1) == 'c'
  for _, window in ipairs(api.nvim_tabpage_list_wins(0)) do
    local other = api.nvim_win_get_config(window)
    local is_over = other.relative ~= '' and not other.hide and not is_own(window)
    local is_typed_in = is_command and (other.zindex or 0) >= MESSAGES
    if is_over and not is_typed_in and overlap(here, area_of(window)) then
      found = math.max(found, other.zindex + 1)
    end
  end
  return found
end

---@param dress vim.api.keyset.win_config its border, and what is in that
---@return vim.api.keyset.win_config
local function config_of(row, column, width, height, dress)
  local config = vim.tbl_extend('error', dress, {
    relative = 'editor',
    row = math.max(row, 0),
    col = math.max(column, 0),
    width = width,
    height = height,
    focusable = true,
    hide = false,
    style = 'minimal',
  })
  config.zindex = level(config)
  return config
end

---@alias acp.Placed { config: vim.api.keyset.win_config, fit: acp.Fit }

---@param part acp.Area
---@param shape { title: string, footer: string[], is_inside: boolean }
---@return acp.Fit, integer width
local function fitted(ask, part, shape)
  local hint = ask.kind == 'form' and ' · ' .. MORE:format(99, 'below') or ''
  local frame = { shape.title, '  ' .. table.concat(shape.footer, ' · ') .. hint }
  local width = width_for(ask, math.min(part.width - BORDER, WIDEST), frame)
  return fit.fit(ask, width, part.height - BORDER, shape.is_inside), width
end

--- The best free part of the screen: that of the chat unless the options do not fit there.
---@param shape table
---@return acp.Area, acp.Fit, integer width, boolean in_chat
local function choose(ask, shape)
  local holes, chat, whole = obstacles(), chat_area(ask), screen()
  local best, found, width, in_chat
  local rank = math.huge
  local function try(base, is_chat)
    for _, part in ipairs(free(base, holes)) do
      local made, wide = fitted(ask, part, shape)
      local worse = made.level + math.max(LEAST - (part.width - BORDER), 0)
      if worse < rank then
        best, found, width, in_chat, rank = part, made, wide, is_chat, worse
      end
    end
  end
  if chat then
    try(chat, true)
  end
  if rank > GOOD then
    try(whole, false)
  end
  if not found then -- no room beside the cursor at all
    best, in_chat = whole, false
    found, width = fitted(ask, whole, shape)
  end
  return best, found, width, in_chat
end

--- The window of a question.
---@param shape { title: string, footer: string[], is_inside: boolean, above: integer }
---@return acp.Placed
function M.window(ask, shape)
  local part, found, width, in_chat = choose(ask, shape)
  local bar = found.winbar and 1 or 0
  local height = math.max(math.min(#found.rows + bar, part.height - BORDER), 1)
  local words, above = vim.list_slice(shape.footer), shape.above
  local below = #found.rows + bar - height - above
  if below > 0 or above > 0 then -- a form scrolls, and its last rows end it
    local more = below > 0 and MORE:format(below, 'below') or MORE:format(above, 'above')
    table.insert(words, math.min(2, #words + 1), more)
  end
  local row = in_chat and part.row + part.height - height - BORDER or part.row
  local column = in_chat and part.column or part.column + part.width - width - BORDER
  local config = config_of(row, column, width, height, {
    border = float.border(),
    title = { { cells.cut(shape.title, width), 'AcpFloatTitle' } },
    footer = { { footer(words, width), 'AcpFloatFooter' } },
  })
  return { config = config, fit = found }
end

--- The one row of a folded question, at the lower edge of its chat.
---@param key string what brings it back
---@return acp.Placed
function M.folded(ask, key)
  local base = chat_area(ask) or screen()
  local part = free(base, obstacles())[1] or base
  local width = math.max(math.min(part.width, READABLE), 1)
  local row, dress = part.row + part.height - 1, { border = 'none' }
  local config = config_of(row, part.column, width, 1, dress)
  return { config = config, fit = { rows = { fit.folded(ask, width, key) }, level = 1 } }
end

--- Whether another float lies over one.
function M.is_hidden(window)
  local config = api.nvim_win_get_config(window)
  return level(config) > config.zindex
end

--- Whether a float lies on what must stay visible.
function M.is_in_the_way(window)
  local covered = covered_by(api.nvim_win_get_config(window))
  return vim.iter(obstacles()):any(function(hole)
    return overlap(covered, hole)
  end)
end

return M
