-- What the window of the questions looks like: its place, its rows, its title and its footer. It opens
-- without taking focus; when it does so is up to `acp.ask.window`.

local answer = require('acp.ask.answer')
local apply = require('acp.ui.apply')
local cells = require('acp.ui.cells')
local chats = require('acp.chat.registry')
local events = require('acp.ui.events')
local evidence = require('acp.ask.evidence')
local float = require('acp.ui.float')
local keys = require('acp.ask.keys')
local dress = require('acp.ui.dress')
local layout = require('acp.ui.layout')
local menu = require('acp.ask.menu')
local options = require('acp.host.options')
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

--- What goes there from where the user is.
---@return string
local function way_in()
  local is_mapped = options.value('default_keys') ~= false
  if not is_mapped or not chats.of(api.nvim_get_current_buf()) then
    return ':Acp permit'
  end
  return api.nvim_get_mode().mode:sub(1, 1) == 'i' and '<Esc><Tab>' or '<Tab>'
end

--- The keys that work where the user is, the most important first.
---@return string[]
local function footer()
  local ask, count = menu.ask, #menu.ask.option_ids
  local numbers = count > 1 and ('1-%d'):format(math.min(count, 9)) or '1'
  local others = ask.count > 1 and { ']q next' } or {}
  if not place.is_inside() then
    local way = way_in()
    if way == ':Acp permit' then -- both would not fit beside each other
      return { count > 0 and (':Acp permit %s answers'):format(numbers) or ':Acp permit goes here' }
    end
    return { way .. ' goes here', count > 0 and ':Acp permit ' .. numbers or nil }
  elseif ask.kind == 'permission' then
    local shows = ask.comparable > 0 and { 'd diff', 'D all' } or { 'D all' }
    return vim.list_extend(vim.list_extend({ numbers }, shows), { 'q fold', unpack(others) })
  elseif ask.kind == 'link' then
    return { 'o open', 'x decline', 'D all', '<C-c> cancel', 'q fold', unpack(others) }
  end
  return { '<CR> change', 'a accept', 'x decline', '<C-c> cancel', 'q fold', unpack(others) }
end

---@return string
local function title()
  local ask = menu.ask
  return ask.count > 1 and (' %d of %d ·%s'):format(ask.number, ask.count, ask.title) or ask.title
end

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

---@return acp.Op
local function op_of(fit)
  local texts, marks = {}, {}
  for number, row in ipairs(fit.rows) do
    table.insert(texts, row.text)
    for _, mark in ipairs(row.marks) do
      table.insert(marks, { number - 1, mark[1], mark[2] })
    end
  end
  return { 0, -1, texts, marks }
end

---@return integer? number of what the cursor is on, to find it again
local function item_here()
  if float.is_open(menu.winid) then
    local row = menu.rows[api.nvim_win_get_cursor(menu.winid)[1]]
    return row and row.item
  end
end

--- Where the cursor belongs in what is shown now: on what it was on, else on the first choice.
---@param item integer?
---@return integer row from 1
local function row_for(item)
  local first
  for number, row in ipairs(menu.rows) do
    if item and row.item == item then
      return number
    end
    local is_choice = row.item and row.item >= #menu.ask.body[1]
    first = first or is_choice and number or nil
  end
  local form = menu.ask.form[1]
  if form then
    for number, row in ipairs(menu.rows) do
      if row.item == form.row then
        return number
      end
    end
  end
  return first or 1
end

--- Make its buffer, as far as it is not made, and draw in it.
---@return boolean drawn anew
local function fill(fit)
  if not api.nvim_buf_is_valid(menu.bufnr) then
    menu.bufnr = unseen.buffer(function(buffer)
      chats.name(buffer, 'acp-question')
    end, { tabstop = 4, undolevels = -1 })
    local scope = { buffer = menu.bufnr }
    events.on('CursorMoved', 'The choice under the cursor', mark_selected, scope)
    menu.rows = {}
  end
  vim.b[menu.bufnr].acp_chat = menu.ask.chat
  keys.map()
  if vim.deep_equal(menu.rows, fit.rows) then
    return false
  end
  apply.draw(menu.bufnr, { op_of(fit) })
  menu.rows = fit.rows
  return true
end

--- The window that it should have now.
---@return acp.Placed
local function placed()
  if evidence.is_here() then
    local fit = { rows = require('acp.ask.rows').of(menu.ask.options, 1000, #menu.ask.body[1]) }
    return { config = evidence.window(), fit = fit }
  elseif M.is_folded() then
    return place.folded(menu.ask, way_in())
  end
  local shape = { title = title(), footer = footer(), is_inside = place.is_inside() }
  shape.above = float.is_open(menu.winid) and vim.fn.line('w0', menu.winid) - 1 or 0
  return place.window(menu.ask, shape)
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
---@return boolean opened
function M.settle()
  local is_below = evidence.is_here()
  clear(is_below)
  local found, item = placed(), item_here()
  local is_drawn = fill(found.fit)
  local opened = not float.is_open(menu.winid)
  local has_moved = not (opened or menu.is_entering) and is_moved(menu.config or {}, found.config)
  if opened then
    open(found, is_below)
    menu.config = lasting(found)
  elseif not is_below then
    move(found)
  end
  local bar = cells.literal(found.fit.winbar or '')
  dress.set(menu.winid, 'winbar', is_below and evidence.winbar() or bar)
  if opened or is_drawn then
    local row = row_for(item)
    api.nvim_win_set_cursor(menu.winid, { math.min(row, #menu.rows), 0 })
    if not found.fit.winbar then
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
