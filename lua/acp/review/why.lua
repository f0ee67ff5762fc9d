-- `:Acp why`: a float at the cursor that says who wrote the line, and leads to that place in the chat.

local bridge = require('acp.host.bridge')
local cells = require('acp.ui.cells')
local float = require('acp.ui.float')
local hands = require('acp.files.hands')
local hunks = require('acp.review.hunks')
local keys = require('acp.ui.keys')
local notice = require('acp.ui.notice')
local places = require('acp.review.place')

local api = vim.api

local M = {}

local WIDEST = 80

---@alias acp.Why table the answer to `why`: see doc/messages.md

---@param found acp.Why
local function open(found)
  local window = float.read(found.ops, {
    name = 'acp-why',
    config = function(buffer)
      local lines = api.nvim_buf_get_lines(buffer, 0, -1, true)
      local width = cells.widest(lines, math.min(WIDEST, vim.o.columns - 4))
      local config = { border = float.border() }
      return vim.lsp.util.make_floating_popup_options(width, #lines, config)
    end,
    map = function(buffer, close)
      keys.map(buffer, 'n', '<CR>', 'Show it in the chat', function()
        close()
        if type(found.chat) ~= 'number' or not api.nvim_buf_is_loaded(found.chat) then
          return notice.notice('its chat is not open')
        end
        require('acp.chat.window').show_row(found.chat, found.row)
      end)
    end,
  })
  local rows = api.nvim_win_text_height(window, {}).all
  api.nvim_win_set_config(window, { height = rows })
end

--- Ask the host who wrote the line under the cursor, and show the answer.
function M.show()
  local path = places.file_here()
  if not path then
    return notice.notice('this buffer is not a file: nobody but you has written it')
  end
  local origin, cursor = api.nvim_get_current_win(), api.nvim_win_get_cursor(0)
  local payload = { path = path, line = cursor[1] }
  bridge.ask('why', payload, function(found)
    if not found then
      local hunk = hunks.here()
      local is_in_hunk = hunk and not hunk.is_removal
      local said = 'nobody but you has written this line'
      return notice.notice(is_in_hunk and said .. ', in a hunk of an agent: :Acp review' or said)
    end
    local is_there = origin == api.nvim_get_current_win()
      and vim.deep_equal(cursor, api.nvim_win_get_cursor(0))
    if is_there and hands.are_off() then
      open(found)
    end
  end)
end

return M
