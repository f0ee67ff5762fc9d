-- Only the editor sees what covers a question, and knows what was on screen when a key came.
--
-- The one window of all questions that wait. It opens without taking focus, changes no mode, and lives
-- exactly as long as something waits: what the user closes comes back. The host says which it shows.

local answer = require('acp.ask.answer')
local apply = require('acp.ui.apply')
local attention = require('acp.ui.attention')
local bridge = require('acp.host.bridge')
local events = require('acp.ui.events')
local evidence = require('acp.ask.evidence')
local float = require('acp.ui.float')
local hands = require('acp.files.hands')
local keys = require('acp.ask.keys')
local layout = require('acp.ui.layout')
local menu = require('acp.ask.menu')
local notice = require('acp.ui.notice')
local pane = require('acp.ask.pane')
local place = require('acp.ask.place')
local unseen = require('acp.ui.unseen')

local api = vim.api

local M = {}

local RETRY_MS = 50
local PATIENCE_MS = 3000
local PLACED = { 'WinClosed', 'WinResized', 'VimResized', 'TabEnter', 'WinEnter' }
vim.list_extend(PLACED, { 'BufWinEnter', 'ModeChanged' })

local is_refused = false

--- Put it where it belongs. Neovim may refuse now (E565, E11): then soon again.
---@param silent? boolean the host need not be told of the window: it is in the answer
---@param is_due? boolean however the screen is
local function settle_soon(silent, is_due)
  if not menu.ask then
    return
  end
  local ok, opened = pcall(unseen.quietly, pane.settle, is_due == true)
  if not ok then
    if not is_refused then
      require('acp.host.log').line(('the question is not on screen yet: %s'):format(opened))
    end
    is_refused = true
    vim.defer_fn(settle_soon, RETRY_MS)
  elseif opened and (is_refused or not silent) then
    is_refused = false
    bridge.tell_running('ask_window', { bufnr = menu.bufnr, winid = menu.winid })
  end
  apply.redraw()
end

function menu.settle()
  settle_soon()
end

--- Once, however many events say so.
local plan = unseen.soon(function()
  if menu.folded and api.nvim_get_current_win() == menu.winid then
    menu.folded = nil -- whoever goes there wants to see it
  end
  if vim.v.exiting == vim.NIL then
    settle_soon()
  end
end)

--- The cursor has moved: it must not be under the window, whose footer counts what is below.
---@param event vim.api.keyset.create_autocmd.callback_args
local function keep_clear(event)
  local is_float = float.is_open(menu.winid) and layout.is_float(menu.winid)
  local is_over = is_float and not place.is_inside() and place.is_in_the_way(menu.winid)
  if is_over or event.match == tostring(menu.winid) then
    plan()
  end
end

--- Look after it while there is one.
---@param is_new boolean there was none
local function attend(is_new)
  if not menu.ask then
    events.leave('acp.ask')
  elseif is_new then
    local on, desc = events.group('acp.ask'), 'The question is where it belongs'
    on(PLACED, desc, plan)
    on('OptionSet', desc, plan, { pattern = { 'ambiwidth', 'emoji' } })
    on({ 'CursorMoved', 'CursorMovedI', 'WinScrolled' }, desc, keep_clear)
  end
end

--- Close the window, unless something else is asked by now; its buffer waits for the next question.
--- Raises when Neovim refuses now, or the user is in the middle of a command in it; may be called again.
local function close()
  if menu.ask then
    return
  elseif place.is_inside() and not hands.are_off() then
    error('the command of the user would go on in a file', 0)
  end
  keys.leave()
  float.close(menu.winid)
  menu.winid, menu.back = 0, nil
end

--- What the user was told of already.
---@type table<string, true>
local told = {}

--- Say that something is asked, to a user who does not see the chat.
local function tell(ask)
  if not told[ask.id] then
    told[ask.id] = true
    local said = ('%s: %s'):format(vim.trim(ask.title), vim.trim(ask.subject))
    attention.tell(ask.chat, said .. ': :Acp permit')
  end
end

--- Close what showed more of a question, once the user is in the middle of no command in it.
---@param window integer?
local function close_detail(window)
  local is_here = api.nvim_get_current_win() == window
  if is_here and not hands.are_off() then
    return vim.defer_fn(function()
      close_detail(window)
    end, RETRY_MS)
  end
  if is_here then
    pcall(api.nvim_set_current_win, menu.winid)
  end
  pcall(float.close, window)
end

--- Something else is asked now: what showed more of the other question goes.
---@param before acp.Ask?
---@param ask acp.Ask?
local function turn_to(before, ask)
  if before and ask and before.id == ask.id and before.seen == ask.seen then
    return
  end
  menu.is_going = false
  menu.folded = nil
  close_detail(menu.detail)
  if before and not (ask and ask.id == before.id) then
    evidence.retire(before.id, close)
  end
end

--- Show a question in place of what is shown; nil when nothing waits any more. Fitted into a screen
--- that is another now it changes nothing but in the answer, unless it `is_due`.
---@param ask acp.Ask?
---@param fit acp.Fit|{}|nil
---@param is_due? boolean
---@return { bufnr: integer, winid: integer }|{ look: acp.Look }|nil window 0 while Neovim refuses; told by `ask_window`
function M.show(ask, fit, is_due)
  ask = ask ~= vim.NIL and ask or nil
  local look = ask and not is_due and place.look(ask.chat)
  if look and not place.is_same(look, fit) then
    return { look = look }
  end
  local before = menu.ask
  if not ask then
    answer.gone()
  end
  menu.ask, menu.fit, menu.told = ask, fit, nil
  attend(before == nil)
  turn_to(before, ask)
  if not ask then
    return
  end
  settle_soon(true, true)
  tell(ask)
  return { bufnr = math.max(menu.bufnr, 0), winid = menu.winid }
end

--- Fit the question into the screen as the host was told of it; nothing if another one is shown.
---@param id string
---@param fit acp.Fit
function M.fit(id, fit)
  if menu.ask and menu.ask.id == id then
    menu.fit, menu.told = fit, nil
    settle_soon(false, true)
  end
end

--- Take it away with what it belongs to: a chat, or all.
---@param chat integer?
function M.close_of(chat)
  if menu.ask and (chat == nil or menu.ask.chat == chat) then
    M.show(nil)
  end
end

bridge.on_end(M.close_of)

function menu.fold()
  menu.folded = menu.ask and menu.ask.id
  keys.leave()
  menu.settle()
end

local function enter()
  menu.folded = nil
  menu.is_entering = true
  settle_soon()
  if float.is_open(menu.winid) and not place.is_inside() then
    menu.back = api.nvim_get_current_win()
    unseen.stop_insert()
    api.nvim_set_current_win(menu.winid)
    settle_soon()
  end
  menu.is_entering = nil
end

--- Move the cursor into it once the user's hands are still, in normal mode; in no other.
---@param id string?
---@param deadline number when it is given up
---@return boolean done
local function enter_calmly(id, deadline)
  local is_wanted = menu.ask and menu.ask.id == id and api.nvim_get_mode().mode:find('^nt?$')
  if not is_wanted or place.is_inside() or answer.now() > deadline then
    return false
  elseif not (answer.is_still() and hands.are_off()) then
    vim.defer_fn(function()
      enter_calmly(id, deadline)
    end, RETRY_MS)
    return false
  end
  enter()
  answer.moved()
  return true
end

--- Move the cursor into it, as the result of a user's command.
---@param id? string only if it shows that question
---@param calmly? boolean not under the user's hands
---@return boolean found
function M.focus(id, calmly)
  if not menu.ask or (id and menu.ask.id ~= id) then
    return false
  elseif calmly then
    return enter_calmly(id, answer.now() + PATIENCE_MS)
  end
  enter()
  return true
end

---@param wanted { kind?: string, number?: integer }
---@return integer? number of the option, from 1
local function find_option(wanted)
  for number, kind in ipairs(menu.ask.option_kinds) do
    if number == wanted.number or kind == wanted.kind then
      return number
    end
  end
end

--- Go to the question on screen, and from there to the next one, whichever session asks it.
function M.next_question()
  if not menu.ask then
    return notice.notice('no agent is asking for anything')
  elseif api.nvim_get_current_win() == menu.winid then
    return require('acp.ask.keys').go(1)
  end
  enter()
end

--- Answer the question on screen by the kind of its option, or by its number; without such an option
--- the window is focused. At once where no answer is given: the next key is meant for it.
---@param wanted { kind?: string, number?: integer }
function M.permit(wanted)
  local ask = menu.ask
  if not ask then
    return notice.notice('no agent is asking for anything')
  elseif not wanted.kind and (wanted.number or 0) == 0 then
    return enter()
  elseif pane.is_folded() or pane.is_hidden() then
    menu.folded, menu.config = nil, nil
    menu.settle()
    answer.moved()
    return notice.warn('nothing was answered: look at the question first')
  end
  local number = find_option(wanted)
  if number then
    answer.give(ask, false, { option = ask.option_ids[number] })
  elseif wanted.kind then
    enter()
  elseif ask.kind ~= 'permission' then
    notice.warn('the question on screen has no numbers: :Acp permit goes to it')
  else
    local text = 'there is no option %d: the agent offers %d'
    notice.warn(text:format(wanted.number, #ask.option_ids))
  end
end

return M
