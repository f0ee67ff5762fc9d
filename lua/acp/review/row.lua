-- The row of changes above a prompt: what waits for review, and the key that opens it. It is a part of
-- the prompt's bar, so that it takes no line of anybody. The host makes it, in longer and shorter forms;
-- here it is fitted and clicked.

local cells = require('acp.ui.cells')

local M = {}

---@alias acp.Chunk { [1]: string, [2]: string } text and group

--- The longest form that fits, as an item of a bar that can be clicked.
---@param chat acp.Chat
---@param room integer cells
---@return string item '' if nothing waits
---@return integer cells
function M.item(chat, room)
  local all = (vim.b[chat.chat].acp_status or {}).changes ---@type acp.Chunk[][]?
  if not all then
    return '', 0
  end
  local chunks = vim.iter(all):find(function(form)
    return cells.of(form) <= room
  end) or all[#all]
  local texts = vim.tbl_map(function(chunk)
    return ('%%#%s#%s'):format(chunk[2], (chunk[1]:gsub('%%', '%%%%')))
  end, chunks)
  local click = "%@v:lua.require'acp.review.row'.open@"
  return click .. table.concat(texts) .. '%X%*', cells.of(chunks)
end

--- Open the review; a click calls it.
function M.open()
  vim.cmd('Acp review')
end

return M
