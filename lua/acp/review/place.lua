-- Lines that the user has meant, until the host has dealt with them: meanwhile an agent or the user may
-- change what is above them.

local buffers = require('acp.files.buffers')

local api = vim.api

local M = {}

local namespace = api.nvim_create_namespace('acp_review_places')

---@alias acp.Place { buffer: integer, mark: integer }

---@return string? path of the current buffer's file, resolved
function M.file_here()
  local name = api.nvim_buf_get_name(0)
  return vim.bo.buftype == '' and name ~= '' and buffers.resolve(name) or nil
end

--- Hold on to lines of the current buffer.
---@param first integer 1-based
---@param last integer inclusive
---@return acp.Place
function M.hold(first, last)
  local buffer = api.nvim_get_current_buf()
  local count = api.nvim_buf_line_count(buffer)
  local row, end_row = math.min(first, count) - 1, math.min(last, count) - 1
  -- To the end of the line: Neovim does not take a range for gone that ends where the lines do.
  local text = api.nvim_buf_get_lines(buffer, end_row, end_row + 1, true)[1]
  local options =
    { end_row = end_row, end_col = #text, end_right_gravity = true, invalidate = true }
  return { buffer = buffer, mark = api.nvim_buf_set_extmark(buffer, namespace, row, 0, options) }
end

--- Let them go.
---@return integer? first 1-based, where they were at last; nil: their buffer is gone
function M.let_go(place)
  if not api.nvim_buf_is_loaded(place.buffer) then
    return nil
  end
  local at = api.nvim_buf_get_extmark_by_id(place.buffer, namespace, place.mark, {})
  api.nvim_buf_del_extmark(place.buffer, namespace, place.mark)
  return at[1] and at[1] + 1
end

--- Where the lines are now. nil: their buffer is gone.
---@param mark integer
---@return { tick: integer, first?: integer, last?: integer }? rows 0-based, half-open; none: the lines are gone
function M.rows(buffer, mark)
  if not api.nvim_buf_is_loaded(buffer) then
    return nil
  end
  local tick = api.nvim_buf_get_changedtick(buffer)
  local at = api.nvim_buf_get_extmark_by_id(buffer, namespace, mark, { details = true })
  if #at == 0 or at[3].invalid then
    return { tick = tick }
  end
  return { tick = tick, first = at[1], last = at[3].end_row + 1 }
end

return M
