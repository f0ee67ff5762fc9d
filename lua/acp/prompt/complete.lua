-- Completion in the prompt: slash commands and mentions. Nothing here waits, and nothing starts the
-- host: the commands are in `b:acp_status`. 'omnifunc' and the language server offer the same.

local chats = require('acp.chat.registry')
local marks = require('acp.prompt.marks')
local mention = require('acp.prompt.mention')

local api = vim.api

local M = {}

local ABOUT = 60 -- characters

---@class acp.Candidate
---@field word string what is inserted
---@field label? string what is shown, and compared with what is written; as a rule the word
---@field menu string a few words on it
---@field about? string some more, for one line
---@field info? string all of that
---@field kind string of `vim.lsp.protocol.CompletionItemKind`

---@param chat? acp.Chat
---@return { name: string, description?: string, hint?: string, kind?: string }[] of the user, then of
---  the agent, then ready-made ones
local function commands_of(chat)
  return chat and chat.status.commands or {}
end

---@return string[] the user's prompts and the commands of the current agent, as they are written
function M.commands()
  return vim.tbl_map(function(command)
    return '/' .. command.name
  end, commands_of(chats.current()))
end

---@param before string
---@return boolean whether it is the beginning of a command; some names have spaces
local function begins_command(chat, before)
  return before:match('^/%S*$') ~= nil
    or before:match('^/') ~= nil
      and vim.iter(commands_of(chat)):any(function(command)
        return vim.startswith('/' .. command.name, before)
      end)
end

--- Where that begins which can be completed before the cursor.
---@param row integer 1-based
---@param before string the line up to the cursor
---@return integer? column 0-based byte; nil: there is nothing to complete
function M.start(chat, row, before)
  return row == 1 and begins_command(chat, before) and 0 or mention.start(before)
end

---@return string its first line, short enough for a list
local function short(text)
  local line = vim.trim(text:match('^%s*[^\n]*'))
  return vim.fn.strcharlen(line) <= ABOUT and line
    or vim.fn.strcharpart(line, 0, ABOUT - 1) .. '…'
end

local function candidate(command)
  local hint = command.hint and ('<%s>'):format(command.hint) or ''
  return {
    word = '/' .. command.name,
    menu = command.kind or hint,
    about = short(command.description or ''),
    info = command.description,
    kind = 'Keyword', -- engines would put brackets after a function
  }
end

--- What completes a text that `start()` has found.
---@param base string
function M.candidates(chat, base)
  if vim.startswith(base, '@') then
    return mention.complete(chat, base)
  end
  local found = vim.tbl_filter(function(command)
    return vim.startswith('/' .. command.name, base)
  end, commands_of(chat))
  return vim.tbl_map(candidate, found)
end

--- What the command or the mention under the cursor is.
---@param row integer 1-based
---@param line string
---@param column integer 0-based byte of the cursor
---@return string[]? lines nil: there is neither
function M.explain(chat, row, line, column)
  for _, command in ipairs(row == 1 and commands_of(chat) or {}) do
    local found = candidate(command)
    if vim.startswith(line .. ' ', found.word .. ' ') and column < #found.word then
      local said = vim.split(found.info or '', '\n', { plain = true })
      return { vim.trim(found.word .. ' ' .. found.menu), unpack(said) }
    end
  end
  return marks.explain(chat, row - 1, column)
end

--- Show what the command or the mention under the cursor is, in a float that goes with the next move.
---@return boolean shown false: there is neither
function M.explain_here()
  local chat = chats.of(api.nvim_get_current_buf())
  local row, column = unpack(api.nvim_win_get_cursor(0))
  local lines = chat and M.explain(chat, row, api.nvim_get_current_line(), column)
  if lines then
    vim.lsp.util.open_floating_preview(lines, 'text', { focus_id = 'acp' })
  end
  return lines ~= nil
end

---@return table[] complete-items
local function items(candidates)
  return vim.tbl_map(function(it)
    local menu = vim.trim(it.menu .. ' ' .. (it.about or ''))
    return { word = it.word, abbr = it.label, menu = menu, info = it.info }
  end, candidates)
end

---@return acp.Chat? chat whose prompt is being written in
---@return integer? column where that begins which can be completed
---@return string before the line up to the cursor
function M.here()
  local chat = chats.of(api.nvim_get_current_buf())
  local row, column = unpack(api.nvim_win_get_cursor(0))
  local before = api.nvim_get_current_line():sub(1, column)
  if chat and chat.prompt == api.nvim_get_current_buf() then
    return chat, M.start(chat, row, before), before
  end
  return nil, nil, before
end

--- Offer the mentions when their names have come, if the user still writes one.
local function later(chat)
  mention.when_known(chat, function()
    local now, start, before = M.here()
    if now == chat and start and vim.fn.mode():match('^i') and vim.fn.pumvisible() == 0 then
      vim.fn.complete(start + 1, items(M.candidates(chat, before:sub(start + 1))))
    end
  end)
end

--- 'omnifunc' of the prompt: the agent's slash commands at the start of the text, and mentions. Vim
--- itself gets a table, which is asked for again with each key; plugins get a list.
---@param findstart integer
---@param base string
---@return integer|table
function M.omnifunc(findstart, base)
  local chat = chats.of(api.nvim_get_current_buf())
  if not chat then
    return findstart == 1 and -3 or {}
  end
  -- then it locks the text
  local is_asked_by_vim = not pcall(api.nvim_set_current_win, api.nvim_get_current_win())
  if findstart == 1 then
    local _, start, before = M.here()
    local is_mention = start and before:sub(start + 1, start + 1) == '@'
    if is_asked_by_vim and is_mention and not mention.known(chat) then
      later(chat)
      return -3
    end
    return start or -3
  end
  local found = items(M.candidates(chat, base))
  if vim.startswith(base, '@') and is_asked_by_vim then
    return { words = found, refresh = 'always' }
  end
  return found
end

return M
