-- Where a float of an ask goes and how large it is. Reads the screen, changes nothing.

local chats = require('acp.chat.registry')
local layout = require('acp.ui.layout')

local api = vim.api

local M = {}

local SHARE = 0.8
local BORDER = 2
local READABLE, NARROW = 60, 30

---@return integer lines that floats may cover
local function screen_height()
  return vim.o.lines - vim.o.cmdheight - (vim.o.laststatus > 0 and 1 or 0)
end

--- How many cells a text takes. Not `strdisplaywidth()`, which counts how the *current window* would
--- wrap it.
---@param text string
---@return integer
local function cells(text)
  return api.nvim_strwidth((text:gsub('\t', '        ')))
end

--- A title needs a border: 'winborder' where it gives one.
---@return string? border nil leaves the choice to 'winborder'
local function border()
  local wanted = vim.fn.exists('+winborder') == 1 and vim.o.winborder or ''
  if wanted == 'none' then
    return 'solid'
  end
  return wanted == '' and 'rounded' or nil
end

---@param lines string[]
---@param width integer
---@return integer height of the wrapped text
local function wrapped_height(lines, width)
  local height = 0
  for _, line in ipairs(lines) do
    height = height + math.max(1, math.ceil(cells(line) / width))
  end
  return height
end

---@param title string
---@param width integer
---@return string
local function cut(title, width)
  if cells(title) <= width then
    return title
  end
  return vim.fn.printf(('%%.%dS…'):format(math.max(width - 1, 0)), title)
end

---@param ask acp.Ask
---@param lines string[]
---@param room integer
---@return integer width
local function width_for(ask, lines, room)
  local width = cells(ask.footer)
  for _, line in ipairs(lines) do
    width = math.max(width, cells(line) + 1)
  end
  width = math.max(width, cells(ask.title) + 2)
  return math.max(1, math.min(width, room))
end

---@class acp.Area
---@field row integer 0-based, of the first screen line
---@field column integer
---@field width integer
---@field height integer

--- What the chat's window covers.
---@param chat integer
---@return acp.Area?
local function chat_area(chat)
  local window = layout.window_of(chat)
  if not window then
    return nil
  end
  local position = api.nvim_win_get_position(window)
  return {
    row = position[1],
    column = position[2],
    width = api.nvim_win_get_width(window),
    height = api.nvim_win_get_height(window),
  }
end

--- The text cursor must stay visible where the user may be writing.
---@param width integer with the border
---@param height integer with the border
---@return boolean
local function cursor_is_top_right(width, height)
  local position = vim.fn.screenpos(0, vim.fn.line('.'), vim.fn.col('.'))
  return position.row <= height and position.col > vim.o.columns - width
end

---@param area acp.Area?
---@param width integer
---@param height integer
---@return integer row, integer column of the border's upper left corner
local function corner(area, width, height)
  local outer_width, outer_height = width + BORDER, height + BORDER
  local column = vim.o.columns - outer_width
  if area then
    return area.row + area.height - outer_height, math.min(area.column, column)
  end
  if cursor_is_top_right(outer_width, outer_height) then
    return screen_height() - outer_height, column
  end
  return vim.o.showtabline == 2 and 1 or 0, column
end

--- A narrow chat gives its float some of the window beside it, but not while the user works there.
---@return integer width that it may have in any case
local function least_width()
  return chats.of(api.nvim_get_current_buf()) and READABLE or NARROW
end

--- The float of an ask: over the lower part of its chat if that is on screen, else in a corner.
---@param ask acp.Ask
---@param buffer integer
---@param index integer 1 for the oldest, which lies on top
---@return vim.api.keyset.win_config
function M.menu(ask, buffer, index)
  local area = chat_area(ask.chat)
  local lines = api.nvim_buf_get_lines(buffer, 0, -1, true)
  local room = math.max(area and area.width - BORDER or 0, least_width())
  local width = width_for(ask, lines, math.min(room, math.floor(vim.o.columns * SHARE)))
  local most = math.min(math.floor(vim.o.lines * SHARE), screen_height() - BORDER)
  local height = math.max(1, math.min(wrapped_height(lines, width), most))
  local row, column = corner(area, width, height)
  return {
    relative = 'editor',
    row = math.max(row - (index - 1), 0),
    col = math.max(column - 2 * (index - 1), 0),
    width = width,
    height = height,
    focusable = true,
    zindex = math.max(60 - index, 2),
    style = 'minimal',
    border = border(),
    title = { { ' ' .. cut(ask.title, width - 2) .. ' ', 'AcpFloatTitle' } },
    footer = { { ask.footer, 'AcpFloatBorder' } },
  }
end

--- The larger float with all of it.
---@param title string
---@param buffer integer
---@return vim.api.keyset.win_config
function M.detail(title, buffer)
  local width = math.max(math.floor(vim.o.columns * SHARE), 1)
  local most = math.max(math.floor(vim.o.lines * SHARE) - BORDER, 1)
  local lines = api.nvim_buf_get_lines(buffer, 0, -1, true)
  local height = math.min(wrapped_height(lines, width), most)
  return {
    relative = 'editor',
    row = math.floor((screen_height() - height - BORDER) / 2),
    col = math.floor((vim.o.columns - width - BORDER) / 2),
    width = width,
    height = height,
    zindex = 70,
    style = 'minimal',
    border = border(),
    title = { { ' ' .. cut(title, width - 2) .. ' ', 'AcpFloatTitle' } },
  }
end

return M
