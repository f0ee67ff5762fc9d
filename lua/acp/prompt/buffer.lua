-- Only the editor knows the text of a prompt and its marks as they are typed, and completes within a key.
--
-- The prompt buffer: written like any text, sent by <CR>, <C-s> or `:w`, never `modified`, kept on
-- disk while it is unsent. What goes along with a prompt is in `acp.prompt.attachment`.

local attachment = require('acp.prompt.attachment')
local bridge = require('acp.host.bridge')
local chats = require('acp.chat.registry')
local draft = require('acp.prompt.draft')
local dress = require('acp.ui.dress')
local events = require('acp.ui.events')
local layout = require('acp.ui.layout')
local life = require('acp.ui.life')
local notice = require('acp.ui.notice')
local prompt_keys = require('acp.prompt.keys')
local prompt_marks = require('acp.prompt.marks')
local server = require('acp.prompt.server')
local tail = require('acp.ui.tail')
local unseen = require('acp.ui.unseen')

local api = vim.api

local M = {}

local SAVE_AFTER_MS = 500

local function lines_of(chat)
  return api.nvim_buf_get_lines(chat.prompt, 0, -1, true)
end

--- Forget what was sent; `u` brings the text back.
local function clear(chat)
  api.nvim_buf_set_lines(chat.prompt, 0, -1, true, {})
  vim.bo[chat.prompt].modified = false
  draft.save(chat, {})
  attachment.clear(chat)
end

--- Send what the user has said on the code, with nothing else to say.
---@param otherwise fun() called if there is nothing
function M.send_review(chat, otherwise)
  if not bridge.running() or not chats.is_open(chat) then
    return otherwise()
  end
  bridge.ask('send_review', { chat = chat.chat }, function(sent)
    if sent then
      tail.reach(chat.chat)
    else
      otherwise()
    end
  end)
end

--- Whether nothing is written in the prompt of a chat.
function M.is_blank(chat)
  local is_loaded = api.nvim_buf_is_loaded(chat.prompt)
  return not is_loaded or vim.trim(table.concat(lines_of(chat), '\n')) == ''
end

--- The host does not take it after all: it stands in the prompt again, if nothing else does by now.
local function give_back(chat, text, err)
  bridge.warn(err)
  if api.nvim_buf_is_loaded(chat.prompt) and M.is_blank(chat) then
    api.nvim_buf_set_lines(chat.prompt, 0, -1, true, vim.split(text, '\n', { plain = true }))
  end
end

--- Have the host take a prompt, with the file that the user is in.
---@param done fun(err: string?, result: any)
function M.submit(chat, payload, done)
  local file = vim.trim(payload.text) ~= '' and attachment.context(chat, payload.selections) or nil
  local kept = chat.unopened
  if not chat.status.session and vim.trim(payload.text) ~= '' then
    local lines = vim.split(payload.text, '\n', { plain = true })
    chat.unopened = vim.list_extend(vim.list_slice(kept or {}), lines)
    vim.schedule(function()
      M.save(chat)
    end)
  end
  payload.chat, payload.file = chat.chat, file
  chat.context = file and file.path or chat.context
  bridge.call('prompt', payload, function(err, result)
    if err then
      chat.context, chat.unopened = nil, kept
    end
    done(err, result)
  end)
end

--- Send what the prompt buffer of a chat holds, with its selections. What cannot be sent stays.
---@param number integer the chat
---@return boolean sent
function M.send(number)
  local chat = assert(chats.of(number), 'no such chat')
  prompt_marks.settle(chat)
  local text = table.concat(lines_of(chat), '\n')
  local images = vim.tbl_map(function(held)
    return held.image
  end, chat.images or {})
  local status = chat.status
  -- a prompt waits that the agent has refused for want of a login: sending nothing sends it
  local is_held = status.state == 'idle' and (status.queue or 0) > 0
  if vim.trim(text) == '' and #images == 0 and not is_held then
    M.send_review(chat, function()
      notice.notice('the prompt is empty: nothing was sent')
    end)
    return false
  end
  if not chats.is_open(chat) then
    notice.warn(chats.closed(chat))
    return false
  end
  chats.touch(number)
  local mentioned, spoken = prompt_marks.take(chat)
  local selections = vim.list_extend(vim.list_slice(chat.selections or {}), mentioned)
  local payload = { text = text, selections = selections, bang = false }
  payload.spoken = #spoken > 0 and spoken or nil
  payload.images = #images > 0 and images or nil
  local refused = false
  M.submit(chat, payload, function(err)
    refused = err ~= nil
    if err then
      give_back(chat, text, err)
    end
  end)
  if not refused then
    clear(chat)
    tail.reach(number)
  end
  return not refused
end

--- Keep what is not sent, and what waits for a session that was never open.
function M.save(chat)
  if api.nvim_buf_is_loaded(chat.prompt) then
    draft.save(chat, lines_of(chat))
  end
end

life.listen(function(number, status)
  local chat = chats.of(number)
  local is_over = status.state == 'closed' and (status.queue or 0) == 0 and bridge.running()
  if chat and chat.unopened and (status.session or is_over) then -- the host keeps what waits
    chat.unopened = nil
    M.save(chat)
  end
end)

bridge.on_end(function() -- what waited for a session that never was stands in its prompt again
  for _, chat in ipairs(chats.all()) do
    local lines = chat.unopened
    chat.unopened = nil
    if lines and api.nvim_buf_is_loaded(chat.prompt) then
      vim.list_extend(lines, M.is_blank(chat) and {} or lines_of(chat))
      api.nvim_buf_set_lines(chat.prompt, 0, -1, true, lines)
    end
  end
end)

local function watch_text(chat)
  local timer = assert(vim.uv.new_timer())
  local save = vim.schedule_wrap(function()
    M.save(chat)
  end)
  local fit = unseen.soon(function() -- the window to the text
    prompt_marks.draw(chat)
    attachment.draw(chat) -- the rows stand below the last line
    pcall(layout.fit, chat) -- Neovim may refuse now; the next change does it
  end)
  api.nvim_buf_attach(chat.prompt, false, {
    on_lines = function()
      vim.bo[chat.prompt].modified = false -- or `:wa` would send it half-written
      timer:start(SAVE_AFTER_MS, 0, save)
      fit()
    end,
    on_detach = function()
      timer:stop()
      if not timer:is_closing() then
        timer:close()
      end
    end,
  })
end

--- Take 'modified' off as soon as it is set. Neovim 0.13 tells of it by `OptionSet`; before, that is
--- silent about edits, and `BufModifiedSet` tells of them.
---@param on acp.Listen
local function keep_unmodified(chat, on)
  local function reset()
    -- `OptionSet` tells of all buffers, and not of which
    if api.nvim_buf_is_valid(chat.prompt) and vim.bo[chat.prompt].modified then
      vim.bo[chat.prompt].modified = false
    end
  end
  local desc = 'A prompt is never modified'
  on('OptionSet', desc, reset, { pattern = 'modified' })
  if vim.fn.exists('##BufModifiedSet') == 1 then
    on('BufModifiedSet', desc, reset, { buffer = chat.prompt })
  end
end

local function watch(chat)
  local listen = events.group('acp.prompt.' .. chat.prompt)
  local function on(event, run)
    listen(event, 'What becomes of a prompt', run, { buffer = chat.prompt })
  end
  on('BufWriteCmd', function(event) -- `:w` sends, `:w name` writes a file as everywhere
    if event.match == api.nvim_buf_get_name(chat.prompt) then
      M.send(chat.chat)
    else
      vim.fn.writefile(lines_of(chat), event.match)
    end
  end)
  on('BufReadCmd', function()
    api.nvim_buf_set_lines(chat.prompt, 0, -1, true, draft.restore(chat))
    watch_text(chat)
    server.attach(chat)
  end)
  keep_unmodified(chat, listen)
  on({ 'InsertLeave', 'BufLeave', 'BufUnload' }, function()
    M.save(chat)
  end)
  on('BufWinEnter', function()
    dress.window(0, dress.PROMPT)
  end)
  on('BufEnter', function()
    chats.entered(chat)
    prompt_marks.settle(chat)
    attachment.draw(chat) -- the lines may be elsewhere by now
    attachment.ask(chat)
  end)
  on('InsertEnter', function()
    prompt_marks.prepare(chat)
  end)
  listen('VimLeavePre', 'What was not sent is kept', function()
    M.save(chat)
  end)
  on('BufWipeout', function()
    events.leave('acp.prompt.' .. chat.prompt)
  end)
end

--- Make the prompt buffer of a chat (`chat.prompt` is set) with the draft that a crash has left.
function M.create(chat)
  unseen.buffer(function(buffer)
    chat.prompt = buffer
    vim.b[buffer].acp_chat = chat.chat
    chats.name(buffer, 'acp-prompt://' .. chats.encode(chat.agent))
    unseen.set(buffer, {
      buftype = 'acwrite',
      bufhidden = 'hide',
      swapfile = false,
      omnifunc = "v:lua.require'acp.prompt.complete'.omnifunc",
      filetype = 'acp_prompt',
    })
    api.nvim_buf_set_lines(buffer, 0, -1, true, draft.restore(chat))
    vim.bo[buffer].modified = false
  end)
  watch_text(chat)
  watch(chat)
  prompt_keys.map(chat, function()
    M.send(chat.chat)
  end)
  attachment.draw(chat)
  unseen.when_shown(chat.prompt, function()
    server.attach(chat)
  end)
end

return M
