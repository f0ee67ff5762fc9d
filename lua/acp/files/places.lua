-- Places of which Neovim takes no care in an edit by the API: '[ and '], and where the cursor goes in a
-- buffer that is in no window now. They stay with their text. Only acp.files.edit calls.

local events = require('acp.ui.events')

local api = vim.api

require('acp.host.lazy').interpreted()

local M = {}

---@type table<integer, integer[]> by buffer in no window: the cursor to which Neovim would return
local returns = {}
local on = events.group('acp_places')

--- The line that is where another was before the hunks; for one that they take out that below it.
---@param line integer
local function moved(line, hunks)
  local shift = 0
  for _, hunk in ipairs(hunks) do
    local first, last, count = hunk[1], hunk[2], #hunk[3]
    if line > last then
      shift = shift + count - (last - first)
    elseif line > first + count then
      return first + count + shift + 1
    end
  end
  return line + shift
end

--- The buffer is in that window again: where Neovim has gone to the number that the line had, go on to
--- the line.
local function go(buffer, window)
  local was = returns[buffer]
  returns[buffer] = nil
  local is_there = was and api.nvim_win_is_valid(window) and api.nvim_win_get_buf(window) == buffer
  if is_there and vim.deep_equal(api.nvim_win_get_cursor(window), was) then
    api.nvim_win_set_cursor(window, api.nvim_buf_get_mark(buffer, '"'))
  end
end

--- See that the cursor returns to its text when the buffer comes into a window again.
local function wait(buffer)
  local cursor = api.nvim_buf_get_mark(buffer, '"')
  if returns[buffer] or cursor[1] <= 1 then
    return
  end
  returns[buffer] = cursor
  on('BufWinEnter', 'The cursor returns to its text, whose number is another', function()
    local window = api.nvim_get_current_win()
    vim.schedule(function() -- Neovim moves the cursor after the event
      go(buffer, window)
    end)
  end, { buffer = buffer, once = true })
end

on('BufUnload', 'The places of a buffer go with it', function(event)
  returns[event.buf] = nil
  api.nvim_clear_autocmds({ group = 'acp_places', buffer = event.buf })
end)

---@param line integer before the hunks
---@return integer line after them, or the last one
local function line_after(buffer, line, hunks)
  return math.min(moved(line, hunks), api.nvim_buf_line_count(buffer))
end

---@param place integer[] where it was
local function move(buffer, name, place, hunks)
  if place[1] > 0 and moved(place[1], hunks) ~= place[1] then
    api.nvim_buf_set_mark(buffer, name, line_after(buffer, place[1], hunks), place[2], {})
  end
end

---@alias acp.Places { back: integer[], first?: integer[], last?: integer[], cursors?: table<integer, integer[]> }
---  the marks ' [ and ], and by windows the cursors whose lines go; no line changes its number without these

--- The cursors of the buffer that are in lines which the hunks take out.
local function cursors(buffer, hunks)
  local found = {}
  local windows = api.nvim_list_wins()
  if #windows > 1 or api.nvim_win_get_buf(windows[1]) ~= buffer then
    windows = vim.fn.win_findbuf(buffer)
  end
  if #windows == 0 and buffer ~= api.nvim_get_current_buf() then
    wait(buffer)
  end
  for index = 1, #windows do
    local cursor = api.nvim_win_get_cursor(windows[index])
    for number = 1, #hunks do
      local hunk = hunks[number]
      if cursor[1] > hunk[1] + #hunk[3] and cursor[1] <= hunk[2] then
        found[windows[index]] = cursor
      end
    end
  end
  return found
end

--- See where they are; call it before an edit.
---@param grows boolean whether the edit changes how many lines there are
---@return acp.Places seen
function M.see(buffer, hunks, grows)
  local get = api.nvim_buf_get_mark
  local seen = { back = buffer == api.nvim_get_current_buf() and get(buffer, "'") or { 0 } }
  if grows then
    seen.first, seen.last, seen.cursors = get(buffer, '['), get(buffer, ']'), cursors(buffer, hunks)
  end
  return seen
end

--- Put them where their text is after the edit.
---@param seen acp.Places
function M.keep(buffer, hunks, seen)
  local back = seen.back
  if back[1] > 0 and api.nvim_buf_get_mark(buffer, "'")[1] == 0 then
    -- the line is another, or gone
    api.nvim_buf_set_mark(buffer, "'", line_after(buffer, back[1], hunks), back[2], {})
  end
  if not seen.cursors then
    return
  end
  move(buffer, '[', seen.first, hunks)
  move(buffer, ']', seen.last, hunks)
  for window, cursor in pairs(seen.cursors) do
    -- Neovim leaves the number of a line that is gone
    api.nvim_win_set_cursor(window, { line_after(buffer, cursor[1], hunks), cursor[2] })
  end
end

return M
