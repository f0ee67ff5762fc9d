-- Lines that a prompt mentions (`@a.py:4-6`) follow the edits of their file, as selections do:
-- `acp.prompt.marks` writes the mention anew when the user comes back to the prompt, and when it is sent.

local attachment = require('acp.prompt.attachment')

local api = vim.api

local M = {}

local namespace = api.nvim_create_namespace('acp_mentioned')

---@class acp.Anchor
---@field buffer integer
---@field mark integer extmark in `acp_mentioned`, over the lines

---@param it acp.Mention of lines
---@return acp.Anchor? anchor nil: it speaks of no lines of a loaded buffer
local function anchor(it)
  local first, last = unpack(it.lines)
  local buffer = vim.iter(api.nvim_list_bufs()):find(function(buffer)
    return api.nvim_buf_is_loaded(buffer) and api.nvim_buf_get_name(buffer) == it.path
  end)
  if not buffer then
    return nil
  end
  local lines = api.nvim_buf_get_lines(buffer, first - 1, last, false)
  if first < 1 or #lines ~= last - first + 1 then
    return nil
  end
  -- with the end of its last line: whoever writes a line anew has not taken it away
  local options = { end_row = last, end_col = 0, strict = false }
  options.invalidate = true -- a mark of lines that are gone says nothing
  return {
    buffer = buffer,
    mark = api.nvim_buf_set_extmark(buffer, namespace, first - 1, 0, options),
  }
end

--- Where the lines of an anchor are now.
---@param it acp.Anchor
---@return integer? first 1-based; nil: they are gone
---@return integer last inclusive
local function place(it)
  local is_loaded = api.nvim_buf_is_loaded(it.buffer)
  local mark = is_loaded
    and api.nvim_buf_get_extmark_by_id(it.buffer, namespace, it.mark, { details = true })
  if not mark or not mark[1] or mark[3].invalid then
    return nil, 0
  end
  local last = mark[3].end_col == 0 and mark[3].end_row or mark[3].end_row + 1
  if last <= mark[1] then
    return nil, 0 -- nothing is left of them
  end
  return mark[1] + 1, last
end

--- These mentions of lines stand in the prompt now.
---@param chat acp.Chat
---@param mentions acp.Mention[]
function M.keep(chat, mentions)
  local before, now = chat.anchors or {}, {}
  for _, it in ipairs(mentions) do
    now[it.name] = now[it.name] or before[it.name] or anchor(it)
  end
  for name, it in pairs(before) do
    if not now[name] and api.nvim_buf_is_valid(it.buffer) then
      api.nvim_buf_del_extmark(it.buffer, namespace, it.mark)
    end
  end
  chat.anchors = now
end

--- The mentions whose lines are elsewhere by now; they go by their new names from now on.
---@param chat acp.Chat
---@return table<string, string> new names by old ones
function M.moved(chat)
  local found, now = {}, {}
  for name, it in pairs(chat.anchors or {}) do
    local first, last = place(it)
    local lines = first and (first == last and '%d' or '%d-%d'):format(first, last)
    local new = lines and name:gsub('%d+%-?%d*$', lines) or name
    found[name] = new ~= name and new or nil
    now[new] = it
  end
  chat.anchors = now
  return found
end

--- The lines that are mentioned, as selections that go along, and the names that speak of them.
---@param chat acp.Chat
---@return acp.Selection[]
---@return string[] names
function M.take(chat)
  local found, names = {}, {}
  for name, it in pairs(chat.anchors or {}) do
    local first, last = place(it)
    if first then
      table.insert(names, name)
      table.insert(found, attachment.select(first, last, it.buffer))
    end
  end
  return found, names
end

return M
