-- `:Acp why`: a float at the cursor that says who wrote the line, and leads to that place in the chat.

local bridge = require('acp.host.bridge')
local buffers = require('acp.files.buffers')
local float = require('acp.ui.float')
local hands = require('acp.files.hands')
local keys = require('acp.ui.keys')
local notice = require('acp.ui.notice')

local api = vim.api

local M = {}

local WIDEST = 80

---@class acp.Why
---@field ops acp.Op[] the text of the float
---@field chat? integer
---@field row? integer 0-based, of the tool call in the chat; known if the chat is

---@type integer?
local window

local function close()
  float.close(window)
end

--- Show the place in the chat.
---@param found acp.Why
local function jump(found)
  close()
  if type(found.chat) ~= 'number' or not api.nvim_buf_is_loaded(found.chat) then
    return notice.notice('its chat is not open')
  end
  require('acp.chat.window').show_row(found.chat, found.row)
end

---@param buffer integer
---@param found acp.Why
local function map_keys(buffer, found)
  local map = keys.map
  map(buffer, 'n', 'q', 'Close', close)
  map(buffer, 'n', '<Esc>', 'Close', close)
  map(buffer, 'n', '<CR>', 'Show it in the chat', function()
    jump(found)
  end)
end

---@param buffer integer
---@return integer
local function width_of(buffer)
  local width, most = 1, math.max(math.min(WIDEST, vim.o.columns - 4), 1)
  for _, line in ipairs(api.nvim_buf_get_lines(buffer, 0, -1, true)) do
    width = math.max(width, math.min(api.nvim_strwidth(line), most))
  end
  return width
end

---@param width integer
---@param height integer
---@return vim.api.keyset.win_config at the cursor of the current window, where there is room
local function place(width, height)
  return vim.lsp.util.make_floating_popup_options(width, height, { border = float.border() })
end

---@param found acp.Why
local function open(found)
  local buffer = float.fill(found.ops, 'acp-why')
  map_keys(buffer, found)
  close()
  local width, height = width_of(buffer), api.nvim_buf_line_count(buffer)
  window = float.open(buffer, false, place(width, height))
  api.nvim_win_set_config(window, place(width, api.nvim_win_text_height(window, {}).all))
  api.nvim_set_current_win(window)
  local leave = { buffer = buffer, once = true, callback = vim.schedule_wrap(close) }
  api.nvim_create_autocmd('WinLeave', leave)
end

--- Ask the host who wrote the line under the cursor, and show the answer.
function M.show()
  local name = api.nvim_buf_get_name(0)
  if vim.bo.buftype ~= '' or name == '' then
    return notice.notice('this buffer is not a file: nobody but you has written it')
  end
  local origin, cursor = api.nvim_get_current_win(), api.nvim_win_get_cursor(0)
  local payload = { path = buffers.resolve(name), line = cursor[1] }
  bridge.call('why', payload, function(err, found)
    if err then
      return notice.warn(err)
    elseif not found then
      return notice.notice('nobody but you has written this line')
    end
    local is_there = origin == api.nvim_get_current_win()
      and vim.deep_equal(cursor, api.nvim_win_get_cursor(0))
    if is_there and hands.are_off() then
      open(found)
    end
  end)
end

return M
