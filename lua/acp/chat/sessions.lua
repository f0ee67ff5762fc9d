-- The list of the sessions: a buffer that stays, below or as a sidebar, drawn by the host whenever
-- something changes. With the lines comes, as `b:acp_status`, which session stands in which line:
-- what a key does is for that one.

local bridge = require('acp.host.bridge')
local chats = require('acp.chat.registry')
local keys = require('acp.ui.keys')
local dress = require('acp.ui.dress')
local hands = require('acp.files.hands')
local layout = require('acp.ui.layout')
local notice = require('acp.ui.notice')
local options = require('acp.host.options')
local sidebar = require('acp.chat.sidebar')

local api = vim.api

local M = {}

local ROWS = 10

---@class acp.ListedSession
---@field agent string
---@field session string '' until it is open
---@field chat integer 0 if no chat shows it
---@field title string
---@field worktree? string
---@field call? string of a sub-agent that works in a call; the chat is its agent's

---@type integer? the buffer
local list

---@param row acp.ListedSession
---@param action 'open'|'close'|'rename'|'delete'|'answer'
---@param title? string
local function tell(row, action, title)
  local payload = { list = list, action = action, title = title }
  payload.agent, payload.session, payload.chat = row.agent, row.session, row.chat
  payload.call = row.call
  if action ~= 'open' or not row.call then
    return bridge.notify('session', payload)
  end
  bridge.ask('session', payload, function(place)
    hands.calmly('the chat', function()
      require('acp.chat.window').show_row(place.chat, place.row)
    end)
  end)
end

--- Compare the worktrees of the selected rows.
local function compare()
  local rows, first, last = (vim.b.acp_status or {}).rows or {}, vim.fn.line('v'), vim.fn.line('.')
  local names = {}
  for line = math.min(first, last), math.max(first, last) do
    local name = rows[line] and rows[line].worktree
    if name and not vim.list_contains(names, name) then
      table.insert(names, name)
    end
  end
  vim.cmd('normal! \27')
  if #names == 0 then
    return notice.notice('no session of these has a worktree')
  end
  vim.cmd.Acp({ args = { 'compare', unpack(names) } })
end

--- Do something with the session of the row.
---@param run fun(row: acp.ListedSession)
---@return fun()
local function doing(run)
  return function()
    local rows = (vim.b.acp_status or {}).rows or {}
    local row = rows[api.nvim_win_get_cursor(0)[1]]
    if not row then
      return notice.notice('no session here')
    end
    run(row)
  end
end

---@param action 'open'|'close'|'delete'|'answer'
---@return fun()
local function telling(action)
  return doing(function(row)
    tell(row, action)
  end)
end

local rename = doing(function(row)
  vim.ui.input({ prompt = 'Title: ', default = row.title }, function(title)
    if title and vim.trim(title) ~= '' then
      tell(row, 'rename', title)
    end
  end)
end)

---@param line string
---@param words string
---@return boolean whether all the words are in the line, whatever their case
local function has(line, words)
  local low = vim.fn.tolower(line)
  return vim.iter(vim.gsplit(vim.fn.tolower(words), '%s+', { trimempty = true })):all(function(word)
    return low:find(word, 1, true) ~= nil
  end)
end

--- The first line with these words, so that the next key is for it.
---@param words string
local function go_to_match(words)
  for number, line in ipairs(api.nvim_buf_get_lines(0, 0, -1, true)) do
    if has(line, words) then
      return api.nvim_win_set_cursor(0, { number, 0 })
    end
  end
end

local function filter()
  local shown = (vim.b.acp_status or {}).filter
  vim.ui.input({ prompt = 'Sessions with: ', default = shown }, function(words)
    if words and list and api.nvim_get_current_buf() == list then
      go_to_match(words)
      bridge.notify('filter_sessions', { list = list, words = words })
    end
  end)
end

---@param buffer integer
local function map_keys(buffer)
  keys.map_all(buffer, {
    { '<CR>', 'Continue the session', telling('open'), 'list-open' },
    { 'a', 'Answer the question that waits there', telling('answer'), 'list-answer' },
    { 'c', 'Close the session', telling('close'), 'list-close' },
    { 'r', 'Rename the session', rename, 'list-rename' },
    { 'D', 'Delete the session for good', telling('delete'), 'list-delete' },
    { 'N', 'Open a session in a worktree', '<Plug>(acp-worktree)' },
    { '=', 'Compare the worktrees', '<Plug>(acp-compare)' },
  })
  keys.map(buffer, 'x', '=', 'Compare the changes of the sessions', compare, 'list-compare')
  local question = 'Go to the question that waits, of any session'
  keys.map_all(buffer, {
    { ']q', question, '<Plug>(acp-next-question)' },
    { '/', 'Show only the sessions with these words', filter, 'list-filter' },
  })
  keys.map(buffer, 'n', 'q', 'Close the window', function()
    pcall(layout.close_window, api.nvim_get_current_win())
  end, 'close')
end

---@param buffer integer
local function watch(buffer)
  api.nvim_create_autocmd('BufWinEnter', {
    buffer = buffer,
    callback = function()
      dress.window(0, vim.w.acp_sidebar and dress.SIDEBAR or dress.LIST)
    end,
  })
  api.nvim_create_autocmd('BufWipeout', {
    buffer = buffer,
    callback = function()
      list = nil
      if vim.v.exiting == vim.NIL then
        bridge.tell_running('list_closed', { list = buffer })
      end
    end,
  })
end

---@param is_sidebar boolean
---@return integer buffer
local function make(is_sidebar)
  require('acp.ui.highlights').define()
  local buffer = chats.list('acp-sessions')
  if is_sidebar then
    sidebar.make(buffer)
  end
  watch(buffer)
  map_keys(buffer)
  return buffer
end

--- Show the sessions in a window below or in a sidebar, or go to the window that shows them; either way they are asked
--- for anew.
---@param file string of the project, '' for none
---@param cwd string
function M.open(file, cwd)
  local is_sidebar = options.value('ui', 'sessions') == 'sidebar'
  list = list or make(is_sidebar)
  is_sidebar = vim.bo[list].bufhidden == 'hide' -- as it was when it was opened
  local window = layout.window_of(list)
  if window then
    api.nvim_set_current_win(window)
  elseif is_sidebar then
    sidebar.open(list)
  else
    layout.open_list(list, math.max(math.min(ROWS, math.floor(vim.o.lines / 3)), 1))
  end
  local payload = { list = list, file = file, cwd = cwd, sidebar = is_sidebar }
  bridge.ask('list_sessions', payload, function() end)
end

return M
