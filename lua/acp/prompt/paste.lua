-- What is pasted or put into a prompt. Whole lines that stand in one open file, and nowhere else, become
-- a mention of them: so the agent learns where they are, and gets them as they are when it is asked.
-- One undo gives the text back. Images are attached.

local attachment = require('acp.prompt.attachment')
local chats = require('acp.chat.registry')
local mention = require('acp.prompt.mention')
local notice = require('acp.ui.notice')

local api = vim.api

local M = {}

local LEAST_LINES, LEAST_BYTES = 2, 20
local MOST_LINES, MOST_SEARCHED = 2000, 50000

---@return integer[] rows 1-based; where they stand, no more than two
local function places(buffer, lines)
  local found, all = {}, api.nvim_buf_get_lines(buffer, 0, -1, false)
  for row = 1, #all - #lines + 1 do
    local count = 0
    while count < #lines and all[row + count] == lines[count + 1] do
      count = count + 1
    end
    if count == #lines and #found < 2 then
      table.insert(found, row)
    end
  end
  return found
end

---@return integer[] buffers whose lines can be mentioned; none if there is too much to search
local function searched(chat)
  local found, count = mention.open_files(chat), 0
  for _, buffer in ipairs(found) do
    count = count + api.nvim_buf_line_count(buffer)
  end
  return count <= MOST_SEARCHED and found or {}
end

--- The one place where lines stand.
---@return string? mention nil: they stand nowhere, or in several places
local function mentioned(chat, lines)
  local found
  for _, buffer in ipairs(searched(chat)) do
    local rows = places(buffer, lines)
    if #rows > 1 or #rows == 1 and found then
      return nil
    elseif rows[1] then
      local path = api.nvim_buf_get_name(buffer)
      found = mention.of_path(chat, path, rows[1], rows[1] + #lines - 1)
    end
  end
  return found
end

---@return string[]? whole nil: too few, or too many
local function whole_lines(lines)
  local whole = lines[#lines] == '' and vim.list_slice(lines, 1, #lines - 1) or lines
  local said = vim.tbl_filter(function(line)
    return line:match('%S') ~= nil
  end, whole)
  local is_much = #said >= LEAST_LINES and #table.concat(said) >= LEAST_BYTES
  return is_much and #whole <= MOST_LINES and whole or nil
end

--- Begin a step of undo of its own in the current buffer.
local function break_undo()
  vim.bo.undolevels = vim.bo.undolevels
end

--- What stands where text was put; nil if it is something else.
---@return integer? row 0-based, of its end
---@return integer column
local function ending(pasted)
  local lines = pasted.lines
  local row = pasted.row + #lines - 1
  local column = #lines[#lines] + (#lines == 1 and pasted.column or 0)
  local buffer = pasted.chat.prompt
  local text = { pcall(api.nvim_buf_get_text, buffer, pasted.row, pasted.column, row, column, {}) }
  return text[1] and vim.deep_equal(text[2], lines) and row or nil, column
end

--- Put a text in the place of what was pasted, in a step of undo of its own.
---@return boolean done false: something else stands there by now
local function replace(pasted, text)
  local row, column = ending(pasted)
  if not row then
    return false
  end
  api.nvim_buf_call(pasted.chat.prompt, function()
    break_undo()
    api.nvim_buf_set_text(0, pasted.row, pasted.column, row, column, { text })
    break_undo()
  end)
  return true
end

--- Put a mention in the place of what was pasted, if it is whole lines of an open file.
local function fold_lines(pasted)
  local lines = whole_lines(pasted.lines)
  local found = lines and mentioned(pasted.chat, lines)
  if not found then
    return
  end
  local before = api.nvim_buf_get_text(0, pasted.row, 0, pasted.row, pasted.column, {})[1]
  local text = (before:match('%S$') and ' ' or '') .. found .. ' '
  if not replace(pasted, text) then
    return
  end
  api.nvim_win_set_cursor(0, { pasted.row + 1, pasted.column + #text })
  attachment.say(pasted.chat, {
    ('pasted as %s; u restores the text'):format(found),
    ('%s: u restores the text'):format(found),
    'u restores the text',
  })
end

--- Attach images: their names go from the text. Put a mention in the place of what is one.
local function fold(pasted)
  local text = table.concat(pasted.lines, '\n')
  if text ~= '' and not attachment.may_be_images(text) then
    return fold_lines(pasted)
  end
  local tick = vim.b.changedtick
  attachment.attach_images(pasted.chat, text ~= '' and text or nil, function(problem, names)
    local is_here = api.nvim_get_current_buf() == pasted.chat.prompt
    if problem then
      notice.warn(problem)
    elseif text ~= '' and #names > 0 and api.nvim_buf_is_loaded(pasted.chat.prompt) then
      replace(pasted, '')
    elseif #names == 0 and is_here and vim.b.changedtick == tick then
      fold_lines(pasted)
    end
  end)
end

---@return acp.Chat? chat whose prompt takes text now
local function writing()
  local chat = chats.of(api.nvim_get_current_buf())
  local mode = api.nvim_get_mode().mode
  local is_here = chat and chat.prompt == api.nvim_get_current_buf()
  return is_here and (mode == 'n' or mode == 'i') and chat or nil
end

--- Where a paste begins: at the cursor, or behind it; its row is 0-based.
local function begun(chat)
  local row, column = unpack(api.nvim_win_get_cursor(0))
  if api.nvim_get_mode().mode == 'n' then
    local rest = api.nvim_get_current_line():sub(column + 1)
    column = column + #vim.fn.matchstr(rest, '^.')
  end
  return { chat = chat, row = row - 1, column = column, lines = {} }
end

local coming -- what comes in portions

local function take(lines)
  local have = coming and coming.lines
  if have and #have > 0 and lines[1] then
    have[#have] = have[#have] .. lines[1]
    vim.list_extend(have, lines, 2)
  elseif have then
    vim.list_extend(have, lines)
  end
end

local paste = vim.paste

--- Look at what is pasted into prompts.
---@diagnostic disable-next-line: duplicate-set-field
vim.paste = function(lines, phase)
  if phase < 2 then
    local chat = writing()
    coming = chat and begun(chat)
  end
  take(lines)
  local is_done = paste(lines, phase)
  if coming and (phase == -1 or phase == 3) then
    local pasted = coming
    coming = nil
    if writing() == pasted.chat then
      fold(pasted)
    end
  end
  return is_done
end

--- Put a register into the prompt, as the key does.
---@param key 'p'|'P'
function M.put(key)
  local name, count, chat = vim.v.register, vim.v.count1, writing()
  if chat and name:match('[+*]') and vim.fn.getreg(name) == '' then
    return fold({ chat = chat, row = 0, column = 0, lines = {} })
  end
  local keys = ('%d"%s%s'):format(count, name, key)
  local is_done, problem = pcall(vim.cmd.normal, { keys, bang = true })
  if not is_done then
    return notice.warn((tostring(problem):gsub('^.-(E%d+:)', '%1')))
  end
  local first = api.nvim_buf_get_mark(0, '[')
  if chat and count == 1 and first[1] > 0 then
    fold({
      chat = chat,
      row = first[1] - 1,
      column = vim.fn.getregtype(name) == 'V' and 0 or first[2],
      lines = vim.fn.getreg(name, 1, true) --[[@as string[] ]],
    })
  end
end

return M
