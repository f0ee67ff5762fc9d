-- The one way to tell the user something: one line that fits, so that it can never make Neovim wait
-- for <CR> (which would block all RPC). The full text goes to the log.

local log = require('acp.host.log')

local M = {}

--- What was said in this tick of the editor: two doors that hear of one mishap tell it once.
---@type table<string, true>
local said = {}

---@param text string
---@return boolean
local function is_repeated(text)
  if said[text] then
    return true
  end
  said[text] = true
  vim.schedule(function()
    said[text] = nil
  end)
  return false
end

---@param text string
---@return string line without control characters, that fits the last line of the screen
local function fit(text)
  local line = vim.trim((text:gsub('%c+', ' ')))
  if not vim.startswith(line, 'acp: ') then
    line = 'acp: ' .. line
  end
  local space = math.max(vim.v.echospace, 20)
  if vim.api.nvim_strwidth(line) <= space then
    return line
  end
  return vim.fn.printf(('%%.%dS…'):format(space - 1), line)
end

--- In insert mode 'showmode' covers a message at once, in the command line the text typed there: it
--- is shown again when that is over.
---@param chunk string[]
local function repeat_later(chunk)
  vim.api.nvim_create_autocmd('ModeChanged', {
    group = vim.api.nvim_create_augroup('acp.notice', {}),
    pattern = '*:n',
    once = true,
    callback = vim.schedule_wrap(function()
      vim.api.nvim_echo({ chunk }, false, {})
    end),
  })
end

--- Show one line. May be called from anywhere, fast events included; never at ERROR level.
---@param text string
---@param warning? boolean
function M.notice(text, warning)
  if vim.in_fast_event() then
    return vim.schedule(function()
      M.notice(text, warning)
    end)
  end
  if is_repeated(text) then
    return
  end
  log.line(text)
  require('acp.ui.highlights').define()
  local chunk = { fit(text), warning and 'AcpWarning' or 'AcpNotice' }
  vim.api.nvim_echo({ chunk }, true, {})
  if vim.api.nvim_get_mode().mode ~= 'n' then
    vim.cmd.redraw() -- or Neovim keeps a message for 3 s in visual mode, and nothing is drawn meanwhile
    repeat_later(chunk)
  end
end

--- The same as a warning: something did not work, and the text says what to do.
---@param text string
function M.warn(text)
  M.notice(text, true)
end

return M
