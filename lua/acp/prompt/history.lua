-- The prompts that were sent in a session, brought back into the prompt one after the other. What was
-- being written comes back behind the newest one.

local bridge = require('acp.host.bridge')

local api = vim.api

local M = {}

---@class acp.Walk
---@field texts string[] oldest first
---@field place integer which of them is shown; one more for the draft
---@field draft string
---@field shown string what the prompt has held since

local function text_of(chat)
  return table.concat(api.nvim_buf_get_lines(chat.prompt, 0, -1, true), '\n')
end

function M.put(chat, text)
  api.nvim_buf_set_lines(chat.prompt, 0, -1, true, vim.split(text, '\n', { plain = true }))
end

--- Put text below what stands in the prompt.
function M.add(chat, text)
  local before = text_of(chat)
  M.put(chat, vim.trim(before) == '' and text or before .. '\n' .. text)
end

local function go(chat, step)
  local walk = assert(chat.walk)
  local place = walk.place + step
  if place < 1 or place > #walk.texts + 1 then
    return
  end
  walk.place, walk.shown = place, walk.texts[place] or walk.draft
  M.put(chat, walk.shown)
  if api.nvim_get_current_buf() == chat.prompt then
    local last = api.nvim_buf_line_count(0)
    local row = step == -1 and 1 or last
    local column = #api.nvim_buf_get_lines(0, row - 1, row, true)[1]
    api.nvim_win_set_cursor(0, { row, column })
  end
end

local function begin(chat, step)
  bridge.call('sent', { chat = chat.chat }, function(err, texts)
    if err or not api.nvim_buf_is_loaded(chat.prompt) then
      return
    end
    local draft = text_of(chat)
    chat.walk = { texts = texts, place = #texts + 1, draft = draft, shown = draft }
    go(chat, step)
  end)
end

--- Whether the prompt holds one that was sent, as it was.
function M.is_walking(chat)
  local walk = chat.walk
  return walk ~= nil and walk.place <= #walk.texts and walk.shown == text_of(chat)
end

--- Show the prompt that was sent before the one shown, or after it.
function M.step(chat, step)
  if M.is_walking(chat) then
    go(chat, step)
  elseif step == -1 then
    begin(chat, step)
  end
end

return M
