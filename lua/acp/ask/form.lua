-- The keys of an elicitation's float: they change the form in the host, or answer it. Nothing of what
-- the user types is kept here.

local answer = require('acp.ask.answer')
local bridge = require('acp.host.bridge')
local keys = require('acp.ui.keys')
local menu = require('acp.ask.menu')
local notice = require('acp.ui.notice')

local api = vim.api

local M = {}

---@alias acp.FormRow table what <CR> does in a row: see `view/question/menu.py`

---@return acp.FormRow? what the row under the cursor does
function M.row_here()
  local here = menu.ask and menu.items[api.nvim_win_get_cursor(0)[1]]
  return here and vim.iter(menu.ask.form):find(function(row)
    return row.row == here
  end)
end

---@param ask string the question that the user was in: another one may be shown by now
---@param row acp.FormRow
---@param filled { text?: string, option?: integer } neither empties the field
local function fill(ask, row, filled)
  bridge.notify('fill', vim.tbl_extend('error', { ask = ask, field = row.field }, filled))
end

---@param ask string
---@param row acp.FormRow
local function type_text(ask, row)
  local before = vim.fn.histnr('@')
  vim.ui.input({ prompt = row.label .. ': ', default = row.text }, function(text)
    if vim.fn.histnr('@') ~= before then -- what is typed here does not stay: ShaDa keeps the history
      vim.fn.histdel('@', -1)
    end
    if text then
      fill(ask, row, { text = text })
    end
  end)
end

---@param ask string
---@param row acp.FormRow
local function choose(ask, row)
  local labels = vim.list_extend({ '(no answer)' }, row.choices)
  vim.ui.select(labels, { prompt = row.label, kind = 'acp.form' }, function(_, index)
    if index then
      fill(ask, row, index > 1 and { option = index - 2 } or {})
    end
  end)
end

---@param answered 'accept'|'decline'|'cancel'
---@return fun() give
local function giving(answered)
  return function()
    if menu.ask and not menu.is_going then
      answer.give(menu.ask, true, { answer = { action = answered } })
    end
  end
end

--- Do what the row under the cursor is for.
local function act()
  local row, ask = M.row_here(), menu.ask and menu.ask.id
  if not row or not ask then
    return
  end
  if row.kind == 'action' then
    giving(row.action)()
  elseif row.kind == 'text' then
    type_text(ask, row)
  elseif row.kind == 'choice' then
    choose(ask, row)
  else
    fill(ask, row, { option = row.option >= 0 and row.option or nil })
  end
end

local function accept()
  local can_be = vim.iter(menu.ask.form):any(function(row)
    return row.action == 'accept'
  end)
  if can_be then
    return giving('accept')()
  end
  notice.notice('this cannot be accepted: decline it with x')
end

--- Map the keys of the float, in its own buffer.
function M.map()
  keys.map_all(menu.bufnr, {
    { '<CR>', 'Change the field, or give the answer, under the cursor', act },
    { 'a o', 'Accept', accept },
    { 'x', 'Decline', giving('decline') },
    { '<C-c>', 'Cancel', giving('cancel') },
    { 'q <Esc>', 'Leave it pending', menu.fold },
  })
end

--- Hand an address to the system's browser; the user has agreed to it.
---@param url string
---@return string? problem why it was not opened
function M.browse(url)
  local ok, process, err = pcall(vim.ui.open, url)
  if not ok then
    return tostring(process)
  end
  return not process and err or nil
end

return M
