-- The window of the questions in the form that the host has made for the screen. It opens without
-- taking focus; when it does so is up to `acp.ask.window`.

local answer = require('acp.ask.answer')
local apply = require('acp.ui.apply')
local bridge = require('acp.host.bridge')
local cells = require('acp.ui.cells')
local chats = require('acp.chat.registry')
local events = require('acp.ui.events')
local evidence = require('acp.ask.evidence')
local float = require('acp.ui.float')
local keys = require('acp.ask.keys')
local dress = require('acp.ui.dress')
local layout = require('acp.ui.layout')
local menu = require('acp.ask.menu')
local place = require('acp.ask.place')
local unseen = require('acp.ui.unseen')

local api = vim.api

if jit then -- what runs a few times a minute is not worth what LuaJIT tries with it
  jit.off(true, true)
end

local M = {}

-- Without what belongs to lines that wrap: 'breakindentopt' has all windows drawn anew.
local FLOAT = {
  wrap = false,
  linebreak = false,
  breakindent = false,
  breakindentopt = '',
  conceallevel = 0,
  winfixbuf = true,
}
local BELOW = vim.tbl_extend('error', FLOAT, dress.BARE, { winfixheight = true })

function M.is_folded()
  return menu.folded == menu.ask.id
end

--- Whether its window shows something else, or is hidden: by whom, is not asked.
function M.is_hidden()
  if not float.is_open(menu.winid) or not layout.is_float(menu.winid) then
    return false
  end
  local is_other = api.nvim_win_get_buf(menu.winid) ~= menu.bufnr
  local is_away = api.nvim_win_get_config(menu.winid).hide
  return is_other or is_away or place.is_hidden(menu.winid)
end

--- The line of the cursor is shown as selected only where <CR> would do something.
local function mark_selected()
  if float.is_open(menu.winid) then
    local is_here = api.nvim_get_current_win() == menu.winid and keys.is_choice_here()
    dress.set(menu.winid, 'cursorline', is_here)
  end
end

---@return integer? number of what the cursor is on, to find it again
local function item_here()
  if float.is_open(menu.winid) then
    return menu.items[api.nvim_win_get_cursor(menu.winid)[1]]
  end
end

---@param item integer
---@return integer? row from 1
local function row_of(item)
  for row, it in ipairs(menu.items) do
    if it == item then
      return row
    end
  end
end

--- Where the cursor belongs in what is shown now: on what it was on, else on the first field, or on
--- the first choice.
---@param before integer? item
---@return integer row
local function row_for(before)
  local field = menu.ask.form[1]
  local kept = before and before >= 0 and row_of(before)
  return kept or field and row_of(field.row) or row_of(menu.ask.first) or 1
end

--- Make its buffer, as far as it is not made, and draw in it.
---@param drawn { op: acp.Op, items: integer[] }
---@return boolean drawn anew
local function fill(drawn)
  if not api.nvim_buf_is_valid(menu.bufnr) then
    menu.bufnr = unseen.buffer(function(buffer)
      chats.name(buffer, 'acp-question')
    end, { tabstop = 4, undolevels = -1 })
    local scope = { buffer = menu.bufnr }
    events.on('CursorMoved', 'The choice under the cursor', mark_selected, scope)
    menu.op = nil
  end
  vim.b[menu.bufnr].acp_chat = menu.ask.chat
  keys.map()
  menu.items = drawn.items
  if vim.deep_equal(menu.op, drawn.op) then
    return false
  end
  apply.draw(menu.bufnr, { drawn.op })
  menu.op = drawn.op
  return true
end

---@class acp.Placed
---@field config vim.api.keyset.win_config
---@field drawn { op: acp.Op, items: integer[] }
---@field bar string

--- The window that it should have now; nil while the host fits it into a screen that is another now.
---@param is_due boolean it is shown even if it is
---@return acp.Placed?
local function placed(is_due)
  if evidence.is_here() then
    return { config = evidence.window(), drawn = menu.ask.choices, bar = evidence.winbar() }
  end
  local look = place.look(menu.ask.chat)
  local is_right = place.is_same(look, menu.fit)
  if not is_right and not vim.deep_equal(look, menu.told) then
    menu.told = look
    bridge.tell_running('ask_look', look)
  end
  if is_right or is_due then
    local name = M.is_folded() and 'folded' or place.is_inside() and 'inside' or 'outside'
    local form = menu.fit[name]
    local above = float.is_open(menu.winid) and vim.fn.line('w0', menu.winid) - 1 or 0
    local bar = cells.literal(form.bar)
    return { config = place.config(form, above), drawn = form, bar = bar }
  end
end

---@param found acp.Placed
local function open(found, is_below)
  local window = vim.tbl_extend('error', found.config, { noautocmd = true })
  menu.winid = float.open(menu.bufnr, false, window, is_below and BELOW or FLOAT)
end

---@param found acp.Placed
---@return vim.api.keyset.win_config
local function lasting(found)
  local config = vim.tbl_extend('force', {}, found.config)
  config.style = nil -- given again, it would take back the options that were set since
  return config
end

---@param found acp.Placed
local function move(found)
  local config = lasting(found)
  if not vim.deep_equal(config, menu.config) then
    float.move(menu.winid, config)
    menu.config = config
  end
end

--- Close the window where it cannot stay: in another tabpage, or of the other kind. One in which the
--- user has opened something is theirs.
local function clear(is_below)
  if float.is_open(menu.winid) and api.nvim_win_get_buf(menu.winid) ~= menu.bufnr then
    pcall(api.nvim_win_set_config, menu.winid, { title = '', footer = '' })
    api.nvim_set_option_value('winfixbuf', false, { win = menu.winid, scope = 'local' })
    menu.winid = 0
  end
  if float.is_open(menu.winid) then
    local is_elsewhere = api.nvim_win_get_tabpage(menu.winid) ~= api.nvim_get_current_tabpage()
    if is_elsewhere or layout.is_float(menu.winid) == is_below then
      float.close(menu.winid)
    end
  end
end

--- Whether an edge of it is elsewhere on both ways: what only grows stays where it is.
---@param old vim.api.keyset.win_config
---@param new vim.api.keyset.win_config
local function is_moved(old, new)
  local function apart(first, size)
    return old[first] ~= new[first] and old[first] + old[size] ~= new[first] + new[size]
  end
  return old.row ~= nil and new.row ~= nil and (apart('row', 'height') or apart('col', 'width'))
end

--- Put it where it belongs, as it should look now.
---@param is_due boolean however the screen is
---@return boolean opened
function M.settle(is_due)
  local is_below = evidence.is_here()
  clear(is_below)
  local found, item = placed(is_due or menu.is_entering == true), item_here()
  if not found then
    return false
  end
  local is_drawn = fill(found.drawn)
  local opened = not float.is_open(menu.winid)
  local has_moved = not (opened or menu.is_entering) and is_moved(menu.config or {}, found.config)
  if opened then
    open(found, is_below)
    menu.config = lasting(found)
  elseif not is_below then
    move(found)
  end
  dress.set(menu.winid, 'winbar', found.bar)
  if opened or is_drawn then
    local row = row_for(item)
    api.nvim_win_set_cursor(menu.winid, { math.min(row, #menu.items), 0 })
    if found.bar == '' then
      unseen.scroll(menu.winid, { topline = 1 })
    end
  end
  mark_selected()
  local is_to_be_seen = is_below and evidence.is_current()
  if not is_to_be_seen and (is_below or M.is_folded()) then
    answer.gone()
  else
    answer.shown(menu.ask)
    if has_moved and not is_below then
      answer.moved()
    end
  end
  return opened
end

return M
