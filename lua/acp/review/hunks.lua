-- Where the hunks of a review are: in buffers, as marks that go along with what the user types, and in
-- files, as the host has told last.

local buffers = require('acp.files.buffers')

local api = vim.api

local M = {}

local namespace = api.nvim_create_namespace('acp_review_hunks')

---@alias acp.ReviewFile table `{path, rows}`: 0-based first rows of its hunks, none where there are only comments

---@type acp.ReviewFile[]
local files = {}
---@type table<integer, table<integer, true>> by buffer: marks of hunks without a line of their own
local removals = {}

--- Take note of the files with hunks.
---@param list acp.ReviewFile[]
---@return boolean had whether there were any before
function M.set_files(list)
  local had = #files > 0
  files = list
  return had
end

--- Put the hunks of a buffer in place of those that it has; none takes all away.
---@param rows integer[][] half-open; where lines are only gone, both are the same
function M.put(buffer, rows)
  local last_row, only_gone = api.nvim_buf_line_count(buffer) - 1, {}
  api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  for _, hunk in ipairs(rows) do
    local row = math.min(hunk[1], last_row)
    local last = math.max(math.min(hunk[2] - 1, last_row), row)
    local options = { end_row = last, end_col = 0, end_right_gravity = true }
    local mark = api.nvim_buf_set_extmark(buffer, namespace, row, 0, options)
    only_gone[mark] = hunk[1] == hunk[2] or nil
  end
  removals[buffer] = #rows > 0 and only_gone or nil
end

---@alias acp.ReviewHunk { first: integer, last: integer, is_removal: boolean } 0-based, inclusive; one
---  without a line of its own is met at `first`

--- The hunks of a buffer as they are now, ascending.
function M.of(buffer)
  local only_gone = removals[buffer] or {}
  local marks = api.nvim_buf_get_extmarks(buffer, namespace, 0, -1, { details = true })
  return vim.tbl_map(function(mark)
    local last = math.max(mark[4].end_row or mark[2], mark[2])
    return { first = mark[2], last = last, is_removal = only_gone[mark[1]] or false }
  end, marks)
end

--- The hunk under the cursor; lines that are gone are met in the line below them.
---@return acp.ReviewHunk?
function M.here()
  local row = api.nvim_win_get_cursor(0)[1] - 1
  return vim.iter(M.of(api.nvim_get_current_buf())):find(function(hunk)
    return hunk.first <= row and row <= hunk.last
  end)
end

---@param path string?
---@return acp.ReviewFile?
---@return integer? index
local function find(path)
  for index, file in ipairs(files) do
    if file.path == path then
      return file, index
    end
  end
end

--- The path of a buffer, if its file has hunks, or comments.
---@return string?
function M.path_of(buffer)
  if not api.nvim_buf_is_loaded(buffer) or vim.bo[buffer].buftype ~= '' then
    return nil
  end
  local path = buffers.resolve(api.nvim_buf_get_name(buffer))
  return find(path) and path
end

--- The first rows of a buffer's hunks, ascending; as the host has told them, while it is not drawn.
function M.rows(buffer)
  local rows = vim.tbl_map(function(hunk)
    return hunk.first
  end, M.of(buffer))
  local file = #rows == 0 and find(M.path_of(buffer))
  return file and file.rows or rows
end

--- The nearest of some rows on one side of the cursor.
---@param rows integer[] ascending
---@return integer? row
function M.nearest(rows, step)
  local row = api.nvim_win_get_cursor(0)[1] - 1
  for index = step == 1 and 1 or #rows, step == 1 and #rows or 1, step do
    if (rows[index] - row) * step > 0 then
      return rows[index]
    end
  end
end

--- The file with hunks that comes after that of the buffer, or before it; the first, or the last, if
--- the buffer has none.
---@return string? path
function M.beyond(buffer, step)
  local _, index = find(M.path_of(buffer))
  index = index or (step == 1 and 0 or #files + 1)
  repeat
    index = index + step
  until not files[index] or #files[index].rows > 0
  return files[index] and files[index].path
end

return M
