-- What is shown in a prompt besides its text: mentions that name something, and what a slash command
-- wants to be told. Extmarks only, drawn once after each change, however it came about.
-- Lines that a prompt mentions (`@a.py:4-6`) follow the edits of their file, as selections do: the mention
-- is written anew when the user comes back to the prompt, and when it is sent.

local attachment = require('acp.prompt.attachment')
local bridge = require('acp.host.bridge')
local events = require('acp.ui.events')
local mention = require('acp.prompt.mention')

local api = vim.api

local M = {}

local namespace = api.nvim_create_namespace('acp_prompt')
local MOST_LINES, MOST_ASKED = 2000, 200

---@type table<integer, table<integer, acp.Mention>> by buffer and mark
local mentions = events.by_buffer()

---@alias acp.Anchor { buffer: integer, mark: integer } of `attachment.hold`

---@return acp.Anchor? anchor nil: the mention speaks of no lines of a loaded buffer
local function anchor(it)
  local first, last = unpack(it.lines)
  local buffer = vim.iter(api.nvim_list_bufs()):find(function(buffer)
    return api.nvim_buf_is_loaded(buffer) and api.nvim_buf_get_name(buffer) == it.path
  end)
  if buffer and 0 < first and first <= last and last <= api.nvim_buf_line_count(buffer) then
    return { buffer = buffer, mark = attachment.hold(buffer, first, last) }
  end
end

--- These mentions of lines stand in the prompt now.
local function keep(chat, found)
  local before, now = chat.anchors or {}, {}
  for _, it in ipairs(found) do
    now[it.name] = now[it.name] or before[it.name] or anchor(it)
  end
  for name, it in pairs(before) do
    if not now[name] then
      attachment.let_go(it.buffer, it.mark)
    end
  end
  chat.anchors = now
end

--- The mentions whose lines are elsewhere by now; they go by their new names from now on.
---@return table<string, string> new names by old ones
local function moved_names(chat)
  local found, now = {}, {}
  for name, it in pairs(chat.anchors or {}) do
    local first, last = attachment.range(it.buffer, it.mark)
    local lines = first and (first == last and '%d' or '%d-%d'):format(first, last)
    local new = lines and name:gsub('%d+%-?%d*$', lines) or name
    found[name] = new ~= name and new or nil
    now[new] = it
  end
  chat.anchors = now
  return found
end

--- The lines that are mentioned, as selections that go along, and the names that speak of them.
---@return string[] names
function M.take(chat)
  local found, names = {}, {}
  for name, it in pairs(chat.anchors or {}) do
    local first, last = attachment.range(it.buffer, it.mark)
    if first then
      table.insert(names, name)
      table.insert(found, attachment.select(first, last, it.buffer))
    end
  end
  return found, names
end

--- Say what a slash command wants, while nothing is written after it.
local function mark_hint(chat, line)
  local name = line:match('^/(.-)%s*$')
  for _, command in ipairs(chat.status.commands or {}) do
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
  keep(chat, anchored)
end

--- Draw the marks of a prompt.
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
function M.prepare(chat)
  mention.refresh(chat, function()
    M.draw(chat)
  end)
end

--- The mentions of a prompt where they are now.
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
function M.settle(chat)
  local moved = api.nvim_buf_is_loaded(chat.prompt) and moved_names(chat) or {}
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

return M
