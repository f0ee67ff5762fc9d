-- What a chat and its prompt are called in the status lines of their windows: as people would call
-- them, not as their buffers are named.

local chats = require('acp.chat.registry')

local api = vim.api

local M = {}

local PLACE, LEAST = 12, 8 -- cells of what says where the cursor is, and of a title

---@class acp.Name
---@field name string
---@field width integer
---@field text string

---@type table<integer, acp.Name> by buffer: it is asked for in each frame, and seldom another
local fitted = {}

--- What fits into a window beside where the cursor is.
---@param chat acp.Chat
---@param name string
---@param behind string
---@param width integer cells
---@return string statusline
local function fit(chat, name, behind, width)
  local room = math.max(width - PLACE - api.nvim_strwidth(behind), LEAST)
  if api.nvim_strwidth(name) > room and room < api.nvim_strwidth(chat.agent) + LEAST then
    name = chat.agent
  elseif api.nvim_strwidth(name) > room then
    name = vim.fn.printf(('%%.%dS…'):format(room - 1), name)
  end
  return ((name .. behind):gsub('%%', '%%%%'))
end

--- Of the buffer whose window is drawn now; 'statusline' of chats and prompts calls it.
---@return string statusline
function M.line()
  local buffer = api.nvim_get_current_buf()
  local chat = chats.of(buffer)
  if not chat then
    return '%f'
  end
  local name = chat.title and ('%s · %s'):format(chat.agent, chat.title) or chat.agent
  local width = vim.o.laststatus == 3 and vim.o.columns or api.nvim_win_get_width(0)
  local last = fitted[buffer]
  if not last or last.name ~= name or last.width ~= width then
    local behind = chat.prompt == buffer and ' · prompt' or ''
    last = { name = name, width = width, text = fit(chat, name, behind, width) }
    fitted[buffer] = last
  end
  return last.text
end

return M
