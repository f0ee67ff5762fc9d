-- What each prompt in a chat offers: to write it anew, and to go back to before it. The keys are shown
-- beside the prompt that the cursor is on; which prompt that is, the host knows.

local apply = require('acp.ui.apply')
local bridge = require('acp.host.bridge')
local events = require('acp.ui.events')
local keys = require('acp.ui.keys')
local layout = require('acp.ui.layout')
local notice = require('acp.ui.notice')
local options = require('acp.host.options')

local api = vim.api

local M = {}

local namespace = api.nvim_create_namespace('acp_prompt_offers')
local OFFER = { { '  cc edit · R rewind', 'AcpDim' } }

---@param mark vim.api.keyset.get_extmark_item
---@return boolean whether a prompt of the user's stands there
function M.is_prompt(mark)
  return mark[4].line_hl_group == 'AcpUser'
end

---@param first integer row, 0-based
---@param last integer row; less than `first` to search backwards
---@param is_meant fun(mark: vim.api.keyset.get_extmark_item): boolean
---@return integer[] rows with such a mark, nearest to `first` first
function M.rows_with(buffer, first, last, is_meant)
  local from, to = { first, 0 }, { last, -1 }
  if last < first then
    from, to = { first, -1 }, { last, 0 }
  end
  local rows = {}
  local marks = api.nvim_buf_get_extmarks(buffer, apply.namespace, from, to, { details = true })
  for _, mark in ipairs(marks) do
    table.insert(rows, is_meant(mark) and mark[2] or nil)
  end
  return rows
end

local function offer(buffer)
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local shown = api.nvim_buf_get_extmark_by_id(buffer, namespace, 1, {})[1]
  local wanted = M.rows_with(buffer, row, row, M.is_prompt)[1]
  if wanted == shown then
    return
  end
  api.nvim_buf_del_extmark(buffer, namespace, 1)
  if wanted then
    api.nvim_buf_set_extmark(buffer, namespace, row, 0, { id = 1, virt_text = OFFER })
  end
end

---@param run fun(prompt: { turn: integer, text: string })
---@return fun() which does so with the prompt that the cursor is on
local function with_prompt(chat, run)
  return function()
    local payload = { chat = chat.chat, row = api.nvim_win_get_cursor(0)[1] - 1 }
    bridge.call('prompt_at', payload, function(err, prompt)
      if err or not prompt then
        return notice.notice(err or 'no prompt here: [[ and ]] go to prompts')
      end
      run(prompt)
    end)
  end
end

--- Map the keys of a chat, and show them where they work.
function M.map(chat)
  local edit = with_prompt(chat, function(prompt)
    require('acp.prompt.history').add(chat, prompt.text)
    layout.open(chat)
  end)
  local rewind = with_prompt(chat, function(prompt)
    vim.cmd(('Acp rewind %d'):format(prompt.turn))
  end)
  keys.map_all(chat.chat, {
    { 'cc', 'Edit the prompt here: its text in the prompt again', edit, 'edit-prompt' },
    { 'R', 'Rewind to before the prompt here', rewind, 'rewind' },
  })
  if options.value('default_keys') == false then
    return
  end
  local on = events.group('acp.prompts.' .. chat.chat)
  on('CursorMoved', 'What the prompt under the cursor offers', function()
    offer(chat.chat)
  end, { buffer = chat.chat })
  on('WinLeave', 'The user is at no prompt', function()
    api.nvim_buf_del_extmark(chat.chat, namespace, 1)
  end, { buffer = chat.chat })
end

return M
