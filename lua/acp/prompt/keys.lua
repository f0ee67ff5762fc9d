-- The keys of the prompt.

local attachment = require('acp.prompt.attachment')
local chat_keys = require('acp.chat.keys')
local complete = require('acp.prompt.complete')
local events = require('acp.ui.events')
local history = require('acp.prompt.history')
local keys = require('acp.ui.keys')
local paste = require('acp.prompt.paste')

local api = vim.api

local M = {}

--- At the edge of the text go on to another prompt that was sent; else the key is what it was.
local function walk(chat, step, key)
  local edge = step == -1 and 1 or api.nvim_buf_line_count(0)
  local is_edge = api.nvim_win_get_cursor(0)[1] == edge and vim.fn.pumvisible() == 0
  if not is_edge or vim.v.count > 0 or (step == 1 and not history.is_walking(chat)) then
    local count = vim.v.count > 0 and tostring(vim.v.count) or ''
    return api.nvim_feedkeys(count .. vim.keycode(key), 'ni', false)
  end
  history.step(chat, step)
end

--- Close the menu of a completion, which would stay though its text is gone.
local function close_list()
  if vim.fn.pumvisible() == 1 then
    vim.fn.complete(1, {})
  end
end

--- Map the keys of a prompt.
---@param send fun()
function M.map(chat, send)
  local map = keys.map
  map(chat.prompt, 'n', '<CR>', 'Send the prompt', send, 'send')
  map(chat.prompt, 'i', '<C-s>', 'Send the prompt', function()
    close_list()
    send()
    local tick = api.nvim_buf_get_changedtick(chat.prompt)
    events.on('CompleteChanged', 'A list that comes after its text was sent goes', function()
      if tick == api.nvim_buf_get_changedtick(chat.prompt) then
        close_list()
      end
    end, { buffer = chat.prompt, once = true, later = true })
  end, 'send')
  for key, found in pairs({
    ['<Up>'] = { -1, 'Prompt that was sent before', 'older' },
    ['<Down>'] = { 1, 'Prompt that was sent after it', 'newer' },
  }) do
    for _, mode in ipairs({ 'n', 'i' }) do
      map(chat.prompt, mode, key, found[2], function()
        walk(chat, found[1], key)
      end, found[3])
    end
  end
  map(chat.prompt, 'n', '<C-x>', 'Remove what is attached: the last row, 2<C-x> row 2', function()
    attachment.drop(chat, vim.v.count)
  end, 'drop')
  map(chat.prompt, 'n', 'K', 'Explain the word, or show what the agent will be told', function()
    if vim.v.count > 0 or not complete.explain_here() then
      attachment.show(chat, vim.v.count)
    end
  end, 'told')
  for key, plug in pairs({ p = 'put', P = 'put-before' }) do
    map(chat.prompt, 'n', key, 'Put; lines of an open file as a mention of them', function()
      paste.put(key)
    end, plug)
  end
  chat_keys.map_common(chat, chat.prompt)
end

return M
