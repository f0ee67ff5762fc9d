-- What is shown in a prompt besides its text: mentions that name something, and what a slash command
-- wants to be told. Extmarks only, drawn once after each change, however it came about.

local anchors = require('acp.prompt.anchors')
local bridge = require('acp.host.bridge')
local mention = require('acp.prompt.mention')

local api = vim.api

local M = {}

local namespace = api.nvim_create_namespace('acp_prompt')
local MOST_LINES, MOST_ASKED = 2000, 200

---@type table<integer, table<integer, acp.Mention>> by prompt buffer and mark
local mentions = {}

--- Say what a slash command wants, while nothing is written after it.
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

--- Draw all marks.
---@param rows integer[] 0-based, those that were asked about
---@param found acp.Mention[][] what they mention
local function put(chat, lines, rows, found)
  local buffer, here, anchored = chat.prompt, {}, {}
  api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  if #lines == 1 then
    mark_hint(chat, lines[1])
  end
  for index, row in ipairs(rows) do
    for _, it in ipairs(found[index]) do
      local group = it.name ~= '' and 'AcpMention' or nil
      local options = { end_col = it.last, hl_group = group }
      here[api.nvim_buf_set_extmark(buffer, namespace, row, it.first, options)] = it
      table.insert(anchored, it.path ~= '' and it or nil)
    end
  end
  mentions[buffer] = here
  anchors.keep(chat, anchored)
end

--- Draw the marks of a prompt.
---@param chat acp.Chat
function M.draw(chat)
  if not api.nvim_buf_is_loaded(chat.prompt) then
    return
  end
  local lines = api.nvim_buf_get_lines(chat.prompt, 0, MOST_LINES, false)
  local rows, asked = {}, {}
  for index, line in ipairs(lines) do
    if #rows < MOST_ASKED and line:find('@', 1, true) then
      table.insert(rows, index - 1)
      table.insert(asked, line)
    end
  end
  if #rows == 0 or not bridge.running() then
    return put(chat, lines, {}, {})
  end
  local tick = api.nvim_buf_get_changedtick(chat.prompt)
  mention.find(chat, asked, function(found)
    local is_loaded = api.nvim_buf_is_loaded(chat.prompt)
    if is_loaded and api.nvim_buf_get_changedtick(chat.prompt) == tick then
      put(chat, lines, rows, found)
    end
  end)
end

--- Learn which files there are, since the user begins to write.
---@param chat acp.Chat
function M.prepare(chat)
  mention.refresh(chat, function()
    M.draw(chat)
  end)
end

--- The mentions of a prompt where they are now.
---@return { row: integer, first: integer, last: integer, mark: integer, it: acp.Mention }[]
local function placed(chat)
  local found = {}
  local all = api.nvim_buf_get_extmarks(chat.prompt, namespace, 0, -1, { details = true })
  for _, mark in ipairs(all) do
    local it = (mentions[chat.prompt] or {})[mark[1]]
    local last = mark[4].end_col
    if it and last - mark[3] == it.last - it.first then -- else it was written anew
      table.insert(found, { row = mark[2], first = mark[3], last = last, mark = mark[1], it = it })
    end
  end
  return found
end

--- Write the mentions anew whose lines have moved.
---@param chat acp.Chat
function M.settle(chat)
  local moved = api.nvim_buf_is_loaded(chat.prompt) and anchors.moved(chat) or {}
  for _, place in ipairs(next(moved) and placed(chat) or {}) do
    local name = moved[place.it.name]
    if name then
      local row, text = place.row, mention.written(name)
      -- those behind it in the line go along with their marks
      local mark = api.nvim_buf_get_extmark_by_id(chat.prompt, namespace, place.mark, {})
      local last = mark[2] + place.last - place.first
      api.nvim_buf_set_text(chat.prompt, row, mark[2], row, last, { text })
      local options = { id = place.mark, end_col = mark[2] + #text, hl_group = 'AcpMention' }
      api.nvim_buf_set_extmark(chat.prompt, namespace, row, mark[2], options)
      place.it.name, place.it.last = name, place.it.first + #text
    end
  end
end

--- What the mention under the cursor speaks of.
---@param chat acp.Chat
---@param row integer 0-based
---@param column integer 0-based byte
---@return string[]? lines nil: there is none
function M.explain(chat, row, column)
  local place = vim.iter(placed(chat)):find(function(it)
    return it.row == row and it.first <= column and column < it.last
  end)
  if place then
    local text = api.nvim_buf_get_text(chat.prompt, row, place.first, row, place.last, {})
    return { text[1], place.it.what }
  end
end

--- Forget a prompt that is gone.
---@param buffer integer
function M.forget(buffer)
  mentions[buffer] = nil
end

return M
