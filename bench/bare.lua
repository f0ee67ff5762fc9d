-- The least that a client can do: what `everyday.py` takes for the limit. It shows plain text, at most
-- every 33 ms, merges nothing, asks in a float, and serves files from buffers. No colours, no log.

local api, uv = vim.api, vim.uv

local M = { turns = 0 }

local FRAME_MS = 33
local agent, chat
local rest, waiting, last_id = '', {}, 0
local frame = uv.new_timer()

local function send(message)
  message.jsonrpc = '2.0'
  agent:write(vim.json.encode(message) .. '\n')
end

local function request(method, params)
  last_id = last_id + 1
  send({ id = last_id, method = method, params = params })
end

local draw = vim.schedule_wrap(function()
  local lines = vim.split(table.concat(waiting), '\n', { plain = true })
  waiting = {}
  local row = api.nvim_buf_line_count(chat) - 1
  local column = #api.nvim_buf_get_lines(chat, row, -1, true)[1]
  api.nvim_buf_set_text(chat, row, column, row, column, lines)
  api.nvim_win_set_cursor(vim.fn.bufwinid(chat), { api.nvim_buf_line_count(chat), 0 })
end)

local function show(text)
  table.insert(waiting, text)
  if not frame:is_active() then
    frame:start(FRAME_MS, 0, draw)
  end
end

local serve = {}

serve['session/update'] = function(params)
  local update = params.update
  show(update.content and update.content.text or (update.title or update.status) .. '\n')
end

serve['fs/read_text_file'] = function(params)
  local lines = api.nvim_buf_get_lines(vim.fn.bufnr(params.path), 0, -1, true)
  return { content = table.concat(lines, '\n') .. '\n' }
end

serve['fs/write_text_file'] = function(params)
  local buffer, text = vim.fn.bufnr(params.path), params.content
  local old = serve['fs/read_text_file'](params).content
  local new = vim.split(text, '\n', { plain = true })
  for _, hunk in vim.iter(vim.diff(old, text, { result_type = 'indices' })):rev():enumerate() do
    local lines = vim.list_slice(new, hunk[3], hunk[3] + hunk[4] - 1)
    api.nvim_buf_set_lines(buffer, hunk[1] - 1, hunk[1] - 1 + hunk[2], true, lines)
  end
  api.nvim_buf_call(buffer, function()
    vim.cmd('silent write!')
  end)
  return vim.empty_dict()
end

serve['session/request_permission'] = function(params, id)
  local lines = { params.toolCall.title, '1. Yes  2. No' }
  local buffer = api.nvim_create_buf(false, true)
  api.nvim_buf_set_lines(buffer, 0, -1, true, lines)
  local place = { relative = 'editor', row = 2, col = 2, width = 40, height = 2 }
  local window = api.nvim_open_win(buffer, false, place)
  M.answer = function(option)
    api.nvim_win_close(window, true)
    send({ id = id, result = { outcome = { outcome = 'selected', optionId = option } } })
  end
  api.nvim_exec_autocmds('User', { pattern = 'AcpPermissionRequested' })
end

local receive = vim.schedule_wrap(function(line)
  local message = vim.json.decode(line)
  if message.method then
    local result = serve[message.method](message.params, message.id)
    if result then
      send({ id = message.id, result = result })
    end
  elseif message.result.sessionId then
    M.is_ready = true
  elseif message.result.stopReason then
    M.turns = M.turns + 1
  end
end)

---@param command string[]
function M.start(command)
  vim.cmd('botright 56vnew | setlocal buftype=nofile undolevels=-1 wrap | wincmd p')
  chat = api.nvim_win_get_buf(vim.fn.win_getid(vim.fn.winnr('#')))
  agent = vim.system(command, {
    stdin = true,
    stdout = function(_, data)
      local lines = vim.split(rest .. (data or ''), '\n', { plain = true })
      rest = table.remove(lines)
      vim.iter(lines):each(receive)
    end,
  })
  request('initialize', { protocolVersion = 1, clientCapabilities = vim.empty_dict() })
  request('session/new', { cwd = vim.fn.getcwd(), mcpServers = {} })
end

---@param text string
function M.prompt(text)
  request('session/prompt', { sessionId = 'bench-1', prompt = { { type = 'text', text = text } } })
end

return M
