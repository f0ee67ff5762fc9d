-- Readers of an agent in plain Lua, to compare the plugin with, and a probe for stalls; for stream.py.
-- All show markdown by tree-sitter in a window that follows. 'per chunk' changes the buffer at every
-- chunk, as clients in Lua do; 'batched' at most every 33 ms, the best that is known in Lua.

local api, uv = vim.api, vim.uv

local M = { turns = 0 }

local BATCH_MS = 33
local job, buffer, window
local last_id = 0

-- The windows are as large as the plugin's, and the cursor stands in the same place.
local function open_windows()
  vim.cmd('botright 56vnew')
  buffer, window = api.nvim_get_current_buf(), api.nvim_get_current_win()
  vim.bo[buffer].buftype, vim.bo[buffer].undolevels = 'nofile', -1
  local options = { wrap = true, linebreak = true, breakindent = true }
  for name, value in pairs(options) do
    vim.wo[window][name] = value
  end
  vim.cmd('belowright 6new')
  vim.treesitter.start(buffer, 'markdown')
end

local function append(text)
  local row = api.nvim_buf_line_count(buffer) - 1
  local column = #api.nvim_buf_get_lines(buffer, row, row + 1, true)[1]
  api.nvim_buf_set_text(buffer, row, column, row, column, vim.split(text, '\n', { plain = true }))
  api.nvim_win_set_cursor(window, { api.nvim_buf_line_count(buffer), 0 })
end

---@type table<string, fun(): fun(text: string), fun(done: fun())>
local takers = {}

takers['per chunk'] = function()
  return vim.schedule_wrap(append), vim.schedule
end

takers['batched'] = function()
  local parts, timer = {}, uv.new_timer()
  local flush = vim.schedule_wrap(function()
    local text = table.concat(parts)
    parts = {}
    append(text)
  end)
  local function take(text)
    table.insert(parts, text)
    if not timer:is_active() then
      timer:start(BATCH_MS, 0, flush)
    end
  end
  return take, function(done)
    vim.defer_fn(done, 2 * BATCH_MS)
  end
end

local function send(method, params)
  last_id = last_id + 1
  local message = { jsonrpc = '2.0', id = last_id, method = method, params = params }
  vim.fn.chansend(job, vim.json.encode(message) .. '\n')
end

--- Open the windows and start the agent. `turns` counts the answers that are in the buffer.
---@param kind 'per chunk'|'batched'
---@param command string[]
---@return integer buffer
function M.start(kind, command)
  open_windows()
  local take, after = takers[kind]()
  local rest = ''
  local function receive(line)
    local message = vim.json.decode(line)
    if message.method == 'session/update' then
      take(message.params.update.content.text)
    elseif message.result.stopReason then
      after(function()
        M.turns = M.turns + 1
      end)
    end
  end
  job = vim.fn.jobstart(command, {
    on_stdout = function(_, data)
      data[1] = rest .. data[1]
      rest = table.remove(data)
      vim.iter(data):each(receive)
    end,
  })
  send('initialize', { protocolVersion = 1, clientCapabilities = vim.empty_dict() })
  send('session/new', { cwd = vim.fn.getcwd(), mcpServers = {} })
  return buffer
end

---@param text string
function M.prompt(text)
  send('session/prompt', { sessionId = 'bench-1', prompt = { { type = 'text', text = text } } })
end

local probe, gaps = uv.new_timer(), {}
local busiest

---@return number milliseconds of CPU that this Neovim has used
local function used()
  local usage = uv.getrusage()
  local seconds = usage.utime.sec + usage.stime.sec
  return seconds * 1e3 + (usage.utime.usec + usage.stime.usec) / 1e3
end

--- Note the time between two turns of the main loop, which a timer of 1 ms wakes up: where a key is
--- taken, too. The timer itself may run in the middle of what is long.
function M.start_probe()
  local last, last_used, is_due = uv.hrtime(), used(), false
  gaps, busiest = {}, 0
  local note = vim.schedule_wrap(function()
    local now, now_used = uv.hrtime(), used()
    table.insert(gaps, (now - last) / 1e6)
    busiest = math.max(busiest, now_used - last_used)
    last, last_used, is_due = now, now_used, false
  end)
  probe:start(1, 1, function()
    if not is_due then
      is_due = true
      note()
    end
  end)
end

---@return number milliseconds of its own CPU in the busiest gap: what no other process can make longer
function M.busiest_gap()
  return busiest
end

---@return number[] milliseconds, shortest first
function M.stop_probe()
  probe:stop()
  table.sort(gaps)
  return gaps
end

return M
