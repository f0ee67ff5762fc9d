-- What goes along with the next prompt of a chat: the file that the user is in, as a link, once (option
-- `context`); selections and images, by the user's command; and notes, which the host finds out. The prompt
-- shows them in rows below its text.

local bridge = require('acp.host.bridge')
local chats = require('acp.chat.registry')
local events = require('acp.ui.events')
local float = require('acp.ui.float')
local frame = require('acp.prompt.frame')
local layout = require('acp.ui.layout')
local life = require('acp.ui.life')
local notice = require('acp.ui.notice')
local options = require('acp.host.options')
local project = require('acp.chat.project')
local stamps = require('acp.files.stamps')
local surroundings = require('acp.prompt.surroundings') -- knows from now on where the user comes from

local api = vim.api

local M = {}

local namespace = api.nvim_create_namespace('acp_selection')

local ENDINGS = { '.png', '.jpg', '.jpeg', '.gif', '.webp' }
local LONGEST = 4096 -- bytes of a text that may name images
local ASK_AFTER_MS = 200

---@alias acp.HeldImage table an answer of the verb `attach_image`: see doc/messages.md

---@alias acp.Selection table one of `selections` of the verb `prompt`: see doc/messages.md
---@alias acp.Note table what `note` below is told: see doc/messages.md

---@alias acp.ContextFile { path: string, line: integer } absolute; 1-based, of the cursor

--- Mark lines of a buffer, which the mark follows.
---@param first integer 1-based
---@param last integer inclusive
function M.hold(buffer, first, last)
  -- with the end of its last line: whoever writes a line anew has not taken it away
  local place = { end_row = last, end_col = 0, strict = false }
  place.invalidate = true -- a mark of lines that are gone says nothing
  return api.nvim_buf_set_extmark(buffer, namespace, first - 1, 0, place)
end

--- Where the lines of a mark are now.
---@return integer? first 1-based; nil: they are gone
---@return integer last inclusive
function M.range(buffer, mark)
  local found = api.nvim_buf_is_loaded(buffer)
    and api.nvim_buf_get_extmark_by_id(buffer, namespace, mark, { details = true })
  if not found or not found[1] or found[3].invalid then
    return nil, 0
  end
  local last = found[3].end_col == 0 and found[3].end_row or found[3].end_row + 1
  return last > found[1] and found[1] + 1 or nil, last
end

--- Drop a mark.
function M.let_go(buffer, mark)
  if api.nvim_buf_is_valid(buffer) then
    api.nvim_buf_del_extmark(buffer, namespace, mark)
  end
end

--- Take lines of a buffer; their mark follows them until the prompt is sent.
---@param first integer 1-based
---@param last integer inclusive
---@param buffer? integer nil: the current one
function M.select(first, last, buffer)
  local selection = surroundings.lines(buffer or api.nvim_get_current_buf(), first, last)
  selection.mark = M.hold(selection.buffer, first, selection.last)
  return selection
end

--- A selection's lines as they stand now; its mark is dropped.
function M.selected(buffer, mark)
  local first, last = M.range(buffer, mark)
  M.let_go(buffer, mark)
  local lines = first and api.nvim_buf_get_lines(buffer, first - 1, last, false)
  return lines and { first = first, last = last, lines = lines }
end

--- The file of the window in which the user is, or was last.
---@return acp.ContextFile?
local function current_file()
  local here = api.nvim_get_current_win()
  local window = surroundings.is_file(api.nvim_win_get_buf(here)) and here or layout.file_window()
  local name = window and api.nvim_buf_get_name(api.nvim_win_get_buf(window)) or ''
  if name == '' or name:find('^%a[%w+.-]+://') then
    return nil
  end
  local cursor = api.nvim_win_get_cursor(window --[[@as integer]])
  return { path = vim.fn.fnamemodify(name, ':p'), line = cursor[1] }
end

--- The file that goes with the next prompt of a chat, if one does.
---@param selections? acp.Selection[] a file of which lines are attached is named by these
---@return acp.ContextFile?
function M.context(chat, selections)
  local file = options.value('context') ~= 'off' and current_file() or nil
  if not file or chat.context == file.path or #project.holding({ chat }, file.path) == 0 then
    return nil
  end
  local is_named = vim.iter(selections or chat.selections or {}):any(function(selection)
    return selection.path == file.path
  end)
  return not is_named and file or nil
end

---@class acp.Along a row of what goes along
---@field label string
---@field detail string how much it is
---@field drop fun() lets it not go along
---@field lines? fun(): string[] what of it is shown; as a rule the detail
---@field key? string of a note, which the host shows

local function selection_row(selection)
  local first, last = M.range(selection.buffer, selection.mark)
  if not first then
    first, last = selection.first, selection.last
  end
  local name = selection.path and vim.fn.fnamemodify(selection.path, ':~:.')
    or ('buffer %d'):format(selection.buffer)
  local rows = first == last and tostring(first) or ('%d-%d'):format(first, last)
  return {
    label = ('@%s:%s'):format(vim.fn.strtrans(name), rows),
    detail = first == last and '1 line' or ('%d lines'):format(last - first + 1),
    lines = function()
      local is_loaded = api.nvim_buf_is_loaded(selection.buffer)
      local lines = is_loaded and api.nvim_buf_get_lines(selection.buffer, first - 1, last, false)
      return vim.list_extend({ '' }, lines or selection.lines)
    end,
  }
end

--- What goes along with the prompt of a chat, in the order of its rows.
local function all_rows(chat)
  local found, file = {}, M.context(chat)
  if file then
    local name = vim.fn.strtrans(vim.fn.fnamemodify(file.path, ':~:.'))
    local function drop()
      chat.context = file.path
    end
    local label = ('@%s:%d'):format(name, file.line)
    table.insert(found, { label = label, detail = 'the file you are in', drop = drop })
  end
  local function add(list, make, forget)
    for index, it in ipairs(list or {}) do
      local row = make(it)
      row.drop = function()
        table.remove(list, index)
        forget(it)
      end
      table.insert(found, row)
    end
  end
  add(chat.selections, selection_row, function(it)
    M.let_go(it.buffer, it.mark)
  end)
  add(chat.images, function(it)
    return { label = it.name, detail = it.detail }
  end, function(it)
    bridge.notify('drop_image', { chat = chat.chat, image = it.image })
  end)
  add(chat.notes, function(it)
    return { label = it.label, detail = it.size or '', key = it.key }
  end, function(it)
    bridge.notify('drop_note', { chat = chat.chat, key = it.key })
  end)
  return found
end

--- Show in the prompt of a chat what goes along.
function M.draw(chat)
  if not api.nvim_buf_is_valid(chat.prompt) then
    return
  end
  local found, window = all_rows(chat), layout.window_of(chat.prompt)
  local width = window and api.nvim_win_get_width(window) or vim.o.columns
  if api.nvim_buf_is_loaded(chat.prompt) and frame.rows(chat.prompt, found, width) then
    pcall(layout.fit, chat) -- Neovim may refuse now; the next change does it
  end
  if chat.said and chat.said.tick ~= api.nvim_buf_get_changedtick(chat.prompt) then
    chat.said = nil
  end
  local words = chat.said
  local text = words and frame.said(words.texts, width) or frame.bar(chat, #found, width)
  if text == vim.b[chat.prompt].acp_winbar then
    return
  end
  vim.b[chat.prompt].acp_winbar = text
  for _, each in ipairs(vim.fn.win_findbuf(chat.prompt)) do
    api.nvim__redraw({ win = each, winbar = true })
  end
end

--- Say something in the bar of a prompt until its text changes.
---@param texts string[] the longest first; the first that fits
function M.say(chat, texts)
  chat.said = { texts = texts, tick = api.nvim_buf_get_changedtick(chat.prompt) }
  M.draw(chat)
end

--- Let a selection go along with the next prompt that is sent from the prompt buffer.
---@param number integer the chat
function M.attach(number, selection)
  local chat = assert(chats.of(number))
  chat.selections = chat.selections or {}
  table.insert(chat.selections, selection)
  M.draw(chat)
end

--- Called by the host: these notes go along with the next prompt.
---@param number integer the chat
function M.note(number, list)
  local chat = chats.of(number)
  if chat then
    chat.notes = list
    M.draw(chat)
  end
end

--- Let what is in a row not go along.
---@param number integer of the row; 0 the last
function M.drop(chat, number)
  local all = all_rows(chat)
  local row = all[number == 0 and #all or number]
  if row then
    row.drop()
    return M.draw(chat)
  end
  notice.notice(number == 0 and 'nothing is attached' or ('there is no row %d'):format(number))
end

--- Whether the host is to be asked for the images that a text names.
function M.may_be_images(text)
  return #text <= LONGEST
    and bridge.running()
    and vim.iter(ENDINGS):any(function(ending)
      return text:lower():find(ending, 1, true) ~= nil
    end)
end

--- Let images go along with the next prompt: pasted, or dropped as the names of their files. The host
--- finds the names, reads and holds them; here is what they are called.
---@param text? string that names them, and nothing else; nil: that in the clipboard
---@param done fun(problem: string?, names: string[]) no names: the text is another one
function M.attach_images(chat, text, done)
  bridge.call('attach_image', { chat = chat.chat, text = text }, function(err, found)
    if err or not api.nvim_buf_is_valid(chat.prompt) then
      return done(err or 'the chat is gone', {})
    end
    chat.images = vim.list_extend(chat.images or {}, found)
    if #found > 0 then
      M.draw(chat)
    end
    local names = vim.tbl_map(function(held)
      return held.name
    end, found)
    done(nil, names)
  end)
end

local function open(chat, ops)
  float.read(ops, {
    name = 'acp-notes',
    chat = chat.chat,
    stays = true,
    config = function(buffer)
      return float.large('What the agent will be told', buffer)
    end,
  })
end

--- Show what goes along, all of it or one row.
---@param number integer of the row; 0 all
function M.show(chat, number)
  local lines, is_noted, key = {}, false, nil
  for index, row in ipairs(all_rows(chat)) do
    local is_wanted = number == 0 or number == index
    if is_wanted and row.key then
      is_noted, key = true, number > 0 and row.key or nil
    elseif is_wanted then
      table.insert(lines, row.label)
      vim.list_extend(lines, row.lines and row.lines() or { row.detail })
      table.insert(lines, '')
    end
  end
  if is_noted then
    bridge.ask('note_text', { chat = chat.chat, key = key }, function(text)
      if api.nvim_get_current_buf() == chat.prompt then -- else the user has gone elsewhere
        open(chat, vim.list_extend(text.ops, { { 0, 0, lines, {} } }))
      end
    end)
  elseif #lines == 0 then
    notice.notice('nothing but the prompt will be sent')
  else
    open(chat, { { 0, -1, lines, {} } })
  end
end

--- Forget selections and images: they were sent. What is noted, the host knows.
function M.clear(chat)
  chat.selections, chat.images = nil, nil
  M.draw(chat)
end

--- The host has ended: what only it knew does not go along.
function M.lose(chat)
  chat.images, chat.notes = nil, nil
  M.draw(chat)
end

--- Ask the host what goes along now; it says so when that is not what it has said last. While a turn
--- runs nothing does: the host finds out when it is over.
function M.ask(chat)
  if chat.status.state == 'idle' then
    bridge.configure() -- what goes along depends on it
    bridge.tell_running('notes', { chat = chat.chat })
  end
end

---@param does fun(chat: acp.Chat)
---@return fun() does it with each chat whose prompt is to be seen
local function shown(does)
  return function()
    for _, chat in ipairs(chats.all()) do
      if layout.window_of(chat.prompt) then
        does(chat)
      end
    end
  end
end

local timer = assert(vim.uv.new_timer())
local ask_all = vim.schedule_wrap(shown(M.ask))
local on = events.group('acp.attachment')

on('BufWritePost', 'The notes of the prompts that are to be seen stay right', function()
  if not stamps.is_quiet() then -- of what it writes itself the host knows
    timer:start(ASK_AFTER_MS, 0, ask_all)
  end
end)

local INSERT = { pattern = { '*:i*', 'i*:*' } }
on('ModeChanged', 'The bar names the key of this mode', shown(M.draw), INSERT)

local WHERE = 'The rows name the file that the user is in, the bar has its room'
on({ 'BufEnter', 'WinResized' }, WHERE, shown(M.draw))

life.listen(function(buffer, status)
  local chat, barred = chats.of(buffer), { status.parent or false, status.changes }
  if chat and not vim.deep_equal(chat.barred, barred) then
    chat.barred = barred
    M.draw(chat)
  end
end)

local SESSION = { 'AcpSessionStarted', 'AcpSessionClosed', 'AcpConnected', 'AcpDisconnected' }

on('User', 'The bar says whether anything can be sent', function()
  vim.tbl_map(M.draw, chats.all())
end, { pattern = SESSION })

return M
