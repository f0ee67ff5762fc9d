-- A language server inside of Neovim for the prompts. With it the completion of Neovim and those of
-- plugins work without an adapter. It answers completion and hover, knows no text but the buffers',
-- and talks to nobody. It begins when somebody types there, or a turn has progress that could be seen:
-- Neovim's own client takes a sixth of what a start takes the editor.

local chats = require('acp.chat.registry')
local complete = require('acp.prompt.complete')
local events = require('acp.ui.events')
local life = require('acp.ui.life')
local mention = require('acp.prompt.mention')
local options = require('acp.host.options')

local api = vim.api

local M = {}

---@alias acp.Notify fun(method: string, params: table)

---@type acp.Notify? of the client that there is, which is `ours` once it hears
local offered
---@type vim.lsp.Client?
local ours

---@type table<integer, { token: string, doing: string }> by chat
local running = {}

local function listeners()
  return #api.nvim_get_autocmds({ event = 'LspProgress' })
end

--- Tell of progress, or only keep it for |vim.lsp.status()|, as Neovim does, where nothing hears of it.
---@param token string
---@param value lsp.WorkDoneProgressBegin|lsp.WorkDoneProgressReport|lsp.WorkDoneProgressEnd
local function send_progress(token, value)
  local handler, progress = vim.lsp.handlers['$/progress'], assert(ours).progress
  local is_theirs = not debug.getinfo(handler, 'S').source:find('vim/lsp/handlers.lua', 1, true)
  if is_theirs or listeners() > 0 then
    return require('acp.ui.unseen').loudly({}, function()
      offered('$/progress', { token = token, value = value })
    end)
  end
  local title = value.title or progress.pending[token]
  progress.pending[token] = value.kind ~= 'end' and title or nil
  value.title = title
  progress:push({ token = token, value = value })
end

--- Tell what a session does now, if that is news: |vim.lsp.status()|, and whatever listens to
--- |LspProgress|, shows it like any server's.
---@param chat integer
---@param status table what `status()` returns
local function tell(chat, status)
  if not ours then
    return
  end
  local before, doing = running[chat], status.doing
  local token = ('acp-%d-%d'):format(chat, status.turn or 0)
  if before and (not doing or before.token ~= token) then
    running[chat] = nil
    send_progress(before.token, { kind = 'end' })
    before = nil
  end
  if not doing or (before and before.doing == doing) then
    return
  end
  running[chat] = { token = token, doing = doing }
  local kind, title = before and 'report' or 'begin', not before and status.agent or nil
  send_progress(token, { kind = kind, title = title, message = doing })
end

local NAME = 'acp'
local ENGINES = { 'blink.cmp', 'cmp', 'mini.completion', 'coq' }

local CAPABILITIES = {
  positionEncoding = 'utf-8',
  completionProvider = { triggerCharacters = { '@', '/' } },
  hoverProvider = true,
}

---@param params lsp.TextDocumentPositionParams
---@return acp.Chat? chat nil: none has that prompt
---@return string line the whole of it
local function place(params)
  local buffer, row = vim.uri_to_bufnr(params.textDocument.uri), params.position.line
  local chat = api.nvim_buf_is_loaded(buffer) and chats.of(buffer) or nil
  return chat, chat and api.nvim_buf_get_lines(buffer, row, row + 1, false)[1] or ''
end

---@param range lsp.Range
local function item(candidate, index, range)
  return {
    label = candidate.label or candidate.word,
    labelDetails = candidate.about and { description = candidate.about } or nil,
    kind = vim.lsp.protocol.CompletionItemKind[candidate.kind],
    detail = candidate.menu ~= '' and candidate.menu or nil,
    documentation = candidate.info and { kind = 'plaintext', value = candidate.info } or nil,
    filterText = candidate.label or candidate.word,
    sortText = ('%05d'):format(index),
    textEdit = { newText = candidate.word, range = range },
  }
end

---@param position lsp.Position
---@param before string the line up to the cursor
---@param start integer
local function list(chat, position, before, start)
  local range = { start = { line = position.line, character = start }, ['end'] = position }
  local found = {}
  for index, candidate in ipairs(complete.candidates(chat, before:sub(start + 1))) do
    table.insert(found, item(candidate, index, range))
  end
  local is_partial = before:sub(start + 1, start + 1) == '@' and mention.is_partial(chat)
  return { isIncomplete = is_partial, items = found }
end

---@alias acp.Reply fun(err: nil, result: any)

---@type table<string, fun(params: any, reply: acp.Reply)>
local answers = {
  initialize = function(_, reply)
    reply(nil, { capabilities = CAPABILITIES, serverInfo = { name = NAME } })
  end,
  shutdown = function(_, reply)
    reply(nil, nil)
  end,
  ['textDocument/completion'] = function(params, reply)
    local chat, line = place(params)
    local position = params.position
    local before = line:sub(1, position.character)
    local start = chat and complete.start(chat, position.line + 1, before)
    if not chat or not start then
      return reply(nil, { isIncomplete = false, items = {} })
    end
    local function answer()
      reply(nil, list(chat, position, before, start))
    end
    if before:sub(start + 1, start + 1) == '@' then
      mention.when_known(chat, answer)
    else
      answer()
    end
  end,
  ['textDocument/hover'] = function(params, reply)
    local chat, line = place(params)
    local position = params.position
    local lines = chat and complete.explain(chat, position.line + 1, line, position.character)
    local text = lines and { kind = 'plaintext', value = table.concat(lines, '\n') }
    reply(nil, text and { contents = text } or nil)
  end,
}

---@type { client: integer, buffer: integer }[] handlers of `LspAttach` hear of these afterwards
local attached = {}

---@param client integer
local function say(client, buffer)
  if vim.lsp.get_client_by_id(client) then
    require('acp.ui.unseen').fire(buffer, 'LspAttach', nil, { client_id = client })
  end
end

--- Do something that may attach the client, whatever the user does meanwhile. Handlers of `LspAttach`
--- hear of it once the user is in the prompt: they act on the windows.
local function unheard(action)
  require('acp.ui.unseen').loudly({ 'LspAttach' }, action)
  local found = attached
  attached = {}
  for _, it in ipairs(found) do
    if api.nvim_get_current_buf() == it.buffer then
      say(it.client, it.buffer)
    else
      events.on('BufEnter', 'Handlers of LspAttach hear of it', function()
        say(it.client, it.buffer)
      end, { buffer = it.buffer, once = true, nested = true })
    end
  end
end

--- The server, as `vim.lsp.start()` wants it instead of a command line.
---@param dispatchers vim.lsp.rpc.Dispatchers
local function serve(dispatchers)
  local is_closing, last = false, 0
  offered = dispatchers.notification
  local function stop()
    if not is_closing then
      is_closing = true
      if offered == dispatchers.notification then
        offered, ours = nil, nil
        running = {}
      end
      dispatchers.on_exit(0, 0)
    end
  end
  return {
    request = function(method, params, callback, answered)
      last = last + 1
      local id = last
      local function reply(err, result)
        vim.schedule(function() -- clients do not expect the answer before the request has returned
          if answered then
            answered(id)
          end
          unheard(function()
            callback(err, result)
          end)
        end)
      end
      if answers[method] then
        answers[method](params, reply)
      else
        reply({ code = -32601, message = method .. ' is not answered' }, nil)
      end
      return true, id
    end,
    notify = function(method)
      if method == 'exit' then
        stop()
      end
      return true
    end,
    is_closing = function()
      return is_closing
    end,
    terminate = stop,
  }
end

--- What the list needs to show in the prompt. Neovim inserts the first word unless it may not.
local function prepare_list(buffer)
  local info = api.nvim_get_option_info2('completeopt', {})
  if not info.global_local then -- Neovim 0.10
    return
  end
  local words = vim.split(vim.go.completeopt, ',', { trimempty = true })
  local choice = vim.list_contains(words, 'noinsert') and 'noinsert' or 'noselect'
  for _, word in ipairs({ 'menuone', 'popup', 'fuzzy', choice }) do
    if not vim.list_contains(words, word) then
      table.insert(words, word)
    end
  end
  require('acp.ui.unseen').quietly(function()
    vim.bo[buffer].completeopt = table.concat(words, ',')
  end)
end

--- Open the list where there is something to complete, after a key of the user, unless something else
--- does that.
local function open()
  local chat, start = complete.here()
  local has_engine = vim.iter(ENGINES):any(function(name)
    return package.loaded[name] ~= nil
  end)
  if chat and start and api.nvim_get_mode().mode:match('^i') and not has_engine then
    vim.lsp.completion.get()
  end
end

---@param found lsp.CompletionItem
---@return table complete-item: Neovim would cut the word at its first blank, and say "Keyword" of a command
local function whole(found)
  local word = found.textEdit.newText
  if not found.labelDetails then
    return { word = word }
  end
  local about = vim.trim((found.detail or '') .. ' ' .. found.labelDetails.description)
  return { word = word, kind = '', menu = about }
end

---@param client integer
local function open_by_itself(client, buffer)
  if not vim.lsp.completion or not vim.lsp.completion.get then -- Neovim 0.10
    return
  end
  vim.lsp.completion.enable(true, client, buffer, { convert = whole })
  local on = events.group('acp.prompt.server.' .. buffer)
  local scope = { buffer = buffer, later = true }
  on('InsertCharPre', 'The list of completion opens by itself', open, scope)
end

---@param prompt integer
local function attach(prompt)
  local config = {
    name = NAME,
    cmd = serve,
    on_attach = function(client, buffer)
      open_by_itself(client.id, buffer)
      if options.value('default_keys') == false then
        pcall(vim.keymap.del, 'n', 'K', { buffer = buffer }) -- which Neovim maps for any server
      end
      table.insert(attached, { client = client.id, buffer = buffer })
      ours = client
      for _, chat in ipairs(chats.all()) do
        tell(chat.chat, chat.status)
      end
    end,
  }
  unheard(function() -- a client that runs already is attached at once
    vim.lsp.start(config, {
      bufnr = prompt,
      reuse_client = function(client)
        return client.name == NAME
      end,
    })
  end)
end

---@type table<integer, true> prompts that the server is not attached to yet
local waits = events.by_buffer()

--- Where Neovim's own client cannot be loaded, for want of a folder for its log, 'omnifunc' completes.
local function begin(chat)
  if not waits[chat.prompt] then
    return
  end
  waits[chat.prompt] = nil
  local ok, err = pcall(attach, chat.prompt)
  if not ok then
    require('acp.host.log').line('no language server for the prompt: ' .. err)
  end
end

--- Have the server attached to the prompt of a chat as soon as it is of use, unless the user wants none.
function M.attach(chat)
  if options.value('ui', 'completion') ~= false then
    prepare_list(chat.prompt)
    waits[chat.prompt] = true
    local on = events.group('acp.prompt.server.begin.' .. chat.prompt)
    on('InsertEnter', 'The server of the prompt begins', function()
      begin(chat)
    end, { buffer = chat.prompt })
  end
end

life.listen(function(buffer, status)
  local is_wanted = not offered and status.state == 'running'
  -- who looks at |vim.lsp.status()| has loaded that
  local is_seen = is_wanted and (package.loaded['vim.lsp'] or listeners() > 0)
  local chat = is_seen and chats.of(buffer)
  if chat then
    begin(chat)
  end
  tell(buffer, status)
end)

return M
