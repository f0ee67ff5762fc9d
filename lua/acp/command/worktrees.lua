-- The sub-commands about worktrees; see acp.command.subcommands. The host does all of it: it asks,
-- and opens the chats.

local agents = require('acp.command.agent')
local bridge = require('acp.host.bridge')
local chats = require('acp.chat.registry')
local notice = require('acp.ui.notice')

local api = vim.api

local M = {}

---@param action 'new'|'merge'|'commit'|'remove'
---@param more { agent?: string, name?: string }
local function act(action, more)
  local chat = chats.of(api.nvim_get_current_buf())
  local payload = { action = action, file = agents.file(), cwd = vim.fn.getcwd() }
  payload.chat = chat and chat.chat
  bridge.notify('worktree', vim.tbl_extend('force', payload, more))
end

local actions = { merge = 'merge', ['merge!'] = 'commit', remove = 'remove' }

--- Make a worktree with a session of an agent; or merge or remove one.
---@param text string
function M.run(text)
  local first, rest = text:match('^%s*(%S*)%s*(.-)%s*$')
  local action = actions[first]
  if action then
    return act(action, { name = rest ~= '' and rest or nil })
  end
  if rest ~= '' then
    return notice.warn(':Acp worktree takes an agent; or merge, merge! or remove and a worktree')
  end
  local here = chats.current()
  agents.named(first ~= '' and first or here and here.agent or nil, function(agent)
    if agent then
      act('new', { agent = agent })
    end
  end)
end

--- Send a prompt to several agents.
---@param text string their names, and the prompt
function M.race(text)
  local chat = chats.of(api.nvim_get_current_buf())
  local payload = { text = text, file = agents.file(), cwd = vim.fn.getcwd() }
  payload.chat = chat and chat.chat
  bridge.notify('race', payload)
end

---@return { name: string, home: string, folder: string, is_made: boolean }[] all records
function M.all()
  local data = vim.fn.stdpath('data') --[[@as string]]
  local found = {}
  for _, path in ipairs(vim.fn.glob(data .. '/acp.nvim/worktrees/*.json', true, true)) do
    local ok, record = pcall(function()
      return vim.json.decode(table.concat(vim.fn.readfile(path), '\n'))
    end)
    if ok and type(record) == 'table' then
      table.insert(found, record)
    end
  end
  return found
end

---@param folder string
---@return string[] names of the worktrees of the project that a folder is in
local function names(folder)
  local home, found = vim.uv.fs_realpath(folder), M.all()
  for _, record in ipairs(found) do
    home = record.folder == folder and record.home or home
  end
  return vim
    .iter(found)
    :filter(function(record)
      return record.home == home
    end)
    :map(function(record)
      return record.name
    end)
    :totable()
end

--- What can be written after `:Acp worktree`.
---@param before? string what stands there already
---@return string[]
function M.complete(before)
  if not before then
    local words = vim.tbl_keys(actions)
    table.sort(words)
    return words
  end
  local project = require('acp.chat.project')
  local chat = chats.of(api.nvim_get_current_buf())
  local folder = chat and chat.root or project.root(project.file(), vim.fn.getcwd())
  return actions[before] and names(folder) or {}
end

return M
