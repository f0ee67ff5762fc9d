-- Language servers, asked for tools of agents: the host says which request, and makes sense of what
-- comes back. A file that is in no buffer is loaded into a hidden one, as for the user.

local ask = require('acp.tools.ask')
local companion = require('acp.follow.companion')
local file_buffers = require('acp.files.buffers')

local api = vim.api

local M = {}

-- Milliseconds that a server has to begin, and in which configurations attach one to a new buffer.
local BEGINS, ATTACHES = 6000, 1500
-- Bytes of a file that is loaded for a tool, and sent to servers as a whole: larger ones would hold the
-- editor.
local LARGEST = 2 * 1024 * 1024
-- Buffers that were loaded for tools, and are let go again.
local MOST_LOADED = 30

-- Milliseconds that a server has to answer.
M.patience = 9000

---@type integer[] buffers that were loaded for tools, the oldest first
local loaded = {}

--- The buffer of a file, loaded if need be.
---@return integer? buffer nil: it cannot be loaded
---@return boolean is_new
function M.buffer(path)
  local found = file_buffers.find(path)
  if found then
    return found, false
  end
  local stat = vim.uv.fs_stat(path)
  if not stat or stat.size > LARGEST or file_buffers.otherwise(path) then
    return nil, false
  end
  local buffer = companion.load(path)
  table.insert(loaded, buffer)
  while #loaded > MOST_LOADED do
    local oldest = table.remove(loaded, 1)
    local options = api.nvim_buf_is_loaded(oldest) and vim.bo[oldest]
    local is_unused = options and not options.buflisted and not options.modified
    if is_unused and #vim.fn.win_findbuf(oldest) == 0 then -- and nobody has taken to it since
      require('acp.ui.unseen').delete(oldest)
    end
  end
  return buffer, true
end

local function is_users(client)
  return client.name ~= 'acp'
end

--- The language servers of a buffer, or of all, without our own.
---@param buffer? integer
---@param method? string
function M.clients(buffer, method)
  return vim.tbl_filter(is_users, vim.lsp.get_clients({ bufnr = buffer, method = method }))
end

--- Whether a server is about to be there.
local function begins(buffer)
  local all = vim.lsp.get_clients({ bufnr = buffer, _uninitialized = true })
  return #all > #vim.lsp.get_clients({ bufnr = buffer })
end

--- Wait until the buffer has servers for that method, or nobody expects any.
---@param method? string
---@param is_new boolean the buffer was loaded just now
---@param on_found fun(clients: vim.lsp.Client[])
function M.when_attached(buffer, method, is_new, on_found)
  local since = vim.uv.now()
  return ask.poll(BEGINS, function(is_late)
    local clients = M.clients(buffer, method)
    local is_hope = begins(buffer) or is_new and vim.uv.now() - since < ATTACHES
    if #clients > 0 or is_late or not is_hope then
      on_found(clients)
      return true
    end
    return false
  end)
end

--- Call a method of a client, whose form differs between versions of Neovim.
---@return any, any
local function call(client, name, ...)
  if vim.fn.has('nvim-0.11') == 1 then
    return client[name](client, ...)
  end
  return client[name](...)
end

--- Have a server the text as it is now: before any notification Neovim sends the changes that it has
--- held back. This one repeats what the server was told at its start.
---@param client vim.lsp.Client
function M.bring_up_to_date(client)
  pcall(call, client, 'notify', '$/setTrace', { value = client.config.trace or 'off' })
end

local function is_gone(client)
  return vim.lsp.get_client_by_id(client.id) == nil or call(client, 'is_stopped')
end

---@param err? table|string
local function answer_of(client, err, result)
  local said = type(err) == 'table' and (err.message or vim.inspect(err)) or err
  return {
    id = client.id,
    name = client.name,
    encoding = client.offset_encoding,
    error = said and tostring(said) or nil,
    result = result,
  }
end

--- Send a request to all these servers, and collect what they say. One that ends, or has nothing to
--- say in time, has said so.
---@param clients vim.lsp.Client[]
---@param make fun(client: vim.lsp.Client): table
---@param on_done fun(answers: table[]) each as `answer_of` makes it
function M.send(clients, method, make, buffer, on_done)
  local answers, waiting, requests = {}, {}, {}
  local function take(index, err, result)
    if waiting[index] then
      waiting[index], answers[index] = nil, answer_of(clients[index], err, result)
    end
  end
  for index, client in ipairs(clients) do
    waiting[index] = client
    local function hear(err, result)
      take(index, err, result)
    end
    local ok, is_sent, id = pcall(call, client, 'request', method, make(client), hear, buffer)
    requests[index] = ok and is_sent and id or nil
    if not (ok and is_sent) then
      take(index, ok and 'it has ended' or tostring(is_sent))
    end
  end
  local function give_up()
    for index, client in pairs(waiting) do
      if requests[index] and not is_gone(client) then
        pcall(call, client, 'cancel_request', requests[index])
      end
    end
  end
  local stop = ask.poll(M.patience, function(is_late)
    if is_late then
      give_up()
    end
    for index, client in pairs(waiting) do
      local is_over = is_gone(client)
      if is_over or is_late then
        take(index, is_over and 'it has ended' or 'it does not answer')
      end
    end
    if next(waiting) == nil then
      on_done(vim.tbl_values(answers))
      return true
    end
    return false
  end)
  return function()
    stop()
    give_up()
  end
end

--- Of each loaded file buffer its changedtick, by its resolved path.
local function ticks()
  local found = vim.empty_dict()
  for buffer, name in file_buffers.all() do
    local path = file_buffers.path(buffer, name)
    if path then
      found[path] = api.nvim_buf_get_changedtick(buffer)
    end
  end
  return found
end

--- What a server is to know of the line that a code action is for.
---@param row integer 0-based
---@return table[] diagnostics as servers have told them
local function told_at(buffer, row)
  local found = {}
  for _, it in ipairs(vim.diagnostic.get(buffer, { lnum = row })) do
    table.insert(found, vim.tbl_get(it, 'user_data', 'lsp'))
  end
  return found
end

local function names(clients)
  return vim.tbl_map(function(client)
    return client.name
  end, clients)
end

local function params(arguments, buffer)
  return function(client)
    if arguments.bare then
      return arguments.params
    end
    local place = (arguments.places or {})[client.offset_encoding] or {}
    local whole = vim.tbl_extend('force', arguments.params, place)
    whole.textDocument = { uri = vim.uri_from_bufnr(buffer) }
    if arguments.diagnosed then
      whole.context = { diagnostics = told_at(buffer, arguments.diagnosed), triggerKind = 1 }
    elseif arguments.method == 'textDocument/formatting' then
      whole.options = {
        tabSize = vim.lsp.util.get_effective_tabstop(buffer),
        insertSpaces = vim.bo[buffer].expandtab,
      }
    end
    return whole
  end
end

--- Send these servers the request, and answer what each says; nobody can: which others there are.
---@param others vim.lsp.Client[]
---@param make fun(client: vim.lsp.Client): table
local function pass_on(arguments, clients, others, buffer, make, reply)
  if #clients == 0 then
    return reply(nil, { problem = 'none', servers = names(others) })
  end
  local before = ticks()
  return M.send(clients, arguments.method, make, buffer, function(answers)
    reply(nil, { answers = answers, ticks = before })
  end)
end

--- Ask the servers of a file. The answer has what each of them says, and the ticks that the buffers
--- had when they were asked; or why none was: `unloaded`, `changed`, `none`.
function M.request(arguments, reply)
  local buffer, is_new = M.buffer(arguments.path)
  if not buffer then
    return reply(nil, { problem = 'unloaded' })
  end
  local cancel
  local function is_changed()
    return arguments.tick and api.nvim_buf_get_changedtick(buffer) ~= arguments.tick
  end
  local stop = M.when_attached(buffer, arguments.method, is_new, function(clients)
    if arguments.client then
      clients = vim.tbl_filter(function(client)
        return client.id == arguments.client
      end, M.clients(buffer))
    elseif arguments.first then
      clients = { clients[1] }
    end
    if not api.nvim_buf_is_loaded(buffer) or is_changed() then
      return reply(nil, { problem = 'changed' })
    end
    local make = params(arguments, buffer)
    cancel = pass_on(arguments, clients, M.clients(buffer), buffer, make, reply)
  end)
  return function()
    stop()
    if cancel then
      cancel()
    end
  end
end

--- Ask all servers that work in these folders.
function M.workspace(arguments, reply)
  local function is_here(client)
    local root = client.root_dir or vim.tbl_get(client, 'config', 'root_dir')
    return root == nil
      or vim.iter(arguments.roots):any(function(folder)
        local inside = file_buffers.resolve(root)
        return vim.startswith(inside .. '/', folder .. '/')
          or vim.startswith(folder .. '/', inside .. '/')
      end)
  end
  local function here(method)
    return vim.tbl_filter(function(client)
      return is_users(client) and is_here(client)
    end, vim.lsp.get_clients({ method = method }))
  end
  local buffer = api.nvim_get_current_buf()
  return pass_on(arguments, here(arguments.method), here(), buffer, function()
    return arguments.params
  end, reply)
end

--- What a file defines, from the tree of treesitter, where no server knows.
function M.tree(arguments, reply)
  local buffer = M.buffer(arguments.path)
  if not buffer then
    return reply(nil, {})
  end
  local symbols = require('acp.prompt.symbols')
  symbols.refresh({ buffer })
  return ask.poll(1000, function(is_late)
    local found = symbols.of(buffer)
    if #found > 0 or is_late then
      reply(nil, found)
      return true
    end
    return false
  end)
end

--- What the user's conform.nvim makes of a file: its lines, or what went wrong. `none`: there is no
--- such plugin, or it leaves the file to a language server.
function M.conform(arguments, reply)
  local has_it, conform = pcall(require, 'conform')
  local buffer = has_it and conform.format_lines and M.buffer(arguments.path)
  local formatters = buffer and conform.list_formatters_to_run(buffer) or {}
  if #formatters == 0 then
    return reply(nil, { problem = 'none' })
  end
  local tick = api.nvim_buf_get_changedtick(buffer)
  local lines = api.nvim_buf_get_lines(buffer, 0, -1, false)
  local options = { bufnr = buffer, async = true, quiet = true }
  conform.format_lines(names(formatters), lines, options, function(err, formatted)
    local said = err and (type(err) == 'table' and err.message or tostring(err)) or nil
    reply(nil, { tick = tick, error = said, lines = formatted })
  end)
  return ask.poll(M.patience, function(is_late)
    if is_late then
      reply(nil, { tick = tick, error = 'it does not answer' })
    end
    return false
  end)
end

return M
