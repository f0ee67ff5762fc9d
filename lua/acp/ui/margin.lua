-- The two cells left of what a chat says: who speaks, what became of a call. They are signs, which the
-- chat shows by 'statuscolumn', because a bar belongs to each row into which a line is broken.

local api = vim.api

local M = {}

local BLANK = '  '
local RUNNING = 'AcpToolRunning'

local namespace = api.nvim_create_namespace('acp')

local FRAMES = vim.fn.split('⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏', '\\zs')
local FRAME_MS = 250

---@type table<integer, true> buffers in which somebody is at work
local live = {}

--- The spinner as it is now.
---@return string character
function M.spinner()
  return FRAMES[math.floor(vim.uv.now() / FRAME_MS) % #FRAMES + 1]
end

---@param line integer 0-based
---@return vim.api.keyset.extmark_details?
local function sign(line)
  local at = { line, 0 }
  local found = api.nvim_buf_get_extmarks(0, namespace, at, at, { type = 'sign', details = true })
  for _, mark in ipairs(found) do
    if mark[4].sign_text then
      return mark[4]
    end
  end
end

--- What stands beside the row that is drawn now; 'statuscolumn' of chats calls it.
---@return string statusline
function M.cell()
  local row = vim.v.virtnum
  local mark = row >= 0 and sign(vim.v.lnum - 1)
  if not mark or row > 0 and not mark.number_hl_group then
    return '%#AcpDim#' .. BLANK
  end
  local text = mark.sign_text:gsub('%%', '%%%%')
  if mark.sign_hl_group == RUNNING and live[api.nvim_get_current_buf()] then
    text = M.spinner() .. ' '
  end
  return ('%%#%s#%s'):format(mark.sign_hl_group, text)
end

--- Draw what turns on screen, and nothing else.
---@param buffer integer a chat
function M.turn(buffer)
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    local from = { vim.fn.line('w0', window) - 1, 0 }
    local to = { vim.fn.line('w$', window) - 1, 0 }
    local options = { type = 'sign', details = true }
    for _, mark in ipairs(api.nvim_buf_get_extmarks(buffer, namespace, from, to, options)) do
      if mark[4].sign_hl_group == RUNNING then
        api.nvim__redraw({ win = window, range = { mark[2], mark[2] + 1 } })
      end
    end
  end
end

--- Let what runs in a chat turn, or no longer.
---@param buffer integer
---@param is_live boolean
function M.set(buffer, is_live)
  if live[buffer] ~= (is_live or nil) then
    live[buffer] = is_live or nil
    M.turn(buffer)
  end
end

--- How many cells a line has in the window of a chat.
---@param window integer
---@return integer
function M.room(window)
  return api.nvim_win_get_width(window) - #BLANK
end

return M
