-- The life of menus: one float for each pending ask. A menu opens without taking focus, changes no
-- mode, and lives exactly as long as its request: what the user closes comes back.

local apply = require('acp.ui.apply')
local bridge = require('acp.host.bridge')
local chats = require('acp.chat.registry')
local evidence = require('acp.ask.evidence')
local float = require('acp.ui.float')
local layout = require('acp.ui.layout')
local menu_window = require('acp.ask.menu')
local place = require('acp.ui.place')

local api = vim.api

local M = {}

local RETRY_MS = 50

---@type acp.Menu[] oldest first
local menus = {}

---@param id string?
---@return acp.Menu? menu the oldest without an id
---@return integer? index
local function find(id)
  for index, menu in ipairs(menus) do
    if id == nil or menu.ask.id == id then
      return menu, index
    end
  end
end

--- Put one menu where it belongs.
---@param menu acp.Menu
---@param index integer
---@return boolean opened
local function settle(menu, index)
  menu_window.fill(menu)
  local tab = api.nvim_get_current_tabpage()
  local is_below = evidence.is_here(menu)
  if float.is_open(menu.winid) then
    local is_elsewhere = api.nvim_win_get_tabpage(menu.winid) ~= tab
    if is_elsewhere or layout.is_float(menu.winid) == is_below then
      float.close(menu.winid)
    end
  end
  if float.is_open(menu.winid) and is_below then
    menu_window.show_options(menu)
    return false
  end
  if float.is_open(menu.winid) then
    local config = place.menu(menu.ask, menu.bufnr, index)
    config.style = nil -- given again, it would take back the options that were set since
    api.nvim_win_set_config(menu.winid, config)
    menu_window.show_options(menu)
    return false
  end
  menu_window.open(menu, index)
  return true
end

--- Put all menus where they belong. Neovim may refuse now (E565, E11): then soon again.
---@param silent? boolean the host need not be told of the window: it is in the answer
local function settle_all(silent)
  local refused = false
  for index, menu in ipairs(menus) do
    local ok, opened = pcall(settle, menu, index)
    if not ok then
      refused = true
      if not menu.refused then
        menu.refused = true
        require('acp.host.log').line(
          ('the menu of %s is not open yet: %s'):format(menu.ask.id, opened)
        )
      end
    elseif opened and not (silent and index == #menus) then
      local payload = { ask = menu.ask.id, bufnr = menu.bufnr, winid = menu.winid }
      bridge.notify('ask_window', payload)
    end
  end
  if refused then
    vim.defer_fn(function()
      settle_all()
    end, RETRY_MS)
  end
  apply.redraw()
end

---@type integer?
local group

--- Look after the menus while there are any.
local function attend()
  if #menus == 0 then
    group = group and api.nvim_del_augroup_by_id(group) --[[@as nil]]
  elseif not group then
    group = api.nvim_create_augroup('acp.ask', {})
    local events =
      { 'WinClosed', 'WinResized', 'VimResized', 'TabEnter', 'WinEnter', 'BufWinEnter' }
    api.nvim_create_autocmd(events, {
      group = group,
      callback = function()
        if vim.v.exiting == vim.NIL then
          vim.schedule(function()
            settle_all()
          end)
        end
      end,
    })
  end
end

--- Open the menu of an ask, or return the one that is open.
---@param ask acp.Ask
---@return { bufnr: integer, winid: integer } 0 while Neovim refuses; told later by `ask_window`
function M.open_ask(ask)
  local menu = find(ask.id)
  if not menu then
    menu = { ask = ask, bufnr = -1, winid = 0, settle = settle_all }
    table.insert(menus, menu)
    settle_all(true)
    attend()
  end
  return { bufnr = math.max(menu.bufnr, 0), winid = menu.winid }
end

--- Draw the menu of an ask anew; nothing if there is none.
---@param ask acp.Ask
function M.redraw_ask(ask)
  local menu = find(ask.id)
  if menu then
    menu_window.redraw(menu, ask)
    settle_all()
  end
end

--- Neovim may refuse now, as it may refuse to open one; and the user may have to finish first.
---@param menu acp.Menu
local function destroy(menu)
  if evidence.is_in_use(menu) or not pcall(menu_window.destroy, menu) then
    vim.defer_fn(function()
      destroy(menu)
    end, RETRY_MS)
  end
end

--- Close the menu of an ask; nothing if there is none.
---@param id string
function M.close_ask(id)
  local menu, index = find(id)
  if not menu then
    return
  end
  table.remove(menus, index)
  attend()
  destroy(menu)
  settle_all()
end

--- Close the menus of a chat, or all.
---@param chat integer?
function M.close_of(chat)
  for _, menu in ipairs(vim.list_slice(menus)) do
    if chat == nil or menu.ask.chat == chat then
      M.close_ask(menu.ask.id)
    end
  end
end

bridge.on_end(M.close_of)

--- The window to go back to: never another menu, where the next key would answer another ask.
---@return integer
local function origin()
  local current = api.nvim_get_current_win()
  for _, menu in ipairs(menus) do
    if current == menu.winid or current == menu.detail or evidence.is_here(menu) then
      return menu.back or current
    end
  end
  return current
end

---@return string? id of the ask whose menu has been open the longest
function M.oldest()
  return menus[1] and menus[1].ask.id
end

--- Move the cursor into a menu, as the result of a user's command.
---@param id string? without it the oldest, of the current chat if it has one
---@param calmly boolean? not while the user types or selects
---@return boolean found
function M.focus_ask(id, calmly)
  if calmly and api.nvim_get_mode().mode ~= 'n' then
    return false
  end
  local chat = chats.of(api.nvim_get_current_buf())
  local own = chat
    and vim.iter(menus):find(function(menu)
      return menu.ask.chat == chat.chat
    end)
  local menu = id and find(id) or own or find()
  if not menu then
    return false
  end
  settle_all()
  if float.is_open(menu.winid) and api.nvim_get_current_win() ~= menu.winid then
    menu.back = origin()
    vim.cmd.stopinsert()
    api.nvim_set_current_win(menu.winid)
  end
  return true
end

return M
