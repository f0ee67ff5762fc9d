-- Places of which Neovim takes no care in an edit by the API: '[ and '], and where the cursor goes in a
-- buffer that is in no window now. They stay with their text. Only acp.files.edit calls.

local api = vim.api

if jit then
  -- A few calls of the API, once an edit: compiling takes longer than all of them.
  jit.off(true, true)
end

local M = {}

---@type table<integer, integer[]> by buffer in no window: the cursor to which Neovim would return
local returns = {}
local group = api.nvim_create_augroup('acp_places', {})

--- The line that is where another was before the hunks; for one that they take out that below it.
---@param line integer
---@param hunks acp.Hunk[] ascending
---@return integer
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
---@param buffer integer
---@param window integer
local function go(buffer, window)
  local was = returns[buffer]
  returns[buffer] = nil
  local is_there = was and api.nvim_win_is_valid(window) and api.nvim_win_get_buf(window) == buffer
  if is_there and vim.deep_equal(api.nvim_win_get_cursor(window), was) then
    api.nvim_win_set_cursor(window, api.nvim_buf_get_mark(buffer, '"'))
  end
end

--- See that the cursor returns to its text when the buffer comes into a window again.
---@param buffer integer
local function wait(buffer)
  local cursor = api.nvim_buf_get_mark(buffer, '"')
  if returns[buffer] or cursor[1] <= 1 then
    return
  end
  returns[buffer] = cursor
  api.nvim_create_autocmd('BufWinEnter', {
    group = group,
    buffer = buffer,
    once = true,
    desc = 'The cursor returns to its text, of which an agent has changed the lines above',
    callback = function()
      local window = api.nvim_get_current_win()
      vim.schedule(function() -- Neovim moves the cursor after the event
        go(buffer, window)
      end)
    end,
  })
end

api.nvim_create_autocmd('BufUnload', {
  group = group,
  desc = 'The places of a buffer go with it',
  callback = function(event)
    returns[event.buf] = nil
    api.nvim_clear_autocmds({ group = group, buffer = event.buf })
  end,
})

---@param buffer integer
---@param name string
---@param place integer[] where it was
---@param hunks acp.Hunk[] ascending
local function move(buffer, name, place, hunks)
  if place[1] == 0 then
    return
  end
  local line = moved(place[1], hunks)
  if line ~= place[1] then
    line = math.min(line, api.nvim_buf_line_count(buffer))
    api.nvim_buf_set_mark(buffer, name, line, place[2], {})
  end
end

--- See where they are; call it before an edit that changes how many lines there are.
---@param buffer integer
---@return integer[][] seen
function M.see(buffer)
  if buffer ~= api.nvim_get_current_buf() and #vim.fn.win_findbuf(buffer) == 0 then
    wait(buffer)
  end
  return { api.nvim_buf_get_mark(buffer, '['), api.nvim_buf_get_mark(buffer, ']') }
end

--- Put them where their text is after the edit.
---@param buffer integer
---@param hunks acp.Hunk[] ascending
---@param seen integer[][]
function M.keep(buffer, hunks, seen)
  move(buffer, '[', seen[1], hunks)
  move(buffer, ']', seen[2], hunks)
end

return M
