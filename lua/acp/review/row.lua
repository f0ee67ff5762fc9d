-- The row of changes above a prompt: what waits for review, and the key that opens it. It is a part of
-- the prompt's bar, so that it takes no line of anybody; the host counts, here it is fitted and clicked.

local chats = require('acp.chat.registry')
local options = require('acp.host.options')

local api = vim.api

local M = {}

---@class acp.Changes what waits in the project of a chat
---@field files integer
---@field added integer
---@field removed integer
---@field hunks integer

---@param chat acp.Chat
---@return acp.Changes?
local function changes_of(chat)
  local found = (vim.b[chat.chat].acp_status or {}).changes
  return options.value('ui', 'changes') ~= false and found or nil
end

---@param count integer
---@param noun string
---@return string
local function plural(count, noun)
  return ('%d %s%s'):format(count, noun, count == 1 and '' or 's')
end

---@alias acp.Chunk { [1]: string, [2]: string } text and group

---@param changes acp.Changes
---@return acp.Chunk[][] the longest first
local function forms(changes)
  local files = { ' ' .. plural(changes.files, 'file'), 'AcpNote' }
  local added = { (' +%d'):format(changes.added), 'AcpAdded' }
  local removed = { (' −%d'):format(changes.removed), 'AcpRemoved' }
  local hunks = { ' · ' .. plural(changes.hunks, 'hunk'), 'AcpDim' }
  local opens = options.value('default_keys') == false and ':Acp review' or 'gr review'
  local key, bare = { ' · ' .. opens, 'AcpNote' }, { ' ' .. opens, 'AcpNote' }
  return {
    { files, added, removed, hunks, key },
    { files, added, removed, key },
    { added, removed, key },
    { bare },
  }
end

---@param chunks acp.Chunk[]
---@return integer cells
local function cells(chunks)
  return vim.iter(chunks):fold(0, function(sum, chunk)
    return sum + api.nvim_strwidth(chunk[1])
  end)
end

--- The longest form that fits, as an item of a bar that can be clicked.
---@param chat acp.Chat
---@param room integer cells
---@return string item '' if nothing waits
---@return integer cells
function M.item(chat, room)
  local changes = changes_of(chat)
  if not changes then
    return '', 0
  end
  local all = forms(changes)
  local chunks = vim.iter(all):find(function(form)
    return cells(form) <= room
  end) or all[#all]
  local texts = vim.tbl_map(function(chunk)
    return ('%%#%s#%s'):format(chunk[2], (chunk[1]:gsub('%%', '%%%%')))
  end, chunks)
  local click = "%@v:lua.require'acp.review.row'.open@"
  return click .. table.concat(texts) .. '%X%*', cells(chunks)
end

--- Open the review; a click calls it.
function M.open()
  vim.cmd('Acp review')
end

--- Call something when what waits in the project of a chat has changed.
---@param run fun(chat: acp.Chat)
function M.listen(run)
  ---@type table<integer, acp.Changes>
  local known = {}
  require('acp.ui.life').listen(function(buffer, status)
    local chat = chats.of(buffer)
    if chat and not vim.deep_equal(known[buffer], status.changes) then
      known[buffer] = status.changes
      run(chat)
    end
  end)
end

return M
