-- The quickfix lists of a review, one for each turn. Known by their ids, so that lists of others stay
-- as they are; a list that the user's stack has lost is made again by the user's command only.

local hands = require('acp.files.hands')

local M = {}

---@alias acp.QuickfixList table `{key, title, items}`: see doc/messages.md

---@type table<string, integer> ids by key
local ids = {}
---@type table<string, { list: acp.QuickfixList, tick: integer }> by key: what each list shows
local shown = {}

---@return any value nil if the list is gone
local function get(id, what)
  local found = vim.fn.getqflist({ id = id, [what] = 0 })
  return found.id ~= 0 and found[what] or nil
end

--- The entry that was the current one, or that which has come to its place.
local function current_entry(list)
  local index = math.max(get(ids[list.key], 'idx') or 1, 1)
  local current = shown[list.key].list.items[index] or {}
  for number, item in ipairs(list.items) do
    local is_same = item.text == current.text and item.lnum == current.lnum
    if is_same and item.filename == current.filename then
      return number
    end
  end
  return math.max(math.min(index, #list.items), 1)
end

local function note(list)
  shown[list.key] = { list = list, tick = get(ids[list.key], 'changedtick') }
end

--- Where the user is in the window of the list.
---@return { window: integer, row: integer }?
local function cursor_in(id)
  local found = vim.fn.getqflist({ id = 0, winid = 0 })
  if found.id == id and found.winid > 0 then
    return { window = found.winid, row = vim.api.nvim_win_get_cursor(found.winid)[1] }
  end
end

---@return boolean there false: its list is gone
local function refresh(list)
  local id = ids[list.key]
  if not id or not get(id, 'id') then
    ids[list.key] = nil
    return false
  end
  local last = shown[list.key]
  if last.tick == get(id, 'changedtick') and vim.deep_equal(last.list, list) then
    return true -- the user's quickfix window is left alone
  end
  local index = current_entry(list)
  local cursor = cursor_in(id)
  vim.fn.setqflist({}, 'r', { id = id, title = list.title, items = list.items, idx = index })
  if cursor then -- Neovim puts it on the current entry
    local row = math.max(math.min(cursor.row, #list.items), 1)
    pcall(vim.api.nvim_win_set_cursor, cursor.window, { row, 0 })
  end
  note(list)
  return true
end

--- Whether the current list is one of these.
function M.is_ours()
  return vim.list_contains(vim.tbl_values(ids), vim.fn.getqflist({ id = 0 }).id)
end

function M.are_there()
  return next(ids) ~= nil
end

--- Bring the lists up to date; one that is left out is emptied.
---@param lists acp.QuickfixList[] oldest turn first
---@param wanted boolean by the user's command: make what is not there, and show the last
function M.update(lists, wanted)
  local named = {}
  for _, list in ipairs(lists) do
    named[list.key] = true
    if not refresh(list) and wanted then
      vim.fn.setqflist({}, ' ', { nr = '$', title = list.title, items = list.items })
      ids[list.key] = vim.fn.getqflist({ nr = '$', id = 0 }).id
      note(list)
    end
  end
  for key, id in pairs(ids) do
    if not named[key] then
      refresh({ key = key, title = get(id, 'title'), items = {} })
    end
  end
  local last = wanted and lists[#lists]
  local number = last and ids[last.key] and get(ids[last.key], 'nr')
  if number then -- as :colder and :cnewer would, but not in the command-line window
    pcall(vim.cmd, ('silent %dchistory'):format(number))
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
