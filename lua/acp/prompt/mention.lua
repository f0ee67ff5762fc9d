-- What completes a mention, and how one is written. What a mention names, the host says: `find`.
-- Nothing here waits: the names of the files are those that the host told last.

local bridge = require('acp.host.bridge')
local surroundings = require('acp.prompt.surroundings')
local symbols = require('acp.prompt.symbols')

local api = vim.api

local M = {}

local MOST = 100
local FRESH_MS = 3000

---@return { [1]: string, [2]: string }[] what is no file, and what it is
function M.specials()
  return require('acp.command.data').read('mentions')
end

---@alias acp.Names table the answer of the verb `files`, and when it was `asked` for

---@param at integer where an `@` is
local function begins(line, at)
  local before = line:sub(at - 1, at - 1)
  return before == '' or before:match('[%s%(%[{<]') ~= nil
end

---@param from integer
---@return integer last byte of the word, with what is escaped in it
local function word_end(line, from)
  local at = from
  while at <= #line do
    local width = line:sub(at, at) == '\\' and 2 or 1
    if at + width - 1 > #line or line:sub(at, at):match('%s') then
      break
    end
    at = at + width
  end
  return at - 1
end

--- Where the mention begins that the cursor is at the end of.
---@param before string the line up to the cursor
---@return integer? column 0-based byte of its `@`
function M.start(before)
  for at = #before, 1, -1 do
    if before:sub(at, at) == '@' and begins(before, at) then
      local quoted = before:match('^"[^"]*$', at + 1)
      return (quoted or word_end(before, at + 1) == #before) and at - 1 or nil
    end
  end
end

--- The mention of a name, as it is written.
function M.written(name)
  if name:match('["\\]') then
    return '@' .. name:gsub('[%s"\\]', '\\%0')
  end
  return name:match('%s') and ('@"%s"'):format(name) or '@' .. name
end

---@return string[] roots
local function roots(chat)
  return chat.names and chat.names.roots or { chat.cwd }
end

---@return string[] names of the buffers that can be mentioned
local function buffers(chat)
  local root, found = roots(chat)[1]:gsub('/$', '') .. '/', {}
  for _, buffer in ipairs(api.nvim_list_bufs()) do
    local path = api.nvim_buf_get_name(buffer)
    if vim.bo[buffer].buflisted and api.nvim_buf_is_loaded(buffer) and path ~= '' then
      local below = vim.bo[buffer].buftype == '' and vim.startswith(path, root)
      table.insert(found, below and path:sub(#root + 1) or surroundings.name(buffer))
    end
  end
  return found
end

---@return string[] the best ones
local function fuzzy(names, query)
  if query == '' then
    return vim.list_slice(names, 1, MOST)
  end
  return vim.fn.matchfuzzy(names, query, { limit = MOST })
end

---@return string mention of those lines
local function of_lines(name, first, last)
  return M.written(name .. (first == last and ':%d' or ':%d-%d'):format(first, last))
end

---@return string? name nil: it is not there, or in none of the folders of the session
local function name_of(chat, path)
  path = vim.fs.normalize(path, { expand_env = false })
  for index, folder in ipairs(roots(chat)) do
    local below = folder:gsub('/$', '') .. '/'
    if vim.startswith(path, below) then
      local is_there = vim.uv.fs_stat(path) ~= nil or vim.fn.bufloaded(path) == 1
      return is_there and (index == 1 and path:sub(#below + 1) or path) or nil
    end
  end
end

--- The mention of a file or folder by its absolute path, or of lines of it.
---@param first? integer 1-based
---@param last? integer inclusive
---@return string? mention nil: it is in none of the folders of the session
function M.of_path(chat, path, first, last)
  local name = name_of(chat, path)
  return name and (first and last and of_lines(name, first, last) or M.written(name))
end

--- The files of the project that are open, as buffers.
function M.open_files(chat)
  return vim.tbl_filter(function(buffer)
    local is_file = api.nvim_buf_is_loaded(buffer) and surroundings.is_file(buffer)
    return is_file and name_of(chat, api.nvim_buf_get_name(buffer)) ~= nil
  end, api.nvim_list_bufs())
end

--- What the open files define that fits a query.
local function defined(chat, query)
  return vim.tbl_map(function(symbol)
    local name = name_of(chat, api.nvim_buf_get_name(symbol.buffer)) --[[@as string]]
    return {
      word = of_lines(name, symbol.first, symbol.last),
      label = '@' .. symbol.name,
      menu = vim.fs.basename(name),
      kind = symbol.kind,
    }
  end, query ~= '' and symbols.matching(M.open_files(chat), query) or {})
end

--- What completes a mention.
---@param base string from the `@` on
function M.complete(chat, base)
  local query, items, seen = base:gsub('^@"?', ''):gsub('\\(.)', '%1'), {}, {}
  local function add(name, menu, kind)
    if not seen[name] and not name:match('%c') then
      seen[name] = true
      table.insert(items, { word = M.written(name), menu = menu, kind = kind })
    end
  end
  for _, special in ipairs(M.specials()) do
    if vim.startswith(special[1], query) then
      add(special[1], special[2], 'Keyword')
    end
  end
  for _, name in ipairs(fuzzy(buffers(chat), query)) do
    add(name, 'buffer', 'File')
  end
  vim.list_extend(items, defined(chat, query))
  for _, name in ipairs(fuzzy(chat.names and chat.names.names or {}, query)) do
    add(name, '', name:match('/$') and 'Folder' or 'File')
  end
  return items
end

---@alias acp.Mention table an answer of the verb `mentions`, of one line: see doc/messages.md

--- Ask the host for the mentions of lines.
---@param done fun(found: acp.Mention[][]) of each line
function M.find(chat, lines, done)
  local payload = { chat = chat.chat, lines = lines, buffers = {}, open = {} }
  for _, buffer in ipairs(api.nvim_list_bufs()) do
    local is_file = api.nvim_buf_is_loaded(buffer) and surroundings.is_file(buffer)
    table.insert(payload.open, is_file and api.nvim_buf_get_name(buffer) or nil)
    table.insert(payload.buffers, surroundings.name(buffer))
  end
  bridge.call('mentions', payload, function(_, found)
    if found then
      done(found)
    end
  end)
end

---@return boolean whether the host has told the names of the files
function M.known(chat)
  return chat.names ~= nil or not bridge.running()
end

---@return boolean whether there are more names than are offered at once
function M.is_partial(chat)
  return symbols.any() or chat.names ~= nil and #chat.names.names > MOST
end

--- Ask the host for the names of the files, unless it has just told them.
---@param done? fun() called when they have come, or cannot be told
function M.refresh(chat, done)
  local names, now = chat.names, vim.uv.now()
  symbols.refresh(M.open_files(chat))
  if not bridge.running() or names and now - names.asked < FRESH_MS then
    return
  end
  local is_asked = chat.waiting ~= nil
  chat.waiting = vim.list_extend(chat.waiting or {}, { done })
  if is_asked then
    return
  end
  bridge.call('files', { chat = chat.chat }, function(err, result)
    if not err then
      chat.names = { roots = result.roots, names = result.names, asked = now }
    end
    local all = chat.waiting
    chat.waiting = nil
    for _, told in ipairs(all) do
      told()
    end
  end)
end

--- Call when the names of the files are known, at once if they are, or if nobody can tell them.
---@param done fun()
function M.when_known(chat, done)
  if not M.known(chat) then
    return M.refresh(chat, done)
  end
  M.refresh(chat)
  done()
end

return M
