-- What the host must know of the screen to say what of a question is shown, and where; and above whose
-- floats. Reads the screen, changes nothing.

local cells = require('acp.ui.cells')
local chats = require('acp.chat.registry')
local float = require('acp.ui.float')
local layout = require('acp.ui.layout')
local menu = require('acp.ask.menu')
local options = require('acp.host.options')

local api = vim.api

if jit then -- what runs a few times a minute is not worth what LuaJIT tries with it
  jit.off(true, true)
end

local M = {}

local BORDER = 2
local LEVEL = 60 -- the least zindex
local MESSAGES = 200 -- zindex of command lines that plugins draw

---@alias acp.Area { row: integer, column: integer, width: integer, height: integer } 0-based
---@alias acp.Look table what is seen of the screen: `view/question/place.py`
---@alias acp.Form table the window as it is drawn: the same
---@alias acp.Fit { look: acp.Look, clear?: acp.Area, outside: acp.Form, inside: acp.Form, folded: acp.Form }

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

--- The window in which the user is, or was before the question.
---@return integer? window
local function outer_window()
  local current, tab = api.nvim_get_current_win(), api.nvim_get_current_tabpage()
  local before = vim.fn.win_getid(vim.fn.winnr('#'))
  return vim.iter({ current, menu.back or 0, before }):find(function(window)
    local is_open = float.is_open(window) and not is_own(window)
    return is_open and api.nvim_win_get_tabpage(window) == tab
  end)
end

---@return acp.Area[]
local function prompts()
  local found = {}
  for _, window in ipairs(api.nvim_tabpage_list_wins(0)) do
    local buffer = api.nvim_win_get_buf(window)
    local chat = chats.of(buffer)
    if chat and buffer == chat.prompt then
      table.insert(found, area_of(window))
    end
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

--- What goes to the question from a window.
---@param window integer?
---@return string
local function way_in(window)
  local is_mapped = options.value('default_keys') ~= false
  if not is_mapped or not window or not chats.of(api.nvim_win_get_buf(window)) then
    return ':Acp permit'
  end
  return api.nvim_get_mode().mode:sub(1, 1) == 'i' and '<Esc><Tab>' or '<Tab>'
end

--- What is seen of the screen, whether the user is in the question or where they go back to.
---@param chat integer that asks
---@return acp.Look
function M.look(chat)
  local outer, own, holes = outer_window(), layout.window_of(chat), prompts()
  local cursor = outer and cursor_line(outer) or nil
  for _, hole in ipairs(holes) do
    cursor = not (cursor and overlap(cursor, hole)) and cursor or nil
  end
  local is_away = outer and not chats.of(api.nvim_win_get_buf(outer))
  return {
    screen = screen(),
    way = way_in(outer),
    cells = cells.setting(),
    chat = own and area_of(own) or nil,
    prompts = #holes > 0 and holes or nil,
    cursor = cursor,
    is_away = is_away or nil,
  }
end

--- Without a cursor that plays no part.
---@param look acp.Look
---@param clear acp.Area?
local function without_cursor(look, clear)
  if not clear or not look.cursor or overlap(look.cursor, clear) then
    return look
  end
  look = vim.tbl_extend('force', {}, look)
  look.cursor = nil
  return look
end

--- Whether it was made for a screen as it is.
---@param look acp.Look
---@param fit acp.Fit|{}
function M.is_same(look, fit)
  local was, clear = fit.look, fit.clear
  return was and vim.deep_equal(without_cursor(was, clear), without_cursor(look, clear))
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

--- The float of a form.
---@param form acp.Form
---@param above integer rows above the first that is to be seen
---@return vim.api.keyset.win_config
function M.config(form, above)
  local config = vim.tbl_extend('error', form.shape, {
    relative = 'editor',
    border = 'none',
    focusable = true,
    hide = false,
    style = 'minimal',
  })
  if form.title ~= '' then
    config.border = float.border()
    config.title = { { form.title, 'AcpFloatTitle' } }
    local footer = form.footers[math.min(above + 1, #form.footers)]
    config.footer = { { footer, 'AcpFloatFooter' } }
  end
  config.zindex = level(config)
  return config
end

--- Whether another float lies over one.
function M.is_hidden(window)
  local config = api.nvim_win_get_config(window)
  return level(config) > config.zindex
end

--- Whether a float lies on what must stay visible.
function M.is_in_the_way(window)
  local covered = covered_by(api.nvim_win_get_config(window))
  local current, holes = api.nvim_get_current_win(), prompts()
  table.insert(holes, not is_own(current) and cursor_line(current) or nil)
  return vim.iter(holes):any(function(hole)
    return overlap(covered, hole)
  end)
end

return M
