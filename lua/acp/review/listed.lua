-- Deciding in a list of hunks: a quickfix list of the review, where each row is one, or `:Acp diff`. Commands
-- mean the row of the cursor, or the selected ones, and keys are commands.

local bridge = require('acp.host.bridge')
local events = require('acp.ui.events')
local keys = require('acp.review.keys')
local lists = require('acp.review.lists')
local notice = require('acp.ui.notice')
local overview = require('acp.review.overview')

local api = vim.api

local M = {}

local NONE = 'no hunk in this row: :Acp %s all decides on all files'

---@type acp.LentKey[]
local KEYS = {
  { 'n', 'a', '<Cmd>Acp keep<CR>', 'Keep the hunk' },
  { 'x', 'a', ':Acp keep<CR>', 'Keep the hunk' },
  { 'n', 'x', '<Cmd>Acp reject<CR>', 'Reject the hunk' },
  { 'x', 'x', ':Acp reject<CR>', 'Reject the hunk' },
  { 'n', 'c', '<Cmd>Acp comment<CR>', 'Comment on the hunk' },
  { 'n', 'dd', '<Nop>', 'Nothing: a list is not a text' },
}

---@class acp.HunkList
---@field decide fun(verdict: acp.Verdict, scope: acp.Scope|'hunk', range?: integer[], because?: string)
---@field place fun(): string?, integer[]? path and lines of the hunk under the cursor, 1-based

--- The list of hunks that the current window shows.
---@return acp.HunkList?
function M.here()
  if vim.b.acp_diff then
    return overview
  end
  local is_quickfix = vim.bo.buftype == 'quickfix'
    and vim.fn.getwininfo(api.nvim_get_current_win())[1].loclist == 0
  return is_quickfix and lists.is_ours() and M or nil
end

---@return table[] hunks of these rows, as the host has told them, the last one first
local function hunks_in(range)
  local line = api.nvim_win_get_cursor(0)[1]
  local first, last = unpack(range or { line, line })
  local items, found = vim.fn.getqflist({ items = 1 }).items, {}
  for row = last, first, -1 do
    local hunk = items[row] and items[row].user_data
    if type(hunk) == 'table' and hunk.path then
      table.insert(found, hunk)
    end
  end
  return found
end

--- Keep or reject the hunks in these rows, or all of the file that the first of them is in.
---@param scope 'lines'|'hunk'|'file'
---@param because? string
function M.decide(verdict, scope, range, because)
  local hunks = hunks_in(range)
  if #hunks == 0 then
    return notice.notice(NONE:format(verdict))
  end
  local payload = { verdict = verdict, scope = scope, because = because }
  if scope == 'file' then
    payload.path = hunks[#hunks].path
    return bridge.ask('decide', payload, notice.notice)
  end
  payload.scope, payload.parts = 'lines', hunks
  bridge.ask('decide_parts', payload, notice.notice)
end

---@return string? path nil: there is none in this row
---@return integer[]? lines
function M.place()
  local hunk = hunks_in()[1]
  if hunk then
    return hunk.path, { hunk.line, hunk.last }
  end
end

--- Give the quickfix window its keys, or take them away, by what it shows.
function M.sync()
  local window = vim.fn.getqflist({ winid = 0 }).winid
  if window ~= 0 then
    keys.set(api.nvim_win_get_buf(window), lists.is_ours(), KEYS)
  end
end

local on = events.group('acp.listed')

on('FileType', 'The quickfix window shows another list', M.sync, { pattern = 'qf', later = true })

return M
