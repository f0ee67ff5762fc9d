-- The keys of the chat, and those that it shares with the prompt.

local bridge = require('acp.host.bridge')
local code = require('acp.chat.code')
local hands = require('acp.files.hands')
local keys = require('acp.ui.keys')
local layout = require('acp.ui.layout')
local notice = require('acp.ui.notice')
local output = require('acp.chat.output')
local prompts = require('acp.chat.prompts')
local question = require('acp.ask.window')
local welcome = require('acp.chat.welcome')

local api = vim.api

local M = {}

local PORTION = 200

---@return integer row 0-based
local function row()
  return api.nvim_win_get_cursor(0)[1] - 1
end

---@return { line: string, column: integer } what stands there, for the host to find what that names
local function under_cursor()
  return { line = api.nvim_get_current_line(), column = api.nvim_win_get_cursor(0)[2] }
end

--- Go on in the prompt with the same key; in an empty one they all mean the same.
local function write(chat, key)
  layout.open(chat)
  local empty = vim.deep_equal(api.nvim_buf_get_lines(chat.prompt, 0, -1, true), { '' })
  api.nvim_feedkeys(empty and 'i' or key, 'ni', false) -- before what is typed already
end

--- The tool call's file; else the file that is named under the cursor. Whether it may be opened is
--- for the host to say: the agent has named it.
---@param split boolean
local function follow_link(chat, split)
  local payload = vim.tbl_extend('error', { chat = chat.chat, row = row() }, under_cursor())
  payload.word = vim.fn.expand('<cfile>')
  bridge.call('follow_link', payload, function(err, found)
    if found and found.path then
      local name = vim.fs.basename(found.path)
      hands.calmly(name, layout.show_file, found.path, found.line, split)
    elseif not found then
      notice.warn(err or 'no file here')
    end
  end)
end

--- Hand the web address under the cursor to the browser, by the host, which asks where the text of
--- the link says something else.
local function browse()
  bridge.ask('browse', under_cursor())
end

local function show_raw(chat)
  bridge.call('raw', { chat = chat.chat, row = row() }, function(err, text)
    if err or not text then
      return notice.notice(err or 'no tool call here')
    end
    local lines = vim.split(text, '\n', { plain = true })
    require('acp.ui.float').lines('Tool call', lines, {})
  end)
end

local ICONS =
  { 'AcpToolPending', 'AcpToolRunning', 'AcpToolDone', 'AcpToolFailed', 'AcpToolCancelled' }

--- Whether a mark is the icon of a tool call.
---@param mark vim.api.keyset.get_extmark_item
local function is_call(mark)
  local groups = { mark[4].sign_hl_group or mark[4].hl_group }
  for _, chunk in ipairs(mark[4].virt_text or {}) do
    table.insert(groups, chunk[2])
  end
  return vim.iter(ICONS):any(function(icon)
    return vim.list_contains(groups, icon)
  end)
end

--- Search in portions: a chat may be long.
---@param start integer row
---@param is_meant fun(mark: vim.api.keyset.get_extmark_item): boolean
---@return integer? row where the next such block in that direction begins
local function find(buffer, start, step, is_meant)
  local last = step == 1 and api.nvim_buf_line_count(buffer) - 1 or 0
  for first = start, last, step * PORTION do
    local portion = prompts.rows_with(buffer, first, math.max(first + step * PORTION, 0), is_meant)
    for _, line in ipairs(portion) do
      local is_same_block = is_meant == prompts.is_prompt
        and line > 0
        and #prompts.rows_with(buffer, line - 1, line - 1, is_meant) > 0
      if not is_same_block then
        return line
      end
    end
  end
end

---@param is_meant fun(mark: vim.api.keyset.get_extmark_item): boolean
---@return fun() goes there
local function jump(step, is_meant)
  return function()
    for _ = 1, vim.v.count1 do
      local target = find(api.nvim_get_current_buf(), row() + step, step, is_meant)
      if not target then
        return
      end
      vim.cmd("normal! m'")
      api.nvim_win_set_cursor(0, { target + 1, 0 })
    end
  end
end

--- Go to the question; without one the key is what it was: <C-i>.
local function to_ask()
  if not question.focus() then
    api.nvim_feedkeys(vim.v.count1 .. vim.keycode('<C-i>'), 'ni', false)
  end
end

--- Close the chat; but `q:`, `q/` and `q?`, typed at once, are what they always are.
local function close(chat)
  if vim.fn.getcharstr(1):find('^[:/?]') then
    return api.nvim_feedkeys('q', 'ni', false)
  end
  layout.close(chat)
end

--- Map what chat and prompt have in common.
function M.map_common(chat, buffer)
  local function leave()
    close(chat)
  end
  keys.map_all(buffer, {
    { 'q', 'Close the chat', leave, 'close' },
    { '<C-c>', 'Cancel the running turn', '<Plug>(acp-cancel)' },
    { '<S-Tab>', 'Next mode', '<Plug>(acp-next-mode)' },
    { 'gm', 'Choose the model', '<Plug>(acp-model)' },
    { 'gr', 'Review what the agents have changed', '<Plug>(acp-review)' },
    { 'gs', 'Sessions', '<Plug>(acp-sessions)' },
    { ']s', 'Next session', '<Plug>(acp-next-session)' },
    { '[s', 'Previous session', '<Plug>(acp-previous-session)' },
    { '<Tab>', 'Go to the question', to_ask, 'question' },
  })
end

--- Open or close what is under the cursor: code by itself, the rest by the host. Where there is no
--- such thing, the plan that the bar is about is shown whole.
---@param action string
local function toggle(chat, action)
  if code.fold(action) then
    return
  end
  local payload = { chat = chat.chat, row = row(), action = action }
  bridge.ask('toggle', payload, function(plan)
    if plan then
      require('acp.ui.float').lines('Plan', vim.split(plan, '\n', { plain = true }), {})
    end
  end)
end

--- Map the keys of a chat.
function M.map(chat)
  local function with(run, ...)
    local arguments = { chat, ... }
    return function()
      return run(unpack(arguments))
    end
  end
  local function lazily(module, name) -- which is loaded with the key
    return function()
      module[name](chat)
    end
  end
  local function choose()
    return welcome.choose(chat) or toggle(chat, 'toggle')
  end
  for _, key in ipairs({ 'i', 'a', 'o', 'I', 'A', 'O' }) do
    keys.map(chat.chat, 'n', key, 'Write a prompt', with(write, key), 'write')
  end
  keys.map_all(chat.chat, {
    { '<CR>', 'Open or close what is under the cursor', choose },
    { 'za', 'Open or close what is under the cursor', with(toggle, 'toggle'), 'fold-toggle' },
    { 'zo', 'Open it', with(toggle, 'open'), 'fold-open' },
    { 'zc', 'Close it', with(toggle, 'close'), 'fold-close' },
    { 'zR', 'Open all', with(toggle, 'open_all'), 'fold-open-all' },
    { 'zM', 'Close all', with(toggle, 'close_all'), 'fold-close-all' },
    { ']]', 'Next prompt', jump(1, prompts.is_prompt), 'next-prompt' },
    { '[[', 'Previous prompt', jump(-1, prompts.is_prompt), 'previous-prompt' },
    { ']t', 'Next tool call', jump(1, is_call), 'next-tool' },
    { '[t', 'Previous tool call', jump(-1, is_call), 'previous-tool' },
  })
  prompts.map(chat)
  local quickfix = 'Places in what it has printed into the quickfix list'
  keys.map_all(chat.chat, {
    { 'gf gF', 'Go to the file', with(follow_link, false), 'file' },
    { '<C-w>f', 'Go to the file in a new window', with(follow_link, true), 'file-split' },
    { 'gx', 'Open the web address', browse, 'browse' },
    { 'K', 'Show the tool call as it is', with(show_raw), 'raw' },
    { 'go', 'Show all that the tool call has printed', lazily(output, 'open'), 'output' },
    { 'yq', quickfix, lazily(output, 'yank'), 'output-to-quickfix' },
    { 'yc', 'Yank the code block', lazily(code, 'yank'), 'yank-code' },
    { 'ya', 'Yank the last answer', lazily(code, 'yank_answer'), 'yank-answer' },
  })
  M.map_common(chat, chat.chat)
end

return M
