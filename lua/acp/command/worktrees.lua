-- The sub-commands about worktrees; see acp.command.subcommands. The host does all of it: it asks,
-- and opens the chats.

local agents = require('acp.command.agent')
local bridge = require('acp.host.bridge')
local chats = require('acp.chat.registry')
local notice = require('acp.ui.notice')

local api = vim.api

local M = {}

---@param more table
---@return table payload with where the user is
local function here(more)
  local chat = chats.of(api.nvim_get_current_buf())
  local place = { file = agents.file(), cwd = vim.fn.getcwd(), chat = chat and chat.chat }
  return vim.tbl_extend('force', place, more)
end

local actions = { merge = 'merge', ['merge!'] = 'commit', remove = 'remove' }

--- Make a worktree with a session of an agent; or merge or remove one.
function M.run(text)
  local first, rest = text:match('^%s*(%S*)%s*(.-)%s*$')
  local action = actions[first]
  if action then
    local name = rest ~= '' and rest or nil
    return bridge.notify('worktree', here({ action = action, name = name }))
  end
  if rest ~= '' then
    return notice.warn(':Acp worktree takes an agent; or merge, merge! or remove and a worktree')
  end
  local current = chats.current()
  agents.named(first ~= '' and first or current and current.agent or nil, function(agent)
    if agent then
      bridge.notify('worktree', here({ action = 'new', agent = agent }))
    end
  end)
end

--- Send a prompt to several agents.
---@param text string their names, and the prompt
function M.race(text)
  bridge.notify('race', here({ text = text }))
end

--- Compare worktrees of this project.
---@param text string their names, none for all
function M.compare(text)
  local names = vim.split(text, '%s+', { trimempty = true })
  require('acp.review.versions').open(here({ names = names }))
end

---@return string[] names of the worktrees of the project that a folder is in, from the records that are kept
local function names(folder)
  local pattern = vim.fn.stdpath('data') .. '/acp.nvim/worktrees/*.json'
  local found = vim.tbl_map(require('acp.command.data').decoded, vim.fn.glob(pattern, true, true))
  local home, named = vim.uv.fs_realpath(folder), {}
  for _, record in pairs(found) do
    home = record.folder == folder and record.home or home
  end
  for _, record in pairs(found) do
    table.insert(named, record.home == home and record.name or nil)
  end
  return named
end

--- What can be written after `:Acp worktree`.
---@param before? string what stands there already
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
