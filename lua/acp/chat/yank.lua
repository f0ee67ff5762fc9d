-- Yanks out of a chat: the code block at the cursor, the last answer of the agent.

local bridge = require('acp.host.bridge')
local code = require('acp.chat.code')
local notice = require('acp.ui.notice')

local api = vim.api

local M = {}

---@param lines string[]
---@param register string
---@param what string
local function put(lines, register, what)
  vim.fn.setreg(register, lines, 'l')
  notice.notice(('yanked %s: %d line%s'):format(what, #lines, #lines == 1 and '' or 's'))
end

---@param found acp.CodeBlock[]
---@param row integer
---@return acp.CodeBlock? the one at that row, else the one before, else the first
local function nearest(found, row)
  local before
  for _, block in ipairs(found) do
    if block.first <= row then
      before = block
    end
  end
  return before or found[1]
end

--- Yank the code at the cursor, or of the block before it.
function M.code()
  local register = vim.v.register
  local lines = api.nvim_buf_get_lines(0, 0, -1, true)
  local block = nearest(code.blocks(lines), api.nvim_win_get_cursor(0)[1])
  if not block then
    return notice.notice('there is no code block here')
  end
  local text = vim.list_slice(lines, block.first + 1, block.last)
  text = vim.tbl_map(function(line)
    return line:sub(1, block.indent):find('^[%s>]*$') and line:sub(block.indent + 1) or line
  end, text)
  put(text, register, 'a code block')
end

--- Yank what the agent said last.
---@param chat acp.Chat
function M.answer(chat)
  local register = vim.v.register
  bridge.call('last_answer', { chat = chat.chat }, function(err, text)
    if err or not text or text == '' then
      return notice.warn(err or 'the agent has said nothing yet')
    end
    put(vim.split(vim.trim(text), '\n', { plain = true }), register, 'the last answer')
  end)
end

return M
