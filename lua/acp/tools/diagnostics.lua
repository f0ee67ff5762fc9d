-- Diagnostics for tools of agents: those of the newest text, as far as servers give them in time.

local ask = require('acp.tools.ask')
local events = require('acp.ui.events')
local file_buffers = require('acp.files.buffers')
local language = require('acp.tools.language')
local windows = require('acp.tools.windows')

local api = vim.api

local M = {}

local METHOD = 'textDocument/diagnostic'
local SEVERITIES = { 'error', 'warning', 'info', 'hint' }
-- Diagnostics of one answer: to look at more would hold the editor.
local MOST = 5000
-- Milliseconds that servers have which tell by themselves when they have something to tell.
local PATIENCE = 2000

-- Milliseconds behind what they tell, in which more of it may come: several tell one after the other.
local SETTLES = 150
-- Looks in which a server has said nothing, after which it has nothing to say of that text.
local SILENT = 3

---@class acp.Told
---@field tick integer of the text that the servers were sent
---@field at? integer milliseconds, when something was told of it last
---@field silent integer looks in which nothing was

---@type table<integer, acp.Told> by buffer
local told = events.by_buffer()

local on = events.group('acp.tools.diagnostics')

on('DiagnosticChanged', 'When servers have told something', function(event)
  local it = told[event.buf]
  if it and it.tick == api.nvim_buf_get_changedtick(event.buf) then
    it.at = vim.uv.now()
  end
end)

--- Have the servers of a buffer the text as it is now: Neovim sends it a moment after it has changed.
local function send(buffer)
  local tick = api.nvim_buf_get_changedtick(buffer)
  if told[buffer] and told[buffer].tick == tick then
    return
  end
  told[buffer] = { tick = tick, silent = 0 }
  vim.tbl_map(language.bring_up_to_date, language.clients(buffer))
end

---@return string?
local function plain(value)
  return (type(value) == 'string' or type(value) == 'number') and tostring(value) or nil
end

---@param it vim.Diagnostic
---@return table? nil: it is of no file
local function row_of(it)
  local path = file_buffers.file(it.bufnr)
  if not path then
    return nil
  end
  local last, stop = it.end_lnum or it.lnum, it.end_col or it.col
  return {
    path = path,
    line = it.lnum + 1,
    column = windows.character(it.bufnr, it.lnum, it.col),
    end_line = last + 1,
    end_column = windows.character(it.bufnr, last, stop),
    severity = SEVERITIES[it.severity] or 'error',
    source = plain(it.source),
    code = plain(it.code),
    message = plain(it.message) or '',
  }
end

--- The diagnostics as they are now.
---@param buffer? integer nil: of all
---@param line? integer 1-based; nil: of all lines
function M.rows(buffer, line)
  local found, all = {}, vim.diagnostic.get(buffer, { lnum = line and line - 1 })
  for _, it in ipairs(vim.list_slice(all, 1, MOST)) do
    table.insert(found, row_of(it))
  end
  return found
end

--- Whether a server tells of the buffer by itself.
local function is_told(buffer)
  return #language.clients(buffer) > #language.clients(buffer, METHOD)
end

--- Have servers answer for the newest text that do so when asked.
---@param on_done fun(is_fresh: boolean)
local function pull(buffer, on_done)
  local clients = language.clients(buffer, METHOD)
  if #clients == 0 then
    return on_done(true)
  end
  local is_fresh = true
  local function params()
    return { textDocument = { uri = vim.uri_from_bufnr(buffer) } }
  end
  return language.send(clients, METHOD, params, buffer, function(answers)
    for _, it in ipairs(answers) do
      is_fresh = is_fresh and not it.error
      if it.result then
        local context = { client_id = it.id, bufnr = buffer, method = METHOD, params = params() }
        vim.lsp.handlers[METHOD](nil, it.result, context, {})
      end
    end
    on_done(is_fresh)
  end)
end

--- Wait until those have told that tell by themselves.
---@param on_done fun(is_fresh: boolean)
local function wait(buffer, on_done)
  local function is_answered()
    send(buffer) -- the user may type on
    local it = told[buffer]
    return it.silent >= SILENT or it.at ~= nil and vim.uv.now() - it.at >= SETTLES
  end
  return ask.poll(PATIENCE, function(is_late)
    local is_fresh = not api.nvim_buf_is_loaded(buffer) or not is_told(buffer) or is_answered()
    if is_fresh or is_late then
      if not is_fresh then
        told[buffer].silent = told[buffer].silent + 1
      end
      on_done(is_fresh)
      return true
    end
    return false
  end)
end

--- The diagnostics of one file, waited for; or of all files, as they are.
function M.get(arguments, reply)
  if not arguments.path then
    return reply(nil, { fresh = true, rows = M.rows(), servers = {} })
  end
  local buffer, is_new = language.buffer(arguments.path)
  if not buffer then
    return reply(nil, { problem = 'unloaded' })
  end
  local cancels = {}
  local function answer(is_fresh)
    local names = vim.tbl_map(function(client)
      return client.name
    end, language.clients(buffer))
    reply(nil, { fresh = is_fresh, rows = M.rows(buffer), servers = names })
  end
  local function await(is_pulled)
    cancels.wait = wait(buffer, function(is_fresh)
      answer(is_pulled and is_fresh)
    end)
  end
  cancels.attach = language.when_attached(buffer, nil, is_new, function()
    cancels.pull = pull(buffer, await)
  end)
  return function()
    for _, cancel in pairs(cancels) do
      cancel()
    end
  end
end

return M
