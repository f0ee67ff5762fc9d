-- Changes a buffer by line hunks so that marks, extmarks, cursor and folds stay with their text, as
-- one step of undo, or not at all. Only acp.buffer calls.

local api = vim.api

local M = {}

-- A longer hunk is replaced as a whole: keeping each line's marks would cost more than it is worth.
local PAIRED = 1000

---@alias acp.Hunk { [1]: integer, [2]: integer, [3]: string[] } first, last (0-based, half-open), lines
---@alias acp.Outcome { ok?: boolean, stale?: boolean, error?: string }

---@param byte integer?
---@return boolean inside whether the byte goes on with a character
local function continues(byte)
  return byte ~= nil and byte >= 0x80 and byte < 0xC0
end

--- Replace only the part of a line that differs, in whole characters: extmarks beside it stay.
---@param buffer integer
---@param row integer
---@param old string
---@param new string
local function change_line(buffer, row, old, new)
  if old == new then
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
  api.nvim_buf_set_text(buffer, row, head, row, #old - tail, { text })
end

---@param buffer integer
---@param hunk acp.Hunk
local function replace(buffer, hunk)
  local first, last, lines = hunk[1], hunk[2], hunk[3]
  local old = api.nvim_buf_get_lines(buffer, first, last, true)
  local paired = math.min(#old, #lines)
  if paired > PAIRED then
    return api.nvim_buf_set_lines(buffer, first, last, true, lines)
  end
  if #old ~= #lines then
    api.nvim_buf_set_lines(buffer, first + paired, last, true, vim.list_slice(lines, paired + 1))
  end
  for index = paired, 1, -1 do
    change_line(buffer, first + index - 1, old[index], lines[index])
  end
end

---@param buffer integer
---@param hunks acp.Hunk[] ascending
---@return acp.Hunk[] back the hunks that undo them
local function inverse(buffer, hunks)
  local back, shift = {}, 0
  for index, hunk in ipairs(hunks) do
    local first, last, lines = hunk[1], hunk[2], hunk[3]
    local old = api.nvim_buf_get_lines(buffer, first, last, true)
    back[index] = { first + shift, first + shift + #lines, old }
    shift = shift + #lines - #old
  end
  return back
end

---@param buffer integer
---@param hunks acp.Hunk[]
local function apply(buffer, hunks)
  for index = #hunks, 1, -1 do
    replace(buffer, hunks[index])
  end
end

--- End the current undo step, also in the middle of an insert.
---@param buffer integer
local function split_undo(buffer)
  vim.bo[buffer].undolevels = vim.bo[buffer].undolevels
end

--- Set those options that are to be others.
---@param buffer integer
---@param options table<string, any>
---@return table<string, any> before
function M.set(buffer, options)
  local before = {}
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

--- Change text and options, then call `settle`; if anything fails, all is as it was.
---@param buffer integer
---@param hunks acp.Hunk[]
---@param options table<string, any>
---@param settle fun(buffer: integer)
---@return acp.Outcome
function M.change(buffer, hunks, options, settle)
  local modified = vim.bo[buffer].modified
  local back = inverse(buffer, hunks)
  local before, changed = {}, false
  local ok, err = pcall(function()
    if #hunks > 0 then
      split_undo(buffer)
    end
    apply(buffer, hunks)
    changed = true
    before = M.set(buffer, options)
    settle(buffer)
    if #hunks > 0 then
      split_undo(buffer)
    end
  end)
  if ok then
    return { ok = true }
  end
  if changed then
    apply(buffer, back)
    M.set(buffer, before)
    vim.bo[buffer].modified = modified
  end
  return { error = tostring(err) }
end

return M
