-- The rows below the text of a prompt: what goes along with it, one each, numbered as <C-x> and `K`
-- take them. They are virtual lines, so that the text is only the user's.

local screen_rows = require('acp.ask.rows')

local api = vim.api

local M = {}

local namespace = api.nvim_create_namespace('acp_along')
local MOST = 8

---@class acp.AlongRow
---@field label string
---@field detail string how much it is
---@field group string

---@param number integer
---@param row acp.AlongRow
---@param width integer cells of the window
---@return { [1]: string, [2]: string }[] chunks
local function chunks(number, row, width)
  local head, detail = (' %d '):format(number), row.detail ~= '' and ' · ' .. row.detail or ''
  local room = math.max(width - #head, 8)
  if api.nvim_strwidth(row.label .. detail) > room then -- its name says more
    detail = ''
  end
  local label = screen_rows.middle_cut(row.label, '', room)
  return { { head, 'AcpDim' }, { label, row.group }, { detail, 'AcpDim' } }
end

---@param rows acp.AlongRow[]
---@param width integer
---@return { [1]: string, [2]: string }[][]
local function virtual_lines(rows, width)
  local found = {}
  for number, row in ipairs(vim.list_slice(rows, 1, MOST)) do
    table.insert(found, chunks(number, row, width))
  end
  if #rows > MOST then
    table.insert(found, { { (' … and %d more'):format(#rows - MOST), 'AcpDim' } })
  end
  return found
end

--- Show these rows below the text.
---@param buffer integer a prompt
---@param rows acp.AlongRow[]
---@param width integer cells of its window
---@return boolean changed whether there are more rows, or fewer
function M.draw(buffer, rows, width)
  local last = api.nvim_buf_line_count(buffer) - 1
  local before = api.nvim_buf_get_extmarks(buffer, namespace, 0, -1, { details = true })[1]
  api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  local lines = virtual_lines(rows, width)
  if #lines > 0 then
    api.nvim_buf_set_extmark(buffer, namespace, last, 0, { virt_lines = lines })
  end
  return #lines ~= (before and #before[4].virt_lines or 0)
end

--- Keep the rows below the text, which has changed.
---@param buffer integer
function M.keep(buffer)
  local last = api.nvim_buf_line_count(buffer) - 1
  local mark = api.nvim_buf_get_extmarks(buffer, namespace, 0, -1, { details = true })[1]
  if mark and mark[2] ~= last then
    local lines = mark[4].virt_lines
    api.nvim_buf_set_extmark(buffer, namespace, last, 0, { id = mark[1], virt_lines = lines })
  end
end

return M
