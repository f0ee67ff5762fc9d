-- Keys that buffers have for a while: files under review, and the quickfix window while it shows a list of
-- ours. They are lent where the user has no keys of the same name, and taken back.

local events = require('acp.ui.events')
local options = require('acp.host.options')

local api = vim.api

local M = {}

---@class acp.LentKey
---@field [1] string modes, a letter each
---@field [2] string key
---@field [3] string what is typed for it, or the name of a <Plug>
---@field [4] string? what it does; of a <Plug> that says so

---@type acp.LentKey[]
local FILES = {
  { 'nxo', ']h', 'next-hunk' },
  { 'nxo', '[h', 'prev-hunk' },
  { 'n', 'gh', 'keep-hunk' },
  { 'n', 'gH', 'reject-hunk' },
  { 'xo', 'gh', 'keep' },
  { 'x', 'gH', 'reject' },
}

---@type table<integer, { [1]: string, [2]: string, [3]: string }[]> by buffer: mode, key and what it does
local lent = events.by_buffer()

---@param row acp.LentKey
local function map(buffer, mode, row)
  local run, desc = row[3], row[4]
  if not desc then
    run = ('<Plug>(acp-%s)'):format(run)
    desc = vim.fn.maparg(run, mode, false, true).desc
  end
  local options_of_it = { buffer = buffer, remap = not row[4], nowait = row[4] ~= nil, desc = desc }
  options_of_it.silent = row[4] ~= nil
  vim.keymap.set(mode, row[2], run, options_of_it)
  table.insert(lent[buffer], { mode, row[2], desc })
end

---@param rows acp.LentKey[]
local function add(buffer, rows)
  lent[buffer] = {}
  for _, row in ipairs(rows) do
    for mode in row[1]:gmatch('.') do
      local users = vim.fn.maparg(row[2], mode, false, true)
      -- what works on text means nothing in a list
      if vim.tbl_isempty(users) or row[4] and users.buffer ~= 1 then
        map(buffer, mode, row)
      end
    end
  end
end

local function remove(buffer)
  for _, row in ipairs(lent[buffer]) do
    local mode, key, desc = unpack(row)
    local found = vim.fn.maparg(key, mode, false, true)
    if found.buffer == 1 and found.desc == desc then -- else the user has another one by now
      vim.keymap.del(mode, key, { buffer = buffer })
    end
  end
  lent[buffer] = nil
end

---@return boolean whether it has keys of ours
function M.are_lent(buffer)
  return lent[buffer] ~= nil
end

--- Let the buffer have the keys, or have them no longer.
---@param buffer integer loaded
---@param wanted boolean
---@param rows? acp.LentKey[] those of files, if there are none
function M.set(buffer, wanted, rows)
  wanted = wanted and options.value('default_keys') ~= false
  if wanted ~= M.are_lent(buffer) then
    api.nvim_buf_call(buffer, function()
      (wanted and add or remove)(buffer, rows or FILES)
    end)
  end
end

return M
