-- Windows to look into the plugin: the log of a connection, which grows on the screen, and the
-- snapshot of `inspect`.

local api = vim.api

local M = {}

local REFRESH_MS = 500

--- Read a growing file again; a window whose cursor is on the last line stays at the end.
---@param buffer integer
local function refresh(buffer)
  local last = api.nvim_buf_line_count(buffer)
  local at_end = vim.tbl_filter(function(window)
    return api.nvim_win_get_cursor(window)[1] == last
  end, vim.fn.win_findbuf(buffer))
  vim.cmd.checktime({ args = { tostring(buffer) }, mods = { silent = true } })
  for _, window in ipairs(at_end) do
    api.nvim_win_set_cursor(window, { api.nvim_buf_line_count(buffer), 0 })
  end
end

---@param buffer integer
local function keep_fresh(buffer)
  local timer = assert(vim.uv.new_timer())
  timer:start(
    REFRESH_MS,
    REFRESH_MS,
    vim.schedule_wrap(function()
      if api.nvim_buf_is_loaded(buffer) then
        refresh(buffer)
      elseif not timer:is_closing() then
        timer:close()
      end
    end)
  )
end

--- Show a log in a window of its own, at its end.
---@param path string
function M.log(path)
  local is_shown = vim.fn.bufloaded(path) == 1
  vim.cmd.split({ args = { vim.fn.fnameescape(path) } })
  vim.bo.autoread, vim.bo.modifiable, vim.bo.bufhidden = true, false, 'wipe'
  vim.cmd.normal({ args = { 'G' }, bang = true })
  if not is_shown then
    keep_fresh(api.nvim_get_current_buf())
  end
end

--- Show the snapshot of the whole plugin.
function M.inspect()
  local text = vim.inspect(require('acp.host.bridge').inspect())
  vim.cmd.new()
  api.nvim_buf_set_lines(0, 0, -1, true, vim.split(text, '\n'))
  vim.bo.buftype, vim.bo.bufhidden, vim.bo.filetype = 'nofile', 'wipe', 'lua'
end

return M
