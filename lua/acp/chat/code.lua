-- The code blocks of a chat: where they are, folds around them, and yanks. These are folds of the
-- window, so that the text stays as the agent has written it.

local apply = require('acp.ui.apply')
local bridge = require('acp.host.bridge')
local notice = require('acp.ui.notice')

local api = vim.api

local M = {}

---@class acp.CodeBlock
---@field first integer row of the line that opens it, 1-based
---@field last integer row of its last line
---@field indent integer bytes
---@field is_whole boolean it has its end

--- The code blocks of a text.
function M.blocks(lines)
  local found, open, fence = {}, nil, nil
  for number, line in ipairs(lines) do
    local indent, mark = line:match('^([%s>]*)(```+)')
    if not mark then
      indent, mark = line:match('^([%s>]*)(~~~+)')
    end
    if open and mark and vim.startswith(mark, fence) and line:find('^[%s>]*[`~]+%s*$') then
      open.last, open.is_whole, open = number - 1, true, nil
    elseif mark and not open then
      open = { first = number, last = #lines, indent = #indent, is_whole = false }
      fence = mark
      table.insert(found, open)
    end
  end
  return found
end

--- Whether a row is of what a tool call shows, which opens and closes as a whole.
---@param row integer 1-based
local function is_of_call(row)
  local from, to = { row - 1, 0 }, { row - 1, -1 }
  local marks = api.nvim_buf_get_extmarks(0, apply.namespace, from, to, { details = true })
  return vim.iter(marks):any(function(mark)
    return mark[4].sign_hl_group == 'AcpToolBar'
  end)
end

---@return acp.CodeBlock[] those of the messages that have their end
local function foldable()
  return vim.tbl_filter(function(block)
    return block.is_whole and not is_of_call(block.first)
  end, M.blocks(api.nvim_buf_get_lines(0, 0, -1, true)))
end

local function close(block)
  if vim.fn.foldlevel(block.first) == 0 then
    vim.cmd.fold({ range = { block.first, block.last + 1 } })
  elseif vim.fn.foldclosed(block.first) == -1 then
    vim.cmd.foldclose({ range = { block.first, block.first } })
  end
end

--- Open or close the code at the cursor, or all of it.
---@param action 'toggle'|'open'|'close'|'open_all'|'close_all'
---@return boolean done false: there is none at the cursor, or more than code is meant
function M.fold(action)
  if action == 'open_all' then
    vim.cmd('normal! zR')
    return false
  elseif action == 'close_all' then
    vim.tbl_map(close, foldable())
    return false
  end
  local row = api.nvim_win_get_cursor(0)[1]
  if vim.fn.foldclosed(row) ~= -1 then
    if action ~= 'close' then
      vim.cmd.foldopen({ range = { row, row } })
    end
    return true
  end
  local block = action ~= 'open'
    and vim.iter(foldable()):find(function(it)
      return it.first <= row and row <= it.last + 1
    end)
  if block then
    close(block)
  end
  return block and true or false
end

--- 'foldtext' of a chat: the language and how much there is.
---@return { [1]: string, [2]: string }[]
function M.text()
  local first, last = vim.v.foldstart, vim.v.foldend
  local language = vim.fn.getline(first):match('[`~]+%s*(%S*)') or ''
  local count = last - first - 1
  local size = ('%d line%s'):format(count, count == 1 and '' or 's')
  return { { '▸ ' .. (language ~= '' and language .. ' · ' or '') .. size .. ' ', 'AcpDim' } }
end

---@param register string
local function put(lines, register, what)
  vim.fn.setreg(register, lines, 'l')
  notice.notice(('yanked %s: %d line%s'):format(what, #lines, #lines == 1 and '' or 's'))
end

---@param found acp.CodeBlock[]
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
function M.yank()
  local register = vim.v.register
  local lines = api.nvim_buf_get_lines(0, 0, -1, true)
  local block = nearest(M.blocks(lines), api.nvim_win_get_cursor(0)[1])
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
function M.yank_answer(chat)
  local register = vim.v.register
  bridge.call('last_answer', { chat = chat.chat }, function(err, text)
    if err or not text or text == '' then
      return notice.warn(err or 'the agent has said nothing yet')
    end
    put(vim.split(vim.trim(text), '\n', { plain = true }), register, 'the last answer')
  end)
end

return M
