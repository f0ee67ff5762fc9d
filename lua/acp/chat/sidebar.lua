-- The list of the sessions as a column that stays: one for each tabpage that wants it, all with the same
-- buffer. The host draws it while a window of the user's tabpage shows it.

local bridge = require('acp.host.bridge')
local events = require('acp.ui.events')
local layout = require('acp.ui.layout')
local life = require('acp.ui.life')
local unseen = require('acp.ui.unseen')

local api = vim.api

local M = {}

local LEAST, MOST = 26, 40

---@return integer cells: as the user has left it in this tabpage, else a fifth of the editor
local function width()
  local share = math.floor(vim.o.columns / 5)
  local wanted = vim.t.acp_sidebar or math.max(LEAST, math.min(share, MOST))
  return math.max(1, math.min(wanted, math.floor(vim.o.columns / 2)))
end

---@param window integer
---@param buffer integer
---@return boolean whether it shows it, or does so again in a moment
local function has(window, buffer)
  return layout.held(window) == buffer or api.nvim_win_get_buf(window) == buffer
end

--- Whether the host was told that it is on the screen.
local is_shown = true

--- Tell the host whether it is; while nobody sees it nothing in it turns.
---@param buffer integer
local function look(buffer)
  local now = layout.window_of(buffer) ~= nil
  if now == is_shown then
    return
  end
  is_shown = now
  life.set(buffer, now and vim.b[buffer].acp_status or {})
  bridge.tell_running('list_shown', { list = buffer, shown = now })
end

--- Its last window is closed: it goes. Later, for what is shown in such a window goes elsewhere first.
---@param buffer integer
local function settle(buffer)
  vim.schedule(function()
    if vim.v.exiting ~= vim.NIL or not api.nvim_buf_is_valid(buffer) then
      return
    end
    local is_anywhere = vim.iter(api.nvim_list_wins()):any(function(window)
      return has(window, buffer)
    end)
    if not is_anywhere then
      return unseen.delete(buffer)
    end
    look(buffer)
  end)
end

--- Let a buffer be one: it stays while a window holds it, whatever is shown there for a moment.
---@param buffer integer
function M.make(buffer)
  vim.bo[buffer].bufhidden = 'hide'
  is_shown = true
  local on = events.group('acp.sidebar')
  on('WinClosed', 'The list of sessions keeps its width; without a window it ends', function(event)
    local window = assert(tonumber(event.match))
    if not api.nvim_win_is_valid(window) or not has(window, buffer) then
      return
    end
    if api.nvim_win_get_width(window) < vim.o.columns then
      local tabpage = api.nvim_win_get_tabpage(window)
      api.nvim_tabpage_set_var(tabpage, 'acp_sidebar', api.nvim_win_get_width(window))
    end
    settle(buffer)
  end)
  local function seen()
    settle(buffer)
  end
  local desc = 'The list of sessions is drawn where it is seen'
  on('TabEnter', desc, seen)
  on({ 'BufEnter', 'BufLeave' }, desc, seen, { buffer = buffer })
end

--- Show it in this tabpage, and go there.
---@param buffer integer
function M.open(buffer)
  layout.open_sidebar(buffer, width())
  look(buffer)
end

return M
