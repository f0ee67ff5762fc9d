-- The two cells left of what a chat says: who speaks, what became of a call. They are signs; a bar, which
-- belongs to each row into which a line is broken, is virtual text over these cells, too.

local api = vim.api

local M = {}

local BLANK = '  '
local RUNNING = 'AcpToolRunning'
local STILL = '◐'

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

--- Let the signs of what runs on screen be another.
---@param buffer integer a chat
local function put(buffer, text)
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    local from = { vim.fn.line('w0', window) - 1, 0 }
    local to = { vim.fn.line('w$', window) - 1, 0 }
    local options = { type = 'sign', details = true }
    for _, mark in ipairs(api.nvim_buf_get_extmarks(buffer, namespace, from, to, options)) do
      if mark[4].sign_hl_group == RUNNING then
        local look = { id = mark[1], sign_text = text, sign_hl_group = RUNNING }
        api.nvim_buf_set_extmark(buffer, namespace, mark[2], 0, look)
      end
    end
  end
end

--- Draw what turns on screen, and nothing else.
---@param buffer integer a chat
function M.turn(buffer)
  put(buffer, M.spinner())
end

--- Take note whether somebody is at work in a chat: what runs stands still then.
---@param buffer integer
---@param is_live boolean
function M.set(buffer, is_live)
  if live[buffer] and not is_live then
    put(buffer, STILL)
  end
  live[buffer] = is_live or nil
end

--- How many cells a line has in the window of a chat.
---@param window integer
---@return integer
function M.room(window)
  return api.nvim_win_get_width(window) - #BLANK
end

return M
