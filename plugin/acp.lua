-- Commands, <Plug> mappings and a few autocommands; every module is required on first use.

if vim.g.loaded_acp then
  return
end
vim.g.loaded_acp = true

local api = vim.api

if vim.fn.has('nvim-0.10') == 0 then
  api.nvim_echo({ { 'acp.nvim needs Neovim 0.10 or newer', 'WarningMsg' } }, true, {})
  return
end

local function complete(lead, line, position)
  return require('acp.command.complete').command(lead, line, position)
end

local function define(name, sub, options)
  options.nargs = '*'
  options.complete = complete
  api.nvim_create_user_command(name, function(invoked)
    require('acp.command.invoke').run(sub, invoked)
  end, options)
end

define('Acp', nil, { desc = 'acp.nvim: work with a coding agent', range = true, bang = true })
define('AcpStart', 'start', { desc = 'acp.nvim: start an agent, or go to its session' })
define('AcpPrompt', 'prompt', { desc = 'acp.nvim: prompt the agent', range = true, bang = true })

local function map(mode, name, command, desc)
  local options = { noremap = true, silent = true, desc = desc }
  api.nvim_set_keymap(mode, ('<Plug>(acp-%s)'):format(name), command, options)
end

map('n', 'prompt', '<Cmd>Acp prompt<CR>', 'Go to the prompt')
map('x', 'prompt', ':Acp prompt<CR>', 'Prompt with the selected lines')
map('n', 'chat', '<Cmd>Acp chat toggle<CR>', 'Open or close the chat')
map('n', 'cancel', '<Cmd>Acp cancel<CR>', 'Cancel the running turn')
map('n', 'follow', '<Cmd>Acp follow<CR>', 'Follow the agent, or no longer')
map('n', 'permit', '<Cmd>Acp permit<CR>', 'Go to the oldest question of the agent')

local next_question = "<Cmd>lua require('acp.command.invoke').key('session', 'next_question')<CR>"
map('n', 'next-question', next_question, 'Go to the question, then to the next one')

local function map_answer(name, kind, desc)
  local lua = "<Cmd>lua require('acp.command.invoke').key('session', 'permit', { kind = '%s' })<CR>"
  map('n', name, lua:format(kind), desc)
end

map_answer('allow', 'allow_once', 'Allow once')
map_answer('reject-permission', 'reject_once', 'Reject once')

map('n', 'worktree', '<Cmd>Acp worktree<CR>', 'Open a session in a git worktree of its own')
map('n', 'merge-worktree', '<Cmd>Acp worktree merge<CR>', 'Merge a worktree into your files')
map('n', 'compare', '<Cmd>Acp compare<CR>', 'Compare what came of worktrees')
map('n', 'review', '<Cmd>Acp review<CR>', 'Show what the agents have changed')
map('n', 'outline', '<Cmd>Acp outline<CR>', 'List what was said and done')
map('n', 'undo', '<Cmd>Acp undo<CR>', 'Take back what the last turn has changed')

--- `keys` is Lua that returns what is to be typed.
local function map_expression(mode, name, keys, desc)
  local options = { noremap = true, expr = true, replace_keycodes = true, desc = desc }
  options.callback = keys
  api.nvim_set_keymap(mode, ('<Plug>(acp-%s)'):format(name), '', options)
end

for verdict, desc in pairs({ keep = 'Keep what the agent has changed', reject = 'Reject it' }) do
  for _, mode in ipairs({ 'n', 'x' }) do
    map_expression(mode, verdict, function()
      return require('acp.review.decide').operator(verdict)
    end, desc)
  end
  map_expression('o', verdict, function()
    return require('acp.review.decide').operand()
  end, 'The hunk under the cursor')
end

for name, step in pairs({ ['next-hunk'] = 1, ['prev-hunk'] = -1 }) do
  local desc = step == 1 and 'Next hunk' or 'Previous hunk'
  local lua = "<Cmd>lua require('acp.command.invoke').key('motion', '%s', %d)<CR>"
  map('n', name, lua:format('jump', step), desc)
  map('x', name, lua:format('extend', step), desc)
  map_expression('o', name, function()
    return require('acp.review.motion').operand(step)
  end, desc)
end

local next_mode = "<Cmd>lua require('acp.command.invoke').key('session', 'next_mode')<CR>"
map('n', 'next-mode', next_mode, 'Next mode')
map('n', 'model', '<Cmd>Acp model<CR>', 'Choose the model')
map('n', 'sessions', '<Cmd>Acp sessions<CR>', 'List the sessions')
map('n', 'next-session', '<Cmd>Acp next<CR>', 'Go to the next session')
map('n', 'previous-session', '<Cmd>Acp previous<CR>', 'Go to the previous session')
map('n', 'resend', '<Cmd>Acp resend<CR>', 'The last prompt back in the prompt')
map('n', 'help', "<Cmd>lua require('acp.ui.keys').help()<CR>", 'Show the keys of this buffer')

-- What these do, the buffers of the plugin know in which they are given.
local own = {
  n = {
    'question close write fold-toggle fold-open fold-close fold-open-all fold-close-all',
    'next-prompt previous-prompt next-tool previous-tool file file-split browse raw',
    'yank-code yank-answer send older newer drop told put put-before take-back',
    'agent-details agent-start agent-install agent-remove agent-stop agents-fetch',
    'edit-prompt rewind output output-to-quickfix list-open list-answer list-close list-rename',
    'list-delete list-filter list-compare take-version next-version previous-version',
    'next-compared previous-compared open-compared',
  },
  i = { 'send older newer' },
}
for mode, lists in pairs(own) do
  for name in table.concat(lists, ' '):gmatch('%S+') do
    local desc = 'In the windows of acp.nvim: ' .. name:gsub('%-', ' ')
    map(mode, name, ("<Cmd>lua require('acp.ui.keys').run('%s')<CR>"):format(name), desc)
  end
end

for verdict, desc in pairs({ keep = 'Keep the hunk', reject = 'Reject the hunk' }) do
  map('n', verdict .. '-hunk', ('<Cmd>Acp %s<CR>'):format(verdict), desc)
end

local group = api.nvim_create_augroup('acp', {})

api.nvim_create_autocmd('BufReadCmd', {
  group = group,
  pattern = 'acp://*',
  desc = 'A chat that is only a name, for instance from :mksession',
  callback = function(event)
    require('acp.chat.reopen').read(event.buf, event.match)
  end,
})

api.nvim_create_autocmd('BufFilePost', {
  group = group,
  pattern = { 'acp://*', 'acp-*' },
  desc = 'A session file names buffers aloud: `nvim -S` would stop at the second, and wait for <CR>',
  callback = function()
    if vim.g.SessionLoad == 1 then
      vim.opt.shortmess:append('F') -- which the session file sets back at its end
    end
  end,
})

api.nvim_create_autocmd('SessionLoadPost', {
  group = group,
  desc = 'Chats that :mksession has kept by name, and what else it has',
  callback = function()
    for _, buffer in ipairs(api.nvim_list_bufs()) do
      local name = api.nvim_buf_get_name(buffer)
      if name:find('^acp') or name:find('/acp%-[^/]*$') then
        return require('acp.chat.reopen').load()
      end
    end
  end,
})

--- Bring back what was open, where the user has configured that.
local function restore()
  local config = vim.g.acp
  local may_want = type(config) == 'function' or (type(config) == 'table' and config.restore)
  if may_want or package.loaded['acp.host.options'] then
    require('acp.chat.reopen').restore()
  end
end

if vim.v.vim_did_enter == 1 then
  vim.schedule(restore)
else
  api.nvim_create_autocmd('VimEnter', {
    group = group,
    once = true,
    desc = 'Sessions that were open when Neovim ended',
    callback = restore,
  })
end

api.nvim_create_autocmd('VimLeavePre', {
  group = group,
  desc = 'End the host and all agents',
  callback = function()
    local bridge = package.loaded['acp.host.bridge']
    if bridge then
      bridge.shutdown()
    end
  end,
})
