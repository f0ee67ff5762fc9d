-- Yanks out of a chat: the code block at the cursor, the last answer of the agent.

local bridge = require('acp.host.bridge')
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

---@class acp.CodeBlock
---@field first integer row of the line that opens it, 1-based
---@field last integer row of its last line
---@field indent integer bytes

---@param lines string[]
---@return acp.CodeBlock[]
local function blocks(lines)
  local found, open, fence = {}, nil, nil
  for number, line in ipairs(lines) do
    local indent, mark = line:match('^([%s>]*)(```+)')
    if not mark then
      indent, mark = line:match('^([%s>]*)(~~~+)')
    end
    if open and mark and vim.startswith(mark, fence) and line:find('^[%s>]*[`~]+%s*$') then
      open.last, open = number - 1, nil
    elseif mark and not open then
      open, fence = { first = number, last = #lines, indent = #indent }, mark
      table.insert(found, open)
    end
  end
  return found
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
  local block = nearest(blocks(lines), api.nvim_win_get_cursor(0)[1])
  if not block then
    return notice.notice('there is no code block here')
  end
  local code = vim.list_slice(lines, block.first + 1, block.last)
  put(
    vim.tbl_map(function(line)
      return line:sub(1, block.indent):find('^[%s>]*$') and line:sub(block.indent + 1) or line
    end, code),
    register,
    'a code block'
  )
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
