-- Floats of text that nobody can change: how they are made, look and go.

local apply = require('acp.ui.apply')
local cells = require('acp.ui.cells')
local chats = require('acp.chat.registry')
local dress = require('acp.ui.dress')
local events = require('acp.ui.events')
local hands = require('acp.files.hands')
local unseen = require('acp.ui.unseen')

local api = vim.api

local M = {}

local SHARE = 0.8
local BORDER = 2

local OPTIONS = vim.tbl_extend('error', dress.WRAPPED, {
  conceallevel = 2,
  concealcursor = 'nc',
  foldenable = false,
  list = false,
  spell = false,
  winbar = '',
  winhighlight = table.concat({
    'NormalFloat:AcpFloat',
    'FloatBorder:AcpFloatBorder',
    'FloatTitle:AcpFloatTitle',
    'FloatFooter:AcpFloatFooter',
    'CursorLine:AcpSelected',
  }, ','),
})

--- Make a buffer with that text; it goes with its window.
---@param name string what it is called where Neovim names buffers
---@param chat? integer the chat that it belongs to
---@return integer buffer
function M.fill(ops, name, chat)
  return unseen.buffer(function(buffer)
    chats.name(buffer, name)
    vim.b[buffer].acp_chat = chat
    apply.draw(buffer, ops)
  end, { bufhidden = 'wipe', formatlistpat = dress.CONTAINERS })
end

--- Show a buffer in a float. Raises when Neovim refuses now.
---@param look? table<string, any> options in place of those of all floats
---@return integer window
function M.open(buffer, enter, config, look)
  hands.keep_step()
  local window = api.nvim_open_win(buffer, enter, config)
  dress.window(window, vim.tbl_extend('force', OPTIONS, look or {}))
  return window
end

--- Give a float another place and zindex. Neovim draws floats in the order of the zindex that they had
--- when they were shown, also after they have another one: it is hidden, drawn so, and shown.
function M.move(window, config)
  if config.zindex ~= api.nvim_win_get_config(window).zindex then
    api.nvim_win_set_config(window, { hide = true })
    vim.cmd.redraw()
  end
  api.nvim_win_set_config(window, config)
end

--- A title needs a border: 'winborder' where it gives one.
---@return string? border nil leaves the choice to 'winborder'
function M.border()
  local wanted = vim.fn.exists('+winborder') == 1 and vim.o.winborder or ''
  if wanted == 'none' then
    return 'solid'
  end
  return wanted == '' and 'rounded' or nil
end

--- A float in the middle of the screen.
---@param more vim.api.keyset.win_config
function M.centred(title, width, height, more)
  return vim.tbl_extend('error', more, {
    relative = 'editor',
    row = math.max(math.floor((vim.o.lines - vim.o.cmdheight - 1 - height - BORDER) / 2), 0),
    col = math.max(math.floor((vim.o.columns - width - BORDER) / 2), 0),
    width = width,
    height = height,
    style = 'minimal',
    border = M.border(),
    title = { { ' ' .. cells.cut(vim.trim(title), width - 2) .. ' ', 'AcpFloatTitle' } },
  })
end

--- A large one.
---@param buffer integer what it is to show
function M.large(title, buffer)
  local width = math.max(math.floor(vim.o.columns * SHARE), 1)
  local most = math.max(math.floor(vim.o.lines * SHARE) - BORDER, 1)
  local height = 0
  for _, line in ipairs(api.nvim_buf_get_lines(buffer, 0, most, false)) do
    -- not `strdisplaywidth()`, which counts how the *current window* would wrap it
    local taken = api.nvim_strwidth((line:gsub('\t', '        ')))
    height = height + math.max(1, math.ceil(taken / width))
  end
  return M.centred(title, width, math.min(height, most), { zindex = 70 })
end

---@param window integer?
function M.is_open(window)
  return window ~= nil and window ~= 0 and api.nvim_win_is_valid(window)
end

--- Close a window; nothing if it is closed. Raises when Neovim refuses now.
---@param window integer?
function M.close(window)
  if M.is_open(window) and window ~= api.nvim_get_current_win() then
    unseen.quietly(api.nvim_win_close, window, true)
  elseif M.is_open(window) then
    api.nvim_win_close(window --[[@as integer]], true)
  end
end

---@type integer? the float that is read, with the cursor in it: gone with `q`, <Esc> or another window
local read

--- Close it, if it is open.
local function close_read()
  M.close(read)
  read = nil
end

---@class acp.Reading
---@field name string what its buffer is called
---@field chat? integer
---@field config fun(buffer: integer): vim.api.keyset.win_config
---@field stays? boolean also when the user goes to another window
---@field map? fun(buffer: integer, close: fun()) maps further keys

--- Show text in place of what is read.
---@param spec acp.Reading
---@return integer window
function M.read(ops, spec)
  close_read()
  require('acp.ui.highlights').define()
  local buffer = M.fill(ops, spec.name, spec.chat)
  for _, key in ipairs({ 'q', '<Esc>' }) do
    vim.keymap.set('n', key, close_read, { buffer = buffer, nowait = true, desc = 'Close' })
  end
  if spec.map then
    spec.map(buffer, close_read)
  end
  read = M.open(buffer, true, spec.config(buffer))
  if not spec.stays then
    local scope = { buffer = buffer, once = true, later = true }
    events.on('WinLeave', 'What is read is left', close_read, scope)
  end
  return read
end

--- Show lines as they are, none broken; `g?` closes them, too.
function M.lines(title, lines, marks)
  M.read({ { 0, -1, lines, marks } }, {
    name = 'acp-keys',
    config = function()
      local width = cells.widest(vim.list_extend({ title .. '  ' }, lines), vim.o.columns - 4)
      local height = math.max(math.min(#lines, vim.o.lines - vim.o.cmdheight - 4), 1)
      local footer = { { ' q closes ', 'AcpFloatFooter' } }
      return M.centred(title, width, height, { zindex = 80, footer = footer })
    end,
    map = function(buffer)
      vim.keymap.set('n', 'g?', close_read, { buffer = buffer, nowait = true, desc = 'Close' })
    end,
  })
end

return M
