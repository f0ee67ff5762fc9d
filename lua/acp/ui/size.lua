-- How large windows are: a chat's share of the editor, which stays one when the editor is resized; a
-- prompt that grows with its text; and the others, which share the rest as before.
-- Knows windows, but not whose they are.

local options = require('acp.host.options')

local api = vim.api

local M = {}

local LEAST, MOST = 3, 12

---@param whole integer columns or lines of the editor
---@param share number above 0; above 1 it is the size itself
local function part(whole, share)
  local size = share <= 1 and math.floor(whole * share + 0.5) or math.floor(share)
  return math.max(1, math.min(math.max(size, 20), whole - 10))
end

local function configured()
  local width = options.value('ui', 'width')
  return type(width) == 'number' and width > 0 and width or 0.4
end

---@param whole integer columns or lines of the editor
---@return integer what `ui.width` gives of it
function M.share(whole)
  return part(whole, configured())
end

---@return integer least rows of a prompt's window, its bar counted
---@return integer most
function M.prompt_rows()
  local rows = options.value('ui', 'prompt_height')
  local least, most = unpack(type(rows) == 'table' and rows or {})
  least = type(least) == 'number' and math.max(math.floor(least), 1) or LEAST
  return least, math.max(least, type(most) == 'number' and math.floor(most) or MOST)
end

---@alias acp.Share { is_width: boolean, share: number, whole: integer, size: integer } of the editor, as
---  large as that was when the window had its size last

---@type table<integer, acp.Share> by window
local shares = {}

---@param kept acp.Share
local function whole_of(kept)
  return kept.is_width and vim.o.columns or vim.o.lines
end

---@param kept acp.Share
local function note(window, kept)
  kept.whole = whole_of(kept)
  kept.size = kept.is_width and api.nvim_win_get_width(window) or api.nvim_win_get_height(window)
end

--- Keep the window at its share of the editor: `ui.width`, or what the user makes of it.
---@param is_width boolean else its height
function M.keep(window, is_width)
  shares[window] = { is_width = is_width, share = configured(), whole = 0, size = 0 }
  note(window, shares[window])
end

--- Bring the windows of this tabpage to their shares; a size that the user gave is a share as well.
function M.settle()
  for window, kept in pairs(shares) do
    if not api.nvim_win_is_valid(window) then
      shares[window] = nil
    elseif api.nvim_win_get_tabpage(window) == api.nvim_get_current_tabpage() then
      local whole, before = whole_of(kept), kept.size
      if kept.whole ~= whole then
        local set = kept.is_width and api.nvim_win_set_width or api.nvim_win_set_height
        set(window, part(whole, kept.share))
      end
      local is_same = kept.whole == whole
      note(window, kept)
      if is_same and kept.size ~= before then
        kept.share = kept.size / whole
      end
    end
  end
end

--- How high a prompt's window wants to be: as its text, between the limits. A height that the user
--- has given it is the least from then on; not one that came of other windows, which have taken or given room.
---@param room integer rows that it may share with its chat
---@return integer rows
function M.prompt_height(window, room)
  local least, most = M.prompt_rows()
  local before, height = vim.w[window].acp_height, api.nvim_win_get_height(window)
  if before and before.room == room and before.height ~= height then
    vim.w[window].acp_least = height
  end
  least = vim.w[window].acp_least or least
  local bar = vim.wo[window].winbar ~= '' and 1 or 0
  local text = api.nvim_win_text_height(window, {}).all + bar
  local limit = math.max(least, math.min(most, math.floor(room / 2)))
  return math.max(1, math.min(math.max(text, least), limit, room - 2))
end

-- By containers whose children stand one behind the other: the option of a window that keeps its size,
-- and how that is had and set.
local AXES = {
  row = { 'winfixwidth', api.nvim_win_get_width, api.nvim_win_set_width },
  col = { 'winfixheight', api.nvim_win_get_height, api.nvim_win_set_height },
}

--- A window that is as large as the part of the layout.
---@param node any[] of `winlayout()`
---@return integer? window nil if only several together are
local function whole_window(node)
  if node[1] == 'leaf' then
    return node[2]
  end
  local leaf = vim.iter(node[2]):find(function(child)
    return child[1] == 'leaf'
  end)
  return leaf and leaf[2]
end

--- Let the windows of a part of the layout share it as they did.
---@param node any[] of `winlayout()`
---@param along 'row'|'col'
---@param before table<integer, integer> sizes by window; one that is not there is new, and stays as it is
local function share_out(node, along, before)
  if node[1] == 'leaf' then
    return
  end
  local fixed, get, set = unpack(AXES[along])
  local sharing, room, whole = {}, 0, 0
  for _, child in ipairs(node[1] == along and node[2] or {}) do
    local window = whole_window(child)
    if window and before[window] and not vim.wo[window][fixed] then
      table.insert(sharing, window)
      room, whole = room + get(window), whole + before[window]
    end
  end
  for number = 1, #sharing - 1 do
    local size = math.floor(room * before[sharing[number]] / whole + 0.5)
    set(sharing[number], math.max(size, 1))
  end
  for _, child in ipairs(node[2]) do
    share_out(child, along, before)
  end
end

--- Run something that opens or closes windows; the others share the room as they did before. (Neovim
--- takes it from the nearest one, or makes all equal.)
---@param change fun()
function M.keeping_shares(change)
  local before = {}
  for along, axis in pairs(AXES) do
    before[along] = {}
    for _, window in ipairs(api.nvim_tabpage_list_wins(0)) do
      before[along][window] = axis[2](window)
    end
  end
  change()
  local tree = vim.fn.winlayout()
  for _, along in ipairs({ 'row', 'col' }) do
    share_out(tree, along, before[along])
  end
end

return M
