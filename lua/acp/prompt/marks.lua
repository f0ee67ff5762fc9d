-- What is shown in a prompt besides its text: mentions that name something, and what a slash command
-- wants to be told. Extmarks only, drawn once after each change, however it came about.

local anchors = require('acp.prompt.anchors')
local mention = require('acp.prompt.mention')

local api = vim.api

local M = {}

local namespace = api.nvim_create_namespace('acp_prompt')
local MOST_LINES = 2000

---@type table<integer, boolean> by prompt buffer: a drawing is on its way
local scheduled = {}

---@param chat acp.Chat
---@param row integer 0-based
---@param line string
---@param names string[] what is mentioned, added to
local function mark_mentions(chat, row, line, names)
  for _, found in ipairs(mention.find(line)) do
    for _, candidate in ipairs(found.names) do
      if mention.resolves(chat, candidate[1]) then
        table.insert(names, candidate[1])
        local last = math.min(candidate[2], #line)
        local options = { end_col = last, hl_group = 'AcpMention' }
        api.nvim_buf_set_extmark(chat.prompt, namespace, row, found.first, options)
        break
      end
    end
  end
end

--- Say what a slash command wants, while nothing is written after it.
---@param chat acp.Chat
---@param line string
local function mark_hint(chat, line)
  local status = api.nvim_buf_is_valid(chat.chat) and vim.b[chat.chat].acp_status or {}
  local name = line:match('^/(.-)%s*$')
  for _, command in ipairs(status.commands or {}) do
    if command.name == name and command.hint then
      local text = { { (line:match('%s$') and '' or ' ') .. command.hint, 'AcpDim' } }
      local options = { virt_text = text, virt_text_pos = 'overlay' }
      api.nvim_buf_set_extmark(chat.prompt, namespace, 0, #line, options)
    end
  end
end

---@param chat acp.Chat
local function draw(chat)
  scheduled[chat.prompt] = nil
  if not api.nvim_buf_is_loaded(chat.prompt) then
    return
  end
  api.nvim_buf_clear_namespace(chat.prompt, namespace, 0, -1)
  local lines = api.nvim_buf_get_lines(chat.prompt, 0, MOST_LINES, false)
  if #lines == 1 then
    mark_hint(chat, lines[1])
  end
  local names = {}
  for index, line in ipairs(lines) do
    mark_mentions(chat, index - 1, line, names)
  end
  anchors.keep(chat, names)
end

--- Draw the marks of a prompt soon.
---@param chat acp.Chat
function M.touch(chat)
  if not scheduled[chat.prompt] then
    scheduled[chat.prompt] = true
    vim.schedule(function()
      draw(chat)
    end)
  end
end

--- Learn which files there are, since the user begins to write.
---@param chat acp.Chat
function M.prepare(chat)
  mention.refresh(chat, function()
    M.touch(chat)
  end)
end

return M
