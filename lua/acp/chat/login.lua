-- A terminal in which the user logs in to an agent, as the direct result of `:Acp login`. Its exit
-- code is all that matters, so Neovim's own terminal job will do, although it may lose the last output.

local events = require('acp.ui.events')

local api = vim.api

local M = {}

---@type table<integer, { buffer: integer, job: integer }> by the host's numbers
local open = {}

--- Tell the host, once; without a code the terminal was closed.
---@param code? integer
local function ended(number, code)
  if open[number] then
    require('acp.host.bridge').tell_running('login_ended', { call = number, code = code })
  end
  open[number] = nil
end

-- Before 0.11 jobstart knows no `term`.
local start = vim.fn.has('nvim-0.11') == 1 and vim.fn.jobstart or vim.fn.termopen

--- Run a program in a terminal that the user types in; the end is told by the verb `login_ended`.
---@param number integer the host's number of it
---@param argv string[]
---@param env table<string, string> the whole environment
function M.open(number, title, argv, env, cwd)
  local dress = require('acp.ui.dress')
  require('acp.ui.layout').leave_float()
  local buffer = require('acp.ui.unseen').buffer(nil, { bufhidden = 'wipe' })
  local height = math.floor(vim.o.lines / 2)
  api.nvim_open_win(buffer, true, { split = 'below', win = -1, height = height })
  local ok, job = pcall(start, argv, {
    term = start == vim.fn.jobstart or nil,
    cwd = cwd,
    env = env,
    clear_env = true,
    on_exit = function(_, code)
      ended(number, code)
      if code == 0 and api.nvim_buf_is_valid(buffer) then
        api.nvim_buf_delete(buffer, { force = true })
      elseif api.nvim_get_current_buf() == buffer then
        vim.cmd.stopinsert({ mods = { silent = true } }) -- the next key would close it, and what went wrong is in it
      end
    end,
  })
  if not ok or job <= 0 then
    api.nvim_buf_delete(buffer, { force = true })
    error(('cannot open a terminal in %s: %s'):format(cwd, job), 0)
  end
  open[number] = { buffer = buffer, job = job }
  dress.window(0, { winbar = ' ' .. title:gsub('%%', '%%%%') })
  events.on('BufWipeout', 'The user has closed the terminal', function()
    ended(number)
  end, { buffer = buffer })
  vim.cmd.startinsert()
end

--- End it, if it still runs, and close its window. What failed stays to be read.
function M.close(number)
  local terminal = open[number]
  open[number] = nil
  if terminal then
    vim.fn.jobstop(terminal.job)
    api.nvim_buf_delete(terminal.buffer, { force = true })
  end
end

return M
