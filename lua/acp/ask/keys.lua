-- The keys of the window of the questions, and the larger float with all of one; those of a form are
-- in `acp.ask.form`.

local answer = require('acp.ask.answer')
local bridge = require('acp.host.bridge')
local evidence = require('acp.ask.evidence')
local float = require('acp.ui.float')
local hands = require('acp.files.hands')
local keys = require('acp.ui.keys')
local menu = require('acp.ask.menu')
local notice = require('acp.ui.notice')

local api = vim.api

local M = {}

--- Leave the window as it is and go back to where the user came from.
function M.leave()
  float.close(menu.detail)
  if menu.ask and evidence.is_here() then
    return evidence.close()
  end
  local current = api.nvim_get_current_win()
  if current ~= menu.winid then
    return
  end
  if float.is_open(menu.back) and menu.back ~= current then
    api.nvim_set_current_win(menu.back)
  else
    vim.cmd.wincmd('p')
  end
end

---@param number integer 1-based
local function choose(number)
  local option = menu.ask and not menu.is_going and menu.ask.option_ids[number]
  if option and answer.give(menu.ask, true, { option = option }) then
    M.leave()
  end
end

---@return integer? number of the option under the cursor, from 1
local function option_here()
  local item = menu.items[api.nvim_win_get_cursor(0)[1]]
  local number = item and menu.ask and item - menu.ask.first + 1
  return number and menu.ask.option_ids[number] and number or nil
end

function M.go(step)
  if not menu.ask or menu.ask.count < 2 then
    return notice.notice('no other question waits')
  end
  menu.is_going = true
  bridge.call('ask_go', { step = step }, function()
    menu.is_going = false
  end)
end

---@param run_escape fun()
local function map_answers(buffer, run_escape)
  local found = { { 'q <Esc>', 'Leave it pending', run_escape } }
  for number = 1, 9 do
    local function run()
      choose(number)
    end
    table.insert(found, number, { tostring(number), 'Choose this option', run })
  end
  keys.map_all(buffer, found)
end

local function show_detail()
  local window, ask = api.nvim_get_current_win(), menu.ask
  if not ask then
    return
  end
  local wish = {}
  menu.wish = wish
  bridge.call('ask_whole', { ask = ask.id }, function(err, found)
    local has_moved = api.nvim_get_current_win() ~= window or not hands.are_off()
    local is_wanted = menu.wish == wish and menu.ask and menu.ask.id == ask.id
    menu.wish = nil
    if has_moved or not is_wanted then
      return
    elseif not found then
      return notice.warn(err or 'there is no more to show')
    end
    local buffer = float.fill(found.ops, 'acp-details', menu.ask.chat)
    keys.map(buffer, 'n', '<CR>', 'Choose the option under the cursor', function()
      choose(api.nvim_win_get_cursor(0)[1] - found.options)
    end)
    map_answers(buffer, function()
      float.close(menu.detail)
      if float.is_open(menu.winid) then
        api.nvim_set_current_win(menu.winid)
      end
    end)
    local config = float.large(ask.title, buffer)
    local below = float.is_open(menu.winid) and api.nvim_win_get_config(menu.winid).zindex or 0
    config.zindex = math.max(config.zindex, below + 1)
    menu.detail = float.open(buffer, true, config)
  end)
end

--- Map the keys that show what it is about.
---@param buffer integer of the window, or a side of a comparison
local function map_shows(buffer)
  keys.map(buffer, 'n', 'd', 'Show the files side by side, or all of it', function()
    if not menu.ask or menu.ask.comparable == 0 then
      return show_detail()
    end
    evidence.show(function(side)
      map_shows(side)
      map_answers(side, evidence.close)
    end)
  end)
  keys.map(buffer, 'n', 'D', 'Show all of it', show_detail)
end

local function map_permission()
  map_answers(menu.bufnr, function()
    if not menu.wish then
      return menu.fold()
    end
    menu.wish = nil -- what was to be left is not there yet
  end)
  keys.map(menu.bufnr, 'n', '<CR>', 'Choose the option under the cursor', function()
    local number = option_here()
    if number then
      choose(number)
    end
  end)
  map_shows(menu.bufnr)
end

--- Map the keys of the window as the question that it shows wants them.
function M.map()
  local kind = menu.ask.kind == 'permission' and 'permission' or 'form'
  local wanted = ('%d %s %s'):format(menu.bufnr, kind, keys.is_wanted(menu.bufnr))
  if menu.mapped == wanted then
    return
  end
  menu.mapped = wanted
  for _, map in ipairs(api.nvim_buf_get_keymap(menu.bufnr, 'n')) do
    api.nvim_buf_del_keymap(menu.bufnr, 'n', map.lhs)
  end
  if menu.ask.kind == 'permission' then
    map_permission()
  else
    require('acp.ask.form').map()
    keys.map(menu.bufnr, 'n', 'D', 'Show all of it', show_detail)
  end
  for key, step in pairs({ [']q'] = 1, ['[q'] = -1 }) do
    keys.map(menu.bufnr, 'n', key, step == 1 and 'Next question' or 'Previous question', function()
      M.go(step)
    end)
  end
end

--- The line of the cursor is shown as selected only where <CR> would do something.
function M.is_choice_here()
  if not menu.ask then
    return false
  elseif menu.ask.kind == 'permission' then
    return option_here() ~= nil
  end
  return require('acp.ask.form').row_here() ~= nil
end

return M
