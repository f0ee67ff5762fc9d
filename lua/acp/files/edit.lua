-- Changes a buffer by line hunks so that marks, extmarks, cursor and folds stay with their text, as
-- one step of undo, or not at all. Only acp.files.live calls.

local marks = require('acp.files.marks')
local places = require('acp.files.places')

local api = vim.api

local M = {}

-- In a longer hunk only lines with extmarks are changed one by one: a call for each costs too much.
local SHORT = 1000
-- So often a command that <C-c> has ended is run again.
local AGAIN = 20
-- What an agent does is no change of the user's, to which |`.| and |g;| lead: none is noted.
local CHANGE = 'keepjumps lua _acp_change()'
-- Where no line's number changes the marks ('a) are locked: the API would delete those of a line.
local CHANGE_LOCKED = 'keepjumps lockmarks lua _acp_change()'

---@alias acp.Hunk { [1]: integer, [2]: integer, [3]: string[] } first, last (0-based, half-open), lines

---@alias acp.Outcome table see doc/messages.md, `acp.files.live.write`

---@type string? why a change was not made, or that another plugin which listens has raised
local trouble

--- Change the buffer. An error does not say that it has not been changed: `holds` tells.
---@param change function
local function try(change, ...)
  local ok, err = pcall(change, ...)
  if not ok then
    trouble = trouble or tostring(err)
  end
end

---@param byte integer?
---@return boolean inside whether the byte goes on with a character
local function continues(byte)
  return byte ~= nil and byte >= 0x80 and byte < 0xC0
end

---@param lines string[] what it holds
---@return boolean empty whether it stands for zero bytes, not for one line end
function M.is_empty(buffer, lines)
  return #lines == 1 and lines[1] == '' and api.nvim_buf_call(buffer, vim.fn.wordcount).bytes == 0
end

--- Replace only the part of a line that differs, in whole characters: extmarks beside it stay.
---@param old string
---@param new string
local function change_line(buffer, row, old, new)
  if old == new then
    if new == '' and api.nvim_buf_line_count(buffer) == 1 then
      try(api.nvim_buf_set_lines, buffer, 0, 1, true, { '' }) -- an empty buffer becomes one empty line
    end
    return
  end
  local most = math.min(#old, #new)
  local head, tail = 0, 0
  while head < most and old:byte(head + 1) == new:byte(head + 1) do
    head = head + 1
  end
  while head > 0 and (continues(old:byte(head + 1)) or continues(new:byte(head + 1))) do
    head = head - 1
  end
  while tail < most - head and old:byte(#old - tail) == new:byte(#new - tail) do
    tail = tail + 1
  end
  while tail > 0 and continues(old:byte(#old - tail + 1)) do
    tail = tail - 1
  end
  local text = new:sub(head + 1, #new - tail)
  try(api.nvim_buf_set_text, buffer, row, head, row, #old - tail, { text })
end

--- How many lines of a hunk are changed where they are; what is over is put in or taken out below.
local function paired(hunk)
  return math.min(hunk[2] - hunk[1], #hunk[3])
end

--- Change so many lines one by one: all that stands in them stays.
---@param first integer 0-based
---@param lines string[] as many, or more
---@param old? string[] what they are, if that is known of all of them
local function change_lines(buffer, first, count, lines, old)
  if not old or #old < count then
    old = api.nvim_buf_get_lines(buffer, first, first + count, true)
  end
  for index = 1, count do
    change_line(buffer, first + index - 1, old[index], lines[index])
  end
end

--- The rows in which extmarks begin or end, ascending.
---@param first integer 0-based, half-open
local function held(buffer, first, last)
  local rows, seen = {}, {}
  local function add(row)
    if row and row >= first and row < last and not seen[row] then
      seen[row] = true
      table.insert(rows, row)
    end
  end
  local options = { details = true, overlap = true }
  for _, mark in
    ipairs(api.nvim_buf_get_extmarks(buffer, -1, { first, 0 }, { last - 1, -1 }, options))
  do
    add(mark[2])
    add(mark[4].end_row)
  end
  table.sort(rows)
  return rows
end

--- Do the same quickly: whole stretches, but for the lines in which extmarks are.
---@param first integer 0-based
---@param lines string[] as many, or more
local function change_stretches(buffer, first, count, lines)
  local last = first + count
  local function stretch(from, to)
    if from < to then
      local new = vim.list_slice(lines, from - first + 1, to - first)
      try(api.nvim_buf_set_lines, buffer, from, to, true, new)
    end
  end
  local done = first
  for _, row in ipairs(held(buffer, first, last)) do
    stretch(done, row)
    change_lines(buffer, row, 1, { lines[row - first + 1] })
    done = row + 1
  end
  stretch(done, last)
end

--- Run a command to its end: what the user types meanwhile ends it by an error, though <C-c> is
--- meant for something else. What is run may be run again.
---@param command fun(...: any)
function M.unhindered(command, ...)
  for _ = 1, AGAIN do
    local ok, err = pcall(command, ...)
    if ok then
      return
    elseif not tostring(err):find('Keyboard interrupt', 1, true) then
      error(err, 0)
    end
  end
  error('<C-c> was typed again and again', 0)
end

---@class acp.Applying
---@field change fun(it: acp.Applying)
---@field buffer integer
---@field hunks acp.Hunk[] ascending
---@field old? string[][] lines of each, if they are known
---@field counts integer[] how many lines each has by now: if all goes well, its own in the end

---@type acp.Applying? what `_acp_change` does next
local awaiting

--- What CHANGE runs, perhaps again. A global, as to find a module by its name costs a fiftieth of an edit.
function _G._acp_change()
  local it = awaiting
  awaiting = nil
  if it then
    try(it.change, it)
  end
end

--- Let something be done by that command; what goes wrong is in `trouble`.
---@param command string
---@param change fun(it: acp.Applying)
local function run(command, applying, change)
  applying.change, awaiting = change, applying
  if not pcall(api.nvim_command, command) then
    try(M.unhindered, api.nvim_command, command) -- the user has typed <C-c>
  end
end

---@return string[][] lines of each hunk, before it is applied
local function held_by(buffer, hunks)
  local is_single, found = api.nvim_buf_line_count(buffer) == 1, {}
  for index, hunk in ipairs(hunks) do
    local lines = api.nvim_buf_get_lines(buffer, hunk[1], hunk[2], true)
    found[index] = is_single and M.is_empty(buffer, lines) and {} or lines
  end
  return found
end

--- The hunks that undo others.
---@param old string[][] what each has taken out
---@param counts integer[] how many lines each has put in its place
local function inverse(hunks, old, counts)
  local back, shift = {}, 0
  for index, hunk in ipairs(hunks) do
    local first = hunk[1] + shift
    back[index] = { first, first + counts[index], old[index] }
    shift = shift + counts[index] - #old[index]
  end
  return back
end

--- Change the lines that each hunk has still, where they are.
---@param it acp.Applying
local function change_paired(it)
  for index, hunk in ipairs(it.hunks) do
    local count = paired(hunk)
    local change = count > SHORT and change_stretches or change_lines
    change(it.buffer, hunk[1], count, hunk[3], it.old and it.old[index])
  end
end

--- Put in, or take out, what is over of each hunk.
---@param it acp.Applying
local function change_counts(it)
  local buffer, known = it.buffer, {}
  local total = api.nvim_buf_line_count(buffer)
  for index = #it.hunks, 1, -1 do
    local hunk = it.hunks[index]
    local first, last, lines = hunk[1], hunk[2], hunk[3]
    if last - first ~= #lines then
      local count = paired(hunk)
      if first + count < last then
        try(marks.take, buffer, first + count, last, known)
      end
      local rest = count < #lines and vim.list_slice(lines, count + 1) or {}
      try(api.nvim_buf_set_lines, buffer, first + count, last, true, rest)
      local now = api.nvim_buf_line_count(buffer)
      it.counts[index], total = last - first + now - total, now
    end
  end
end

---@param old? string[][] lines of each, if they are known
---@return integer[] counts how many lines each hunk has by now: if all went well, its own
local function apply(buffer, hunks, old)
  local returns, counts, grows = marks.awaited(buffer, hunks), {}, false
  for index, hunk in ipairs(hunks) do
    counts[index] = hunk[2] - hunk[1]
    grows = grows or counts[index] ~= #hunk[3]
  end
  local seen = places.see(buffer, hunks, grows)
  local applying = { buffer = buffer, hunks = hunks, old = old, counts = counts }
  run(CHANGE_LOCKED, applying, change_paired)
  if grows then
    run(CHANGE, applying, change_counts)
  end
  if #returns > 0 then
    try(marks.give, buffer, returns)
  end
  try(places.keep, buffer, hunks, seen)
  return counts
end

--- Whether the buffer has the lines of all hunks.
---@param counts integer[] how many lines each has
local function holds(buffer, hunks, counts)
  local shift = 0
  for index, hunk in ipairs(hunks) do
    local first, last, lines = unpack(hunk)
    local start = first + shift
    local now = api.nvim_buf_get_lines(buffer, start, start + counts[index], false)
    local is_empty = #lines == 0 and api.nvim_buf_line_count(buffer) == 1 -- it has a line
    if not vim.deep_equal(now, is_empty and { '' } or lines) then
      return false
    end
    shift = shift + counts[index] - (last - first)
  end
  return true
end

if jit then
  -- As in acp.files.live; what goes through each line is compiled.
  jit.off(inverse, true)
  jit.off(change_counts, true)
  jit.off(apply, true)
end

--- Set those options that are to be others.
---@param before? table<string, any> gets what they were, as far as they are set
---@return table<string, any> before
function M.set(buffer, options, before)
  before = before or {}
  for name, value in pairs(options) do
    local now = vim.bo[buffer][name]
    local same = now == value or (name == 'fileencoding' and now == '' and value == 'utf-8')
    if not same then
      before[name] = now
      vim.bo[buffer][name] = value
    end
  end
  return before
end

--- Take the last step of undo out of the undo tree, if that is the change right after `before`:
--- `u` takes back the user's own last change then, and nothing returns the one that failed.
---@param before integer the last step of undo before it
local function forgotten(buffer, before)
  local tree = api.nvim_buf_call(buffer, vim.fn.undotree)
  if tree.seq_last ~= before + 1 or tree.seq_cur ~= tree.seq_last then
    return false
  end
  if api.nvim_get_mode().mode ~= 'n' then
    return false -- amid an insert Neovim's own undo would end it
  end
  return api.nvim_buf_call(buffer, function()
    local view = vim.fn.winsaveview()
    local done = pcall(vim.cmd, 'silent keepjumps noautocmd undo!')
    vim.fn.winrestview(view)
    return done
  end)
end

--- Apply hunks; if that cannot be, raise why, and the buffer is as it was.
---@return fun() back undoes them
local function applied(buffer, hunks)
  local old = held_by(buffer, hunks)
  local before = api.nvim_buf_call(buffer, vim.fn.undotree).seq_last
  trouble = nil
  local counts = apply(buffer, hunks, old)
  local function back()
    if not forgotten(buffer, before) then
      apply(buffer, inverse(hunks, old, counts))
    end
  end
  local why = trouble
  if why and not holds(buffer, hunks, counts) then
    back()
    error(why, 0)
  end
  return back
end

--- End the current step of undo, also in the middle of an insert.
function M.split_undo(buffer)
  local scope = { buf = buffer }
  api.nvim_set_option_value('undolevels', api.nvim_get_option_value('undolevels', scope), scope)
end

--- Change text and options, then call `settle`; if anything fails, all is as it was.
---@param settle fun(buffer: integer, modified: boolean) given whether it was modified
---@return acp.Outcome
function M.change(buffer, hunks, options, settle)
  local before, back = {}, nil
  local modified = api.nvim_get_option_value('modified', { buf = buffer })
  -- In normal mode Neovim itself ends the step between two events.
  local splits = #hunks > 0 and api.nvim_get_mode().mode ~= 'n'
  local ok, err = pcall(function()
    if splits then
      M.split_undo(buffer)
    end
    back = applied(buffer, hunks)
    M.set(buffer, options, before)
    settle(buffer, modified)
    if splits then
      M.split_undo(buffer)
    end
  end)
  if ok then
    return { ok = true, tick = api.nvim_buf_get_changedtick(buffer) }
  end
  if back then
    back()
  end
  M.set(buffer, before)
  vim.bo[buffer].modified = modified
  return { error = tostring(err) }
end

--- Do so where the user has locked the buffer, too.
---@param settle fun(buffer: integer)
---@return acp.Outcome
function M.unlocked(buffer, hunks, options, settle)
  local locks = M.set(buffer, { modifiable = true, readonly = false })
  local outcome = M.change(buffer, hunks, options, settle)
  M.set(buffer, locks)
  return outcome
end

return M
