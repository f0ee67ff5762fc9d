-- The quickfix lists of a review, one for each turn. Known by their ids, so that lists of others stay
-- as they are; a list that the user's stack has lost is made again by the user's command only.

local hands = require('acp.files.hands')

local M = {}

---@class acp.QuickfixList
---@field key string
---@field title string
---@field items table[]

---@type table<string, integer> ids by key
local ids = {}

---@param id integer
---@param what string
---@return any value nil if the list is gone
local function get(id, what)
  local found = vim.fn.getqflist({ id = id, [what] = 0 })
  return found.id ~= 0 and found[what] or nil
end

--- The entry that was the current one, or that which has come to its place.
---@param id integer
---@param items table[]
---@return integer
local function current_entry(id, items)
  local index = math.max(get(id, 'idx') or 1, 1)
  local current = vim.fn.getqflist({ id = id, items = 1 }).items[index]
  for number, item in ipairs(items) do
    local is_same = current and item.text == current.text and item.lnum == current.lnum
    if is_same and vim.fn.bufadd(item.filename) == current.bufnr then
      return number
    end
  end
  return math.max(math.min(index, #items), 1)
end

--- Whether the list shows just that: then the user's quickfix window is left alone.
---@param id integer
---@param list acp.QuickfixList
---@return boolean
local function is_shown(id, list)
  local shown = vim.fn.getqflist({ id = id, items = 1, title = 1 })
  if shown.title ~= list.title or #shown.items ~= #list.items then
    return false
  end
  for number, item in ipairs(list.items) do
    local there = shown.items[number]
    local is_there = item.lnum == there.lnum and item.end_lnum == there.end_lnum
    is_there = is_there and vim.deep_equal(item.user_data, there.user_data)
    if not is_there or item.text ~= there.text or vim.fn.bufadd(item.filename) ~= there.bufnr then
      return false
    end
  end
  return true
end

--- Where the user is in the window of the list.
---@param id integer
---@return { window: integer, row: integer }?
local function cursor_in(id)
  local shown = vim.fn.getqflist({ id = 0, winid = 0 })
  if shown.id == id and shown.winid > 0 then
    return { window = shown.winid, row = vim.api.nvim_win_get_cursor(shown.winid)[1] }
  end
end

---@param list acp.QuickfixList
---@return boolean there false: its list is gone
local function refresh(list)
  local id = ids[list.key]
  if not id or not get(id, 'id') then
    ids[list.key] = nil
    return false
  end
  if is_shown(id, list) then
    return true
  end
  local index = current_entry(id, list.items)
  local cursor = cursor_in(id)
  vim.fn.setqflist({}, 'r', { id = id, title = list.title, items = list.items })
  if #list.items > 0 then
    vim.fn.setqflist({}, 'a', { id = id, idx = index })
  end
  if cursor then -- Neovim puts it on the current entry
    local row = math.max(math.min(cursor.row, #list.items), 1)
    pcall(vim.api.nvim_win_set_cursor, cursor.window, { row, 0 })
  end
  return true
end

---@param list acp.QuickfixList
local function make(list)
  vim.fn.setqflist({}, ' ', { nr = '$', title = list.title, items = list.items })
  ids[list.key] = vim.fn.getqflist({ nr = '$', id = 0 }).id
end

--- Make the list current, as :colder and :cnewer would.
---@param key string
local function show(key)
  local number = ids[key] and get(ids[key], 'nr')
  if number then
    pcall(vim.cmd, ('silent %dchistory'):format(number)) -- not in the command-line window
  end
end

--- Whether the current list is one of these.
---@return boolean
function M.is_ours()
  return vim.list_contains(vim.tbl_values(ids), vim.fn.getqflist({ id = 0 }).id)
end

--- Bring the lists up to date; one that is left out is emptied.
---@param lists acp.QuickfixList[] oldest turn first
---@param wanted boolean by the user's command: make what is not there, and show the last
function M.update(lists, wanted)
  local named = {}
  for _, list in ipairs(lists) do
    named[list.key] = true
    if not refresh(list) and wanted then
      make(list)
    end
  end
  for key, id in pairs(ids) do
    if not named[key] then
      refresh({ key = key, title = get(id, 'title'), items = {} })
    end
  end
  if wanted and #lists > 0 then
    show(lists[#lists].key)
  end
end

--- Called by the host: open the window of the current list over the whole width, so that closing
--- it leads back to where the user was, unless the user goes on already.
function M.open()
  if hands.are_off() then
    vim.cmd('botright copen')
  end
end

return M
