-- Only the editor moves in a window that nobody is in, and sees what the user does there.
--
-- Where the agent is, as the host says: a sign and a coloured line in every window with that file, and
-- one window that goes along (companion.lua).

local bridge = require('acp.host.bridge')
local companion = require('acp.follow.companion')
local events = require('acp.ui.events')
local file_buffers = require('acp.files.buffers')

local api = vim.api

local M = {}

local namespace = api.nvim_create_namespace('acp_follow')

---@type { path: string, line: integer }?
local place
---@type { buffer: integer, tick: integer, cursor: integer[] }? how the user found the window
local found
local is_watching = false

--- The user who comes into the window and moves there wants to see something else. What an agent
--- writes meanwhile moves the cursor, too.
local function watch()
  if is_watching then
    return
  end
  is_watching = true
  local on = events.group('acp.follow')
  local function look()
    found = {
      buffer = api.nvim_get_current_buf(),
      tick = vim.b.changedtick,
      cursor = api.nvim_win_get_cursor(0),
    }
  end
  on('WinEnter', 'The user comes into the window', function()
    found = nil
    if api.nvim_get_current_win() == companion.window() then
      look()
    end
  end)
  on({ 'CursorMoved', 'CursorMovedI' }, 'The user moves there', function(event)
    if api.nvim_get_current_win() ~= companion.window() or not found then
      return
    end
    local is_same = found.buffer == event.buf
    local is_written = is_same and found.tick ~= vim.b.changedtick
    if is_written and event.event == 'CursorMoved' then
      look()
    elseif not is_same or not vim.deep_equal(found.cursor, api.nvim_win_get_cursor(0)) then
      M.stop()
      bridge.tell_running('follow', { to = 'off', moved = true })
    end
  end)
  on('BufWinEnter', 'The sign in a file that is opened later', function(event)
    local is_marked = api.nvim_buf_get_extmark_by_id(event.buf, namespace, 1, {})[1]
    if place and not is_marked and file_buffers.find(place.path) == event.buf then
      M.mark()
    end
  end)
end

--- Go along with the agent, or no longer.
---@param to 'on'|'off'|'toggle'
function M.turn(to)
  bridge.notify('follow', { to = to })
end

--- Have a window that can be moved: the only one that is ever opened, for the user wants it now.
function M.start()
  companion.open()
  watch()
end

--- Take away the sign.
local function unmark()
  for _, buffer in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_is_loaded(buffer) then
      api.nvim_buf_del_extmark(buffer, namespace, 1)
    end
  end
end

--- Put the sign where the agent is, if that file is loaded.
function M.mark()
  unmark()
  local buffer = place and file_buffers.find(place.path)
  if not place or not buffer then
    return
  end
  require('acp.ui.highlights').define()
  local row = math.min(place.line, api.nvim_buf_line_count(buffer)) - 1
  api.nvim_buf_set_extmark(buffer, namespace, row, 0, {
    id = 1,
    sign_text = '▶',
    sign_hl_group = 'AcpAgentSign',
    line_hl_group = 'AcpAgentLine',
    priority = 20,
  })
end

--- Called by the host: the agent is there now.
---@param line integer 1-based
---@param is_known boolean false: no line was told
---@return boolean done false when Neovim refuses just now: then soon again
function M.show(path, line, is_known)
  place = { path = path, line = line }
  watch()
  local ok, err = pcall(companion.move, path, line, is_known)
  local refused = not ok and companion.is_refusal(err)
  if not ok and not refused then
    require('acp.host.log').line(('%s cannot be followed: %s'):format(path, err))
  end
  M.mark()
  require('acp.ui.apply').redraw()
  return not refused
end

--- Called by the host: the agent is nowhere now.
function M.clear()
  place = nil
  unmark()
end

--- Called by the host: follow is off. The window stays and is the user's.
function M.stop()
  companion.forget()
  found, is_watching = nil, false
  events.leave('acp.follow')
  M.clear()
end

bridge.on_end(M.stop)

return M
