-- The agents' terminals: real terminal buffers whose programs run on ptys of the host. What they
-- show comes from the host, what the user types goes there.

local bridge = require('acp.host.bridge')
local events = require('acp.ui.events')
local hands = require('acp.files.hands')
local unseen = require('acp.ui.unseen')

local api = vim.api

local M = {}

-- Rows of all of them, each of which takes 2 KB of 80 columns; and of one that is too many.
local MOST_ROWS, LEAST_ROWS = 50000, 200

---@alias acp.Terminal { buffer: integer, channel: integer, size: string } rows and columns, as it knows them

---@type table<integer, acp.Terminal>
local terminals = {}

---@return acp.Terminal?
local function find(number)
  local terminal = terminals[number]
  if terminal and api.nvim_buf_is_loaded(terminal.buffer) then
    return terminal
  end
  terminals[number] = nil
end

--- Make a hidden terminal buffer. Its channel is never closed: then one key in terminal mode would
--- wipe the buffer.
---@param number integer the host's number of it
---@return integer buffer
function M.open(number, name)
  return unseen.buffer(function(buffer)
    local channel = api.nvim_open_term(buffer, {
      force_crlf = false,
      on_input = function(_, _, _, data)
        if (find(number) or {}).buffer == buffer then -- else it is another host's
          bridge.tell_running('terminal_input', { terminal = number, data = data })
        end
      end,
    })
    terminals[number] = { buffer = buffer, channel = channel, size = '' }
    require('acp.chat.registry').name(buffer, 'acp-terminal://' .. name)
  end, { scrollback = MOST_ROWS, bufhidden = 'hide', filetype = 'acp_terminal' })
end

--- Keep the rows of all of them within their number: the oldest lose their beginnings.
---@param number integer the one that is written to
local function make_room(number)
  local rows, numbers = 0, vim.tbl_keys(terminals)
  for _, it in ipairs(numbers) do
    rows = rows + (find(it) and api.nvim_buf_line_count(terminals[it].buffer) or 0)
  end
  if rows <= MOST_ROWS then
    return
  end
  table.sort(numbers)
  for _, it in ipairs(numbers) do
    local held = find(it) and it ~= number and api.nvim_buf_line_count(terminals[it].buffer) or 0
    if held > 2 * LEAST_ROWS and rows > MOST_ROWS then
      unseen.quietly(unseen.set, terminals[it].buffer, { scrollback = LEAST_ROWS })
      rows = rows - held + LEAST_ROWS
    end
  end
end

--- Show output.
---@return boolean there false when the user has wiped it
function M.write(number, data)
  local terminal = find(number)
  if not terminal then
    return false
  end
  unseen.quietly(api.nvim_chan_send, terminal.channel, data)
  make_room(number)
  return true
end

--- Wipe it, now or when no window shows it any more.
---@return boolean gone
function M.forget(number)
  local terminal = find(number)
  if not terminal then
    return true
  end
  if #vim.fn.win_findbuf(terminal.buffer) > 0 then
    unseen.quietly(unseen.set, terminal.buffer, { bufhidden = 'wipe' })
    return false
  end
  terminals[number] = nil
  unseen.quietly(api.nvim_buf_delete, terminal.buffer, { force = true })
  return true
end

bridge.on_end(function() -- all programs have ended with the host
  for number in pairs(terminals) do
    M.forget(number)
  end
  terminals = {}
end)

local function go(buffer)
  local window = vim.fn.bufwinid(buffer)
  if window ~= -1 then
    api.nvim_set_current_win(window)
  else
    vim.cmd(('botright sbuffer %d'):format(buffer))
  end
  vim.cmd.normal({ 'G', bang = true })
end

--- Called by the host, at the user's command: go to its window, or open one below.
---@return boolean there
function M.show(number)
  local terminal = find(number)
  if not terminal then
    return false
  end
  hands.calmly('the terminal', go, terminal.buffer)
  return true
end

--- Let the user choose one.
function M.pick()
  if bridge.running() then
    bridge.notify('terminals')
  else
    require('acp.ui.notice').notice('no agent has a terminal')
  end
end

--- A program is told the size of the largest window that shows it, as Neovim's own are.
local function tell_size(number, terminal)
  local rows, columns = 0, 0
  for _, window in ipairs(vim.fn.win_findbuf(terminal.buffer)) do
    local info = vim.fn.getwininfo(window)[1]
    rows = math.max(rows, info.height)
    columns = math.max(columns, info.width - info.textoff)
  end
  local size = ('%d×%d'):format(rows, columns)
  if rows > 0 and columns > 0 and size ~= terminal.size then
    terminal.size = size
    local payload = { terminal = number, rows = rows, columns = columns }
    bridge.tell_running('terminal_size', payload)
  end
end

local on = events.group('acp.terminal')

on({ 'WinResized', 'BufWinEnter' }, "The sizes of the agents' terminals", function()
  for number in pairs(terminals) do
    local terminal = find(number)
    if terminal then
      tell_size(number, terminal)
    end
  end
end, { later = true })

return M
