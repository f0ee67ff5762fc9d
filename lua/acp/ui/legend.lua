-- Floats of text to be read, with the cursor in them: gone with `q`, <Esc> or another window.

local cells = require('acp.ui.cells')
local float = require('acp.ui.float')

local api = vim.api

local M = {}

---@type integer?
local window

local function close()
  float.close(window)
  window = nil
end

---@class acp.Reading
---@field name string what its buffer is called
---@field chat? integer
---@field config fun(buffer: integer): vim.api.keyset.win_config
---@field stays? boolean also when the user goes to another window
---@field map? fun(buffer: integer, close: fun()) maps further keys

--- Show text in place of what is read.
---@param ops acp.Op[]
---@param spec acp.Reading
---@return integer window
function M.read(ops, spec)
  close()
  require('acp.ui.highlights').define()
  local buffer = float.fill(ops, spec.name, spec.chat)
  for _, key in ipairs({ 'q', '<Esc>' }) do
    vim.keymap.set('n', key, close, { buffer = buffer, nowait = true, desc = 'Close' })
  end
  if spec.map then
    spec.map(buffer, close)
  end
  window = float.open(buffer, true, spec.config(buffer))
  if not spec.stays then
    local leave = { buffer = buffer, once = true, callback = vim.schedule_wrap(close) }
    api.nvim_create_autocmd('WinLeave', leave)
  end
  return window
end

--- Show lines as they are, none broken; `g?` closes them, too.
---@param title string
---@param lines string[]
---@param marks acp.Mark[]
function M.open(title, lines, marks)
  M.read({ { 0, -1, lines, marks } }, {
    name = 'acp-keys',
    config = function()
      local width = cells.widest(vim.list_extend({ title .. '  ' }, lines), vim.o.columns - 4)
      local height = math.max(math.min(#lines, vim.o.lines - vim.o.cmdheight - 4), 1)
      local footer = { { ' q closes ', 'AcpFloatFooter' } }
      return float.centred(title, width, height, { zindex = 80, footer = footer })
    end,
    map = function(buffer)
      vim.keymap.set('n', 'g?', close, { buffer = buffer, nowait = true, desc = 'Close' })
    end,
  })
end

return M
