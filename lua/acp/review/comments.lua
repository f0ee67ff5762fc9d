-- Comments on lines of files, for an agent to read with the next prompt: made, written in a small
-- window, listed. The host keeps them, knows where they are, and has them drawn by `acp.review.marks`.

local bridge = require('acp.host.bridge')
local events = require('acp.ui.events')
local float = require('acp.ui.float')
local hands = require('acp.files.hands')
local keys = require('acp.ui.keys')
local listed = require('acp.review.listed')
local notice = require('acp.ui.notice')
local places = require('acp.review.place')
local unseen = require('acp.ui.unseen')

local api = vim.api

local M = {}

local WIDEST, HEIGHT = 72, 4

---@alias acp.CommentPlace { path: string, first: integer, last: integer, lines: string[], held: acp.Place }
---  1-based, inclusive

--- The lines of the current buffer's file; nil if it has none, and the user was told.
local function place_of(range)
  local path = places.file_here()
  if not path then
    notice.notice('this buffer is not a file: comments are on lines of files')
    return nil
  end
  local most = api.nvim_buf_line_count(0)
  local first = math.max(math.min(range[1], most), 1)
  local last = math.max(math.min(range[2], most), first)
  return {
    path = path,
    first = first,
    last = last,
    lines = api.nvim_buf_get_lines(0, first - 1, last, false),
    held = places.hold(first, last),
  }
end

--- Tell the host, of the lines as they are by now: an agent may have worked on while the user wrote.
local function send(place, text)
  local buffer, mark = place.held.buffer, place.held.mark
  local payload = { text = text, path = place.path, buffer = buffer, mark = mark }
  payload.first, payload.last, payload.lines = place.first, place.last, place.lines
  local now = places.rows(buffer, mark)
  if now and now.first then
    payload.first, payload.last = now.first + 1, now.last
    payload.lines = api.nvim_buf_get_lines(buffer, now.first, now.last, true)
  end
  bridge.call('comment', payload, function(err, done)
    places.let_go(place.held)
    notice.notice(err or done, err ~= nil)
  end)
end

--- Say something on lines of the current buffer's file.
---@param text string '' takes back what was said there
function M.comment(range, text)
  local place = place_of(range)
  if place then
    send(place, vim.trim(text))
  end
end

--- Below the last line, in the window where the user is.
local function config(place)
  local width = math.max(math.min(WIDEST, api.nvim_win_get_width(0) - 4), 1)
  local row = vim.fn.screenpos(0, place.last, 1).row
  local lines = place.first == place.last and ('line %d'):format(place.first)
    or ('lines %d-%d'):format(place.first, place.last)
  return {
    relative = 'win',
    row = row > 0 and row - api.nvim_win_get_position(0)[1] or 0,
    col = 2,
    width = width,
    height = HEIGHT,
    style = 'minimal',
    border = float.border(),
    title = { { (' Comment on %s '):format(lines), 'AcpFloatTitle' } },
    footer = { { ' <C-s> adds it · <Esc>q discards it ', 'AcpFloatFooter' } },
  }
end

--- Leaving the window, however, keeps what is written in it.
---@param over? fun() called once it is closed
local function watch(buffer, window, place, over)
  local is_over, is_left = false, false
  local function close()
    float.close(window)
  end
  local function keep()
    if is_left then
      return -- both events come
    end
    is_left = true
    local text = vim.trim(table.concat(api.nvim_buf_get_lines(buffer, 0, -1, true), '\n'))
    if text ~= '' and not is_over then
      send(place, text)
    else
      places.let_go(place.held)
    end
    vim.cmd.stopinsert({ mods = { silent = true } }) -- or it clears the message on the screen
    vim.schedule(function()
      close()
      if over then
        over()
      end
    end)
  end
  local scope = { buffer = buffer }
  events.on({ 'BufLeave', 'BufWinLeave' }, 'The comment is kept', keep, scope)
  events.on('BufWriteCmd', 'The comment is kept', function()
    vim.bo[buffer].modified = false
    vim.schedule(close)
  end, scope)
  local function drop()
    is_over = true
    close()
  end
  keys.map(buffer, 'i', '<C-s>', 'Add the comment', close)
  keys.map_all(buffer, {
    { '<CR>', 'Add the comment', close },
    { '<C-s>', 'Add the comment', close },
    { 'q', 'Discard it', drop },
  })
end

--- Write a comment in a small window.
---@param over? fun() called once it is closed
local function write(range, over)
  local place = place_of(range)
  if not place then
    return
  end
  local buffer = unseen.buffer(function(it)
    api.nvim_buf_set_name(it, ('acp-comment://%d'):format(it))
  end, { buftype = 'acwrite', bufhidden = 'wipe' })
  local window = float.open(buffer, true, config(place))
  watch(buffer, window, place, over)
  vim.cmd.startinsert()
end

--- Write one on lines of a file that a list names, and come back to the list.
local function write_on(path, range)
  local list = api.nvim_get_current_win()
  require('acp.review.motion').go(path, range[1])
  if places.file_here() ~= path then
    return -- the user was told
  end
  write(range, function()
    if api.nvim_win_is_valid(list) then
      api.nvim_set_current_win(list)
    end
  end)
end

--- Write a comment in a small window; in a list of hunks, on that of the row.
function M.write(range)
  local list = listed.here()
  if not list then
    return write(range)
  end
  local path, lines = list.place()
  if path and lines then
    return write_on(path, lines)
  end
  notice.notice('no hunk in this row')
end

--- List the comments that no agent was told yet.
function M.list()
  bridge.ask('comments', nil, function(items)
    if #items == 0 then
      return notice.notice('no comments: :Acp comment makes one')
    end
    vim.fn.setqflist({}, ' ', { nr = '$', title = 'acp: comments', items = items })
    hands.calmly('the list', api.nvim_command, 'botright copen')
  end)
end

return M
