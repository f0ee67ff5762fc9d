-- The two cells left of what a chat says: who speaks, what became of a call. They are signs, which the
-- chat shows by 'statuscolumn', because a bar belongs to each row into which a line is broken.

local api = vim.api

local M = {}

local BLANK = '  '

local namespace = api.nvim_create_namespace('acp')

---@param line integer 0-based
---@return vim.api.keyset.extmark_details?
local function sign(line)
  local at = { line, 0 }
  local found = api.nvim_buf_get_extmarks(0, namespace, at, at, { type = 'sign', details = true })
  for _, mark in ipairs(found) do
    if mark[4].sign_text then
      return mark[4]
    end
  end
end

--- What stands beside the row that is drawn now; 'statuscolumn' of chats calls it.
---@return string statusline
function M.cell()
  local row = vim.v.virtnum
  local mark = row >= 0 and sign(vim.v.lnum - 1)
  if not mark or row > 0 and not mark.number_hl_group then
    return '%#AcpDim#' .. BLANK
  end
  return ('%%#%s#%s'):format(mark.sign_hl_group, (mark.sign_text:gsub('%%', '%%%%')))
end

--- How many cells a line has in the window of a chat.
---@param window integer
---@return integer
function M.room(window)
  return api.nvim_win_get_width(window) - #BLANK
end

return M
