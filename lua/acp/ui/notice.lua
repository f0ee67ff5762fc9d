-- The one way to tell the user something: one line that fits, so that it can never make Neovim wait
-- for <CR> (which would block all RPC). The full text goes to the log.

local cells = require('acp.ui.cells')
local events = require('acp.ui.events')
local log = require('acp.host.log')

local M = {}

-- Cells that what has happened has at least, before a command.
local LEAST = 12

--- What was said in this tick of the editor: two doors that hear of one mishap tell it once.
---@type table<string, true>
local said = {}

local function is_repeated(text)
  if said[text] then
    return true
  end
  said[text] = true
  vim.schedule(function()
    said[text] = nil
  end)
  return false
end

---@return string line without control characters
local function one_line(text)
  local line = vim.trim((text:gsub('%c+', ' ')))
  return vim.startswith(line, 'acp: ') and line or 'acp: ' .. line
end

---@param line string
---@return string[] parts that fit, broken at blanks where there are any; what is over 20 is cut
local function parts(line, space)
  local found = {}
  while vim.api.nvim_strwidth(line) > space and #found < 20 do
    local part = vim.fn.printf(('%%.%dS'):format(space), line)
    local words = part:match('^(.*%S)%s') or part
    table.insert(found, words)
    line = vim.trim(line:sub(#words + 1))
  end
  return vim.list_extend(found, { cells.cut(line, space) })
end

--- The line in so many cells: what is cut is what stands before its commands, which say what to do.
---@param line string
local function fitted(line, space)
  for at in line:gmatch('()[;:,]? %(?:%u?%l') do
    local way = line:sub(at)
    local room = space - vim.api.nvim_strwidth(way)
    if room >= LEAST and vim.api.nvim_strwidth(line) > space then
      return cells.cut(line:sub(1, at - 1), room) .. way
    end
  end
  return cells.cut(line, space)
end

--- Show a line, cut to the last line of the screen; `:messages` has all of it.
---@param line string
---@param highlight string
---@return string[] chunk what is shown
local function echo(line, highlight)
  local space = math.max(vim.v.echospace, 20)
  local shown = fitted(line, space)
  if shown ~= line then
    vim.cmd.redraw() -- or the next one goes below it, and Neovim waits for <CR>
    for _, part in ipairs(parts(line, space)) do
      vim.api.nvim_echo({ { part, highlight } }, true, {})
      vim.cmd.redraw()
    end
  end
  vim.api.nvim_echo({ { shown, highlight } }, shown == line, {})
  return { shown, highlight }
end

--- Have on the screen what was echoed in the middle of something, where 'showmode' would cover it: or
--- Neovim keeps a message for 3 s in visual mode, and nothing is drawn meanwhile.
---@param draw fun()
local function uncovered(draw)
  local shows_mode = vim.o.showmode
  vim.cmd('noautocmd set noshowmode')
  local _, problem = pcall(function()
    draw()
    vim.cmd.redraw()
  end)
  vim.cmd('noautocmd let &showmode = ' .. (shows_mode and 1 or 0))
  if problem then
    error(problem, 0)
  end
end

--- What is typed may cover it, in the command line at once: it is shown again when that is over.
---@param chunk string[]
local function repeat_later(chunk)
  local on = events.group('acp.notice')
  on('ModeChanged', 'What was said while something was typed', function()
    vim.api.nvim_echo({ chunk }, false, {})
  end, { pattern = '*:n', once = true, later = true })
end

--- What is on the screen as long as the user is in the middle of that.
---@type string?
local passing

--- Whether the last line of the screen has that text.
local function is_shown(text)
  local row = vim.o.lines - math.max(vim.o.cmdheight, 1) + 1
  local there = {}
  for column = 1, vim.api.nvim_strwidth(text) do
    table.insert(there, vim.fn.screenstring(row, column))
  end
  return table.concat(there) == text
end

--- What the user was in the middle of is over: take away what was said of that, if nothing is there
--- in its place.
function M.over()
  local text = passing
  passing = nil
  if text and is_shown(text) then
    vim.api.nvim_echo({ { '' } }, false, {})
    vim.cmd.redraw() -- 'showmode'
  end
end

---@param warning? boolean
---@param passes? boolean
local function show(text, warning, passes)
  require('acp.ui.highlights').define()
  if vim.o.cmdheight == 0 then
    vim.cmd.redraw() -- what is drawn after it covers it
  end
  local chunk
  local function draw()
    chunk = echo(one_line(text), warning and 'AcpWarning' or 'AcpNotice')
  end
  if vim.api.nvim_get_mode().mode == 'n' then
    draw()
  else
    uncovered(draw)
  end
  passing = passes and chunk[1] or nil
  if not passes and vim.api.nvim_get_mode().mode ~= 'n' then
    repeat_later(chunk)
  end
end

--- Show one line. May be called from anywhere, fast events included; never at ERROR level.
---@param warning? boolean
---@param passes? boolean it tells of what the user is in the middle of: see `over`
function M.notice(text, warning, passes)
  if vim.in_fast_event() then
    return vim.schedule(function()
      M.notice(text, warning, passes)
    end)
  end
  if is_repeated(text) then
    return
  end
  log.line(text)
  if vim.o.cmdheight == 0 then
    -- in the middle of a command Neovim would wait for a key, for want of a line to show it in
    return vim.schedule(function()
      show(text, warning, passes)
    end)
  end
  show(text, warning, passes)
end

---@type { [1]: string, [2]: string }[] what Neovim refuses with, and what that means to a user
local REFUSALS = {
  { 'E11:', 'not in the command-line window: leave it first with :quit' },
  { 'E565:', 'not in the middle of a command: try again when it is over' },
  { 'E523:', 'not in the middle of a command: try again when it is over' },
  { 'E12:', 'not in the sandbox' },
  { 'E48:', 'not in the sandbox' },
  { 'E36:', 'there is no room for one more window' },
  { 'E1159:', 'this window is being closed' },
}

--- Why something has failed, for a user: one line, without where in which code that is.
function M.reason(err)
  local line = tostring(err):match('^[^\n]*')
  for _, known in ipairs(REFUSALS) do
    if line:find(known[1], 1, true) then
      return known[2]
    end
  end
  line = line:gsub('%w+ Autocommands for "[^"]*": ', ''):gsub('^.-(E%d+: )', '%1')
  line = line:gsub('E5108: [^:]-[Ll]ua:? ?', ''):gsub('Error executing lua: ', ''):gsub('^Vim:', '')
  return (line:gsub('%S+%.lua:%d+: ', ''):gsub('%[string "[^"]*"%]:%d+: ', ''))
end

--- Do what the user has asked for by a command or a key. What fails is a sentence, never the lines of
--- a stack, for which Neovim waits; the log has those.
---@param name string what it is, as the user has given it
---@param run function
---@return any result of `run`, nil where it has failed
function M.attempt(name, run, ...)
  local ok, result = xpcall(run, function(err)
    log.line(debug.traceback(tostring(err)))
    return err
  end, ...)
  if ok then
    return result
  end
  M.warn(('%s: %s'):format(name, M.reason(result)))
end

--- The same as a warning: something did not work, and the text says what to do.
function M.warn(text)
  M.notice(text, true)
end

return M
