-- Completion in the prompt: slash commands and mentions. Nothing here waits, and nothing starts the
-- host: the commands are in `b:acp_status`.

local chats = require('acp.chat.registry')
local mention = require('acp.prompt.mention')

local M = {}

---@return string[] the agent's commands, as they are written
function M.commands()
  return vim.tbl_map(function(command)
    return '/' .. command.name
  end, chats.status().commands or {})
end

---@param before string
---@return boolean whether it is the beginning of a command; some names have spaces
local function begins_command(before)
  return before:match('^/%S*$') ~= nil
    or before:match('^/') ~= nil
      and vim.iter(M.commands()):any(function(command)
        return vim.startswith(command, before)
      end)
end

--- 'omnifunc' of the prompt: the agent's slash commands at the start of the text, and mentions.
---@param findstart integer
---@param base string
---@return integer|table
function M.omnifunc(findstart, base)
  if findstart == 1 then
    local row, column = unpack(vim.api.nvim_win_get_cursor(0))
    local before = vim.api.nvim_get_current_line():sub(1, column)
    return row == 1 and begins_command(before) and 0 or mention.start(before) or -3
  end
  local chat = chats.current()
  if chat and vim.startswith(base, '@') then
    return { words = mention.complete(chat, base), refresh = 'always' }
  end
  local found = {}
  for _, command in ipairs(chats.status().commands or {}) do
    if vim.startswith('/' .. command.name, base) then
      local menu = command.hint and ('<%s>'):format(command.hint) or ''
      table.insert(found, { word = '/' .. command.name, menu = menu, info = command.description })
    end
  end
  return found
end

return M
