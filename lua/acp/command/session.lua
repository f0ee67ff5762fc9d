-- What commands, mappings and the Lua API do with a session: prompt it, answer it, tell the host
-- something about it; and what they do with all that was said in it. One function for each deed, so
-- that all doors agree.

local agents = require('acp.command.agent')
local question = require('acp.ask.window')
local attachment = require('acp.prompt.attachment')
local bridge = require('acp.host.bridge')
local chats = require('acp.chat.registry')
local hands = require('acp.files.hands')
local layout = require('acp.ui.layout')
local notice = require('acp.ui.notice')
local project = require('acp.chat.project')
local tail = require('acp.ui.tail')
local window = require('acp.chat.window')

local api = vim.api

local M = {}

--- Open a session where there is none, and say so.
---@param is_hidden? boolean do not show it
---@return acp.Chat?
---@return string? err why there is none; the user was told
local function open_one(agent, is_hidden)
  agents.open(agent, { hidden = is_hidden })
  local chat = chats.all()[1]
  if not chat or not chats.is_open(chat) then
    return nil, ('%s was not started'):format(agent)
  end
  local where = vim.fn.fnamemodify(chat.root, ':~')
  notice.notice(('no session was open in %s: this is a new one with %s'):format(where, agent))
  return chat
end

--- Why there is no session to prompt: what is open elsewhere is named with its place.
local function why_none()
  local open = vim.iter(chats.all()):find(chats.is_open)
  local current = chats.current()
  if not open then
    return current and chats.closed(current) or agents.NO_SESSION
  end
  local function short(path)
    return vim.fn.fnamemodify(path, ':~')
  end
  local here = short(project.root(project.file(), vim.fn.getcwd()))
  local form = 'no session is open in %s (that of %s is in %s): :AcpStart opens one here'
  return form:format(here, open.agent, short(open.root))
end

--- Find the chat to prompt; in a project without a session open one.
---@param done fun(chat: acp.Chat?, err: string?, is_late?: boolean) without a chat the user was told why
---@param is_hidden? boolean a new one is not shown; nor is it, late, to a user who goes on already
local function with_chat(done, is_hidden)
  local found = chats.of(api.nvim_get_current_buf())
    or vim.iter(chats.here(true)):find(chats.is_open)
  if found and chats.is_open(found) then
    chats.touch(found.chat)
    return done(found)
  elseif found then
    local err = chats.closed(found)
    notice.warn(err)
    return done(nil, err)
  end
  agents.usual(function(agent, is_late)
    if agent then
      local chat, problem = open_one(agent, is_hidden or (is_late and not hands.are_off()))
      return done(chat, problem, is_late)
    end
    local err = why_none()
    notice.warn(err)
    done(nil, err)
  end)
end

---@class acp.PromptOptions
---@field bang? boolean cancel the running turn and send now
---@field range? { [1]: integer, [2]: integer } lines of the current buffer that go along
---@field on_done? acp.Done called when the host has taken the prompt

--- Send a prompt to the current session.
---@param content string|table[] text, or content blocks of ACP
---@param opts? acp.PromptOptions
function M.prompt(content, opts)
  opts = opts or {}
  local origin = api.nvim_get_current_buf()
  with_chat(function(chat, problem)
    if not chat then
      return agents.finish(opts, problem)
    end
    local is_text, range = type(content) == 'string', opts.range
    local payload = {
      text = is_text and content or '',
      blocks = is_text and {} or content,
      selections = { range and attachment.select(range[1], range[2], origin) },
      bang = opts.bang or false,
    }
    local is_seen = layout.window_of(chat.chat) ~= nil
    local state = not is_seen and chat.status.state
    tail.reach(chat.chat)
    require('acp.prompt.buffer').submit(chat, payload, function(err, result)
      if err then
        bridge.warn(err)
      elseif not is_seen then
        local form = state == 'running' and 'sent to %s when its turn ends' or 'sent to %s'
        notice.notice(form:format(chat.agent))
      end
      agents.finish(opts, err, result)
    end)
  end)
end

--- Go to the prompt; lines of the current buffer go along with what will be written there. Where
--- nothing is written yet, what the user has said on the code is sent.
function M.compose(range, mods)
  local origin = api.nvim_get_current_buf()
  with_chat(function(chat, _, is_late)
    if not chat then
      return
    end
    if range then
      attachment.attach(chat.chat, attachment.select(range[1], range[2], origin))
    end
    local prompt = require('acp.prompt.buffer')
    local is_there = api.nvim_get_current_buf() == chat.prompt
    if is_late then
      window.return_to(chat.chat)
    else
      window.show(chat.chat, mods)
    end
    if not is_there and prompt.is_blank(chat) and #(chat.selections or {}) == 0 then
      prompt.send_review(chat, function() end)
    end
  end)
end

---@alias acp.Context string|string[]|{ range: { [1]: integer, [2]: integer } }

--- Let something go along with the next prompt, and stay where the user is.
---@param context? acp.Context mentions, paths, or lines of the current buffer; nil: this buffer
function M.add(context)
  local origin = api.nvim_get_current_buf()
  with_chat(function(chat)
    if not chat then
      return
    end
    local add = require('acp.prompt.add')
    local given = type(context) == 'string' and { context } or context or {}
    if given.range then
      add.lines(chat, given.range, origin)
    else
      add.mentions(chat, given, origin)
    end
  end, true)
end

--- Go to the next or the previous session, in the windows of this one.
function M.step(step)
  local here = chats.current()
  local open = vim.tbl_filter(function(chat)
    return chats.is_open(chat) or chat == here
  end, chats.all())
  if #open < 2 then
    return notice.notice('there is no other session: :Acp new opens one')
  end
  table.sort(open, function(a, b)
    return a.chat < b.chat
  end)
  local place = 0
  for index, chat in ipairs(open) do
    place = chat == here and index or place
  end
  local chat = open[(place + step - 1) % #open + 1]
  local is_chat = here and api.nvim_get_current_buf() == here.chat
  window.show(chat.chat)
  local above = is_chat and layout.window_of(chat.chat)
  if above then
    api.nvim_set_current_win(above)
  end
end

--- Switch to the mode behind the current one.
function M.next_mode()
  M.tell('mode', { next = true })
end

--- Have lines of the current buffer edited, where the user is: no chat is opened.
function M.edit(range, instruction)
  if vim.bo.buftype ~= '' or api.nvim_buf_get_name(0) == '' then
    return notice.notice('this buffer is not a file; :Acp prompt can send its text')
  end
  with_chat(function(chat)
    if chat then
      require('acp.prompt.inline').edit(chat, range, instruction)
    end
  end, true)
end

--- Tell the host something about the current session.
function M.tell(verb, payload)
  local chat = agents.chat()
  if chat then
    bridge.notify(verb, vim.tbl_extend('force', { chat = chat.chat }, payload or {}))
  end
end

--- Remove what is kept of the current session, or all that is kept; the host asks before it does.
---@param what? 'session'|'all'
function M.forget(what)
  what = what or 'session'
  local chat = what == 'session' and agents.chat() or nil
  if what == 'session' and not chat then
    return
  end
  bridge.ask('forget', { what = what, chat = chat and chat.chat }, function(done)
    if not done then
      return
    end
    require('acp.prompt.draft').forget(chat)
    if not chat then
      require('acp.host.log').forget()
    end
    local whose = chat and 'the session' or 'all sessions'
    notice.notice(('what was kept of %s is gone'):format(whose))
  end)
end

--- Go back to before a prompt, by default the last one; its text is in the prompt again.
---@param turn? integer
function M.rewind(chat, turn)
  bridge.ask('rewind', { chat = chat.chat, turn = turn }, function(made)
    local new = made and chats.of(made.chat)
    if new then
      require('acp.prompt.history').add(new, made.text)
      local lines = api.nvim_buf_get_lines(new.prompt, 0, -1, true)
      if table.concat(lines, '\n') == made.text then -- else a crash had left something in it
        -- the session that was has it: a text that nobody changes is no draft for another prompt
        require('acp.prompt.draft').forget(new)
      end
    end
  end)
end

--- Bring the prompt that was sent last back into the prompt.
function M.resend(chat)
  bridge.ask('sent', { chat = chat.chat }, function(texts)
    if #texts == 0 then
      return notice.warn('nothing was sent in this session yet')
    end
    require('acp.prompt.history').put(chat, texts[#texts])
    window.show(chat.chat)
  end)
end

--- Have what was said written into a new file, or show it in a buffer.
---@param path string '' for a buffer
function M.export(chat, path)
  local file = path ~= '' and vim.fn.fnamemodify(path, ':p') or nil
  bridge.ask('export', { chat = chat.chat, path = file }, function(result)
    if file then
      return notice.notice(('what was said is in %s'):format(result))
    end
    hands.calmly('what was said', function()
      vim.cmd('new')
      api.nvim_buf_set_lines(0, 0, -1, true, vim.split(result, '\n', { plain = true }))
      vim.bo.filetype, vim.bo.buftype, vim.bo.bufhidden = 'markdown', 'nofile', 'wipe'
    end)
  end)
end

--- List the prompts, tool calls, code and failures of the chat, in the location list of its window.
function M.outline(chat)
  bridge.ask('outline', { chat = chat.chat }, function(items)
    if #items == 0 then
      return notice.notice('nothing was said or done in this session yet')
    end
    hands.calmly('the outline', function()
      window.chat('open')
      local above = layout.window_of(chat.chat)
      if not above then
        return
      end
      for _, item in ipairs(items) do
        item.bufnr = chat.chat
      end
      vim.fn.setloclist(above, {}, ' ', { title = 'acp: outline', items = items })
      api.nvim_win_call(above, function()
        vim.cmd('lopen')
      end)
      local list = vim.fn.getloclist(above, { winid = 0 }).winid
      if list ~= 0 then
        api.nvim_set_current_win(list)
      end
    end)
  end)
end

M.permit = question.permit
M.next_question = question.next_question

return M
