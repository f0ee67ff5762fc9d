-- `:Acp agents`: a buffer with the agents that are here, that could be installed, and those of the
-- public registry. The host makes the list and does what is wanted; it is drawn anew until that is
-- done.

local apply = require('acp.ui.apply')
local bar = require('acp.ui.bar')
local bridge = require('acp.host.bridge')
local chats = require('acp.chat.registry')
local events = require('acp.ui.events')
local keys = require('acp.ui.keys')
local dress = require('acp.ui.dress')
local layout = require('acp.ui.layout')
local notice = require('acp.ui.notice')

local api = vim.api

local M = {}

local AGAIN = 500 -- milliseconds between two drawings while something goes on
local SHARE = 0.65 -- of the rows of the screen

---@type acp.BarPart[]
local BAR = {
  { group = 'AcpWinbarState', text = 'Agents', need = 0, right = false },
  {
    group = 'AcpWinbarUsage',
    text = '<CR> details · s start · i install · R fetch · g? all keys',
    short = 's start · i install · g? keys',
    need = 1,
    right = true,
  },
}

-- Its buffer; the width for which it was drawn; `names`, the agent of each row, '' for none; `here`, those
-- that can be started; `opened`, of which the details are shown; `is_waiting`, it is drawn again soon.
local list ---@type table?

---@return integer? window
---@return integer? width of its text
local function window_of(buffer)
  local window = vim.fn.win_findbuf(buffer)[1]
  local info = window and vim.fn.getwininfo(window)[1]
  return window, info and info.width - info.textoff
end

local refresh

--- Have the host do something; the list is another while it does, and afterwards.
local function ask(verb, payload)
  bridge.ask(verb, payload, refresh, refresh)
  refresh()
end

local function fetch()
  ask('fetch_registry')
end

local function draw(this, found)
  apply.draw_whole(this.buffer, found.ops)
  this.names, this.here = found.names, found.here
  if found.busy and not this.is_waiting then
    this.is_waiting = true
    vim.defer_fn(function()
      this.is_waiting = false
      refresh()
    end, AGAIN)
  end
end

--- Ask the host for the list as it is now, and draw it.
function refresh()
  local this = list
  local width = this and select(2, window_of(this.buffer))
  if not this or not width then
    return
  end
  this.width = width
  local payload = { width = width, opened = vim.tbl_keys(this.opened) }
  apply.expect(this.buffer, 'Looking for agents …')
  bridge.ask('agent_list', payload, function(found)
    if list == this then
      draw(this, found)
    end
  end, function(err)
    apply.expect(this.buffer, err)
  end)
end

local function map_keys(this)
  ---@param deed fun(name: string)
  ---@return fun() does it with the agent under the cursor
  local function on(deed)
    return function()
      local name = this.names[api.nvim_win_get_cursor(0)[1]] or ''
      if name == '' then
        return notice.notice('there is no agent in this row')
      end
      deed(name)
    end
  end
  local function asks(verb)
    return on(function(name)
      ask(verb, { agent = name })
    end)
  end
  local function toggle(name)
    this.opened[name] = not this.opened[name] or nil
    refresh()
  end
  local function start(name)
    if not vim.list_contains(this.here, name) then
      return notice.notice(('%s is not here: i installs it'):format(name))
    end
    require('acp.command.agent').start(name)
  end
  keys.map_all(this.buffer, {
    { '<CR>', 'Open or close the details', on(toggle), 'agent-details' },
    { 's', 'Start the agent', on(start), 'agent-start' },
    { 'i', 'Install the agent, or a newer one', asks('install_agent'), 'agent-install' },
    { 'D', 'Remove an agent installed here', asks('remove_agent'), 'agent-remove' },
    { '<C-c>', 'Stop installing it', asks('cancel_install'), 'agent-stop' },
    { 'R', 'Fetch the list of the registry anew', fetch, 'agents-fetch' },
    { 'q', 'Close the window', layout.close_here, 'close' },
  })
end

local function make()
  local buffer = chats.list('acp-agents')
  local this = { buffer = buffer, names = {}, here = {}, opened = {}, is_waiting = false }
  bar.set(buffer, BAR)
  map_keys(this)
  local on = events.group('acp.agents')
  on({ 'VimResized', 'WinResized' }, 'The list of agents fits its window', function()
    local _, width = window_of(buffer)
    if width and width ~= this.width then
      refresh()
    end
  end)
  on('BufWipeout', 'The list of agents is closed', function()
    list = nil
    events.leave('acp.agents')
  end, { buffer = buffer })
  return this
end

--- Show the agents in a window of their own.
---@param wants_fetch? boolean fetch the list of the registry first
function M.open(wants_fetch, mods)
  list = list or make()
  local window = window_of(list.buffer)
  if window then
    api.nvim_set_current_win(window)
  else
    layout.leave_float()
    window = layout.split(list.buffer, mods)
    if not layout.says_where(mods) then
      api.nvim_win_set_height(window, math.floor(vim.o.lines * SHARE))
    end
    dress.window(window, dress.LIST)
  end
  if wants_fetch then
    return fetch()
  end
  refresh()
end

return M
