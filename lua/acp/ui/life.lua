-- While a turn runs, the last row of its chat says so: what it does, for how long, how to end it.
-- That is virtual text on the last line, which is empty: no line of the chat, and nothing to scroll. The
-- signs of what runs, in the two cells left of the text, turn along.

local cells = require('acp.ui.cells')
local lazy = require('acp.host.lazy')

local api = vim.api

lazy.interpreted()

local M = {}

local RUNNING = 'AcpToolRunning'
local STILL = '◐'
local FRAMES = vim.fn.split('⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏', '\\zs')
local INTERVAL_MS, WAITING_MS = 250, 1000

local signs = api.nvim_create_namespace('acp')
local namespace = api.nvim_create_namespace('acp_life')
local LEAST = 4 -- cells of what is done

--- The spinner as it is now.
---@return string character
function M.spinner()
  return FRAMES[math.floor(vim.uv.now() / INTERVAL_MS) % #FRAMES + 1]
end

--- Let the signs of what runs on screen be another.
---@param buffer integer a chat
local function put(buffer, text)
  local found = false
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    local from = { vim.fn.line('w0', window) - 1, 0 }
    local to = { vim.fn.line('w$', window) - 1, 0 }
    local options = { type = 'sign', details = true }
    for _, mark in ipairs(api.nvim_buf_get_extmarks(buffer, signs, from, to, options)) do
      if mark[4].sign_hl_group == RUNNING then
        local look = { id = mark[1], sign_text = text, sign_hl_group = RUNNING }
        api.nvim_buf_set_extmark(buffer, signs, mark[2], 0, look)
        found = true
      end
    end
  end
  return found
end

---@class acp.Life
---@field doing? string nil in a list, which has no such row
---@field turn integer
---@field since integer milliseconds of `vim.uv.now`
---@field waits boolean for the user: nothing turns, and its row is another once a second
---@field said? string how long it has run, as its row says
---@field turns? boolean a sign of it has turned

---@type table<integer, acp.Life> by buffer
local lives = {}
local timer ---@type uv.uv_timer_t?
local drawn = 0 ---@type integer milliseconds of `vim.uv.now`
---@type fun(buffer: integer, status: table)[]
local listeners = {}

---@param milliseconds integer
---@return string m:ss, or h:mm:ss
function M.elapsed(milliseconds)
  local seconds = math.floor(milliseconds / 1000)
  local minutes = math.floor(seconds / 60)
  if minutes >= 60 then
    return ('%d:%02d:%02d'):format(math.floor(minutes / 60), minutes % 60, seconds % 60)
  end
  return ('%d:%02d'):format(minutes, seconds % 60)
end

---@return [string, string][] chunks
local function chunks(life, width)
  local spinner = (life.waits and STILL or M.spinner()) .. ' '
  local doing, size = life.doing, api.nvim_strwidth(life.doing)
  local rest, room ---@type string?, integer
  for _, ending in ipairs({ ' · %s · :Acp cancel', ' · %s', '' }) do
    local text = ending:format(life.said)
    local left = math.max(width - api.nvim_strwidth(spinner .. text) - 1, 0)
    if not rest or left >= size or room < LEAST then
      rest, room = text, left -- how to end it gives way where what is done can be said whole
    end
    if left >= size then
      break
    end
  end
  doing = cells.cut(doing, room)
  return { { spinner, 'AcpToolRunning' }, { doing, 'AcpToolRunning' }, { rest, 'AcpDim' } }
end

---@param is_same? boolean its place and what is done are as they were
local function draw(buffer, is_same)
  local life = lives[buffer]
  local windows = life and life.doing and vim.fn.win_findbuf(buffer) or {}
  local said = life and M.elapsed(vim.uv.now() - life.since)
  if #windows == 0 or (is_same and life.waits and life.said == said) then
    return
  end
  life.said = said
  local width = math.min(unpack(vim.tbl_map(cells.room, windows)))
  api.nvim_buf_set_extmark(buffer, namespace, api.nvim_buf_line_count(buffer) - 1, 0, {
    id = 1,
    virt_text = chunks(life, width),
    virt_text_pos = 'eol',
  })
end

---@param is_same? boolean no chat has other lines
local function tick(is_same)
  drawn = vim.uv.now()
  for buffer, life in pairs(lives) do
    if api.nvim_buf_is_loaded(buffer) then
      draw(buffer, is_same)
      life.turns = not life.waits and put(buffer, M.spinner()) or life.turns
    else
      M.set(buffer, {})
    end
  end
end

--- A chat has other lines now: let its row stand below the last one, where its mark has mostly gone of
--- itself. What turns is drawn along if it is time for that, and not once more soon.
function M.follow(buffer)
  if not lives[buffer] then
    return
  end
  if timer and vim.uv.now() - drawn >= INTERVAL_MS then
    tick()
    return timer and timer:again()
  end
  local row = api.nvim_buf_get_extmark_by_id(buffer, namespace, 1, {})[1]
  if row ~= api.nvim_buf_line_count(buffer) - 1 then
    draw(buffer)
  end
end

--- Let it tick as often as what is on screen turns, and once a second while all wait for the user.
local function keep_time()
  local interval = WAITING_MS
  for _, life in pairs(lives) do
    interval = life.waits and interval or INTERVAL_MS
  end
  if not timer then
    timer = assert(vim.uv.new_timer())
  elseif timer:get_repeat() == interval then
    return
  end
  local function run()
    tick(true)
  end
  timer:start(interval, interval, vim.schedule_wrap(run))
end

--- Call something with what each session does, whenever that may have changed.
---@param run fun(buffer: integer, status: table)
function M.listen(run)
  table.insert(listeners, run)
end

--- Take note of what a session does now.
---@param buffer integer its chat, or a list of sessions: with `works` its spinners turn
function M.set(buffer, status)
  local before = lives[buffer]
  if status.state == 'running' then
    lazy.warm()
  end
  for _, run in ipairs(listeners) do
    run(buffer, status)
  end
  local is_live = status.doing ~= nil or status.works == true
  local waits = (status.pending or 0) > 0
  local turns = before and before.turns
  if turns and (waits or not is_live) then
    put(buffer, STILL)
    turns = nil
  end
  if not is_live then
    lives[buffer] = nil
    if before and api.nvim_buf_is_loaded(buffer) then
      api.nvim_buf_del_extmark(buffer, namespace, 1)
    end
    if timer and vim.tbl_isempty(lives) then
      timer:close()
      timer = nil
    end
    return
  end
  local is_same = before and before.turn == status.turn
  local since = is_same and before.since or vim.uv.now()
  local life = { doing = status.doing, turn = status.turn, since = since, waits = waits }
  life.turns = turns
  lives[buffer] = life
  draw(buffer)
  keep_time()
end

return M
