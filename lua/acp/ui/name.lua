-- What a chat and its prompt are called in the status lines of their windows: as people would call
-- them, not as their buffers are named.

local chats = require('acp.chat.registry')

local api = vim.api

local M = {}

--- Of the buffer whose window is drawn now; 'statusline' of chats and prompts calls it.
---@return string statusline
function M.line()
  local buffer = api.nvim_get_current_buf()
  local chat = chats.of(buffer)
  if not chat then
    return '%f'
  end
  local name = chat.title and ('%s · %s'):format(chat.agent, chat.title) or chat.agent
  name = chat.prompt == buffer and name .. ' · prompt' or name
  return (name:gsub('%%', '%%%%'))
end

return M
