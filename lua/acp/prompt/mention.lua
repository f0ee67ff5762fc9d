-- Mentions in the prompt: where they are, what completes them, and whether they name something.
-- The syntax is that of python/acp_nvim/session/mention.py, which decides when a prompt is sent.
-- Nothing here waits: the names of the files are those that the host told last.

local surroundings = require('acp.prompt.surroundings')
local symbols = require('acp.prompt.symbols')

local api = vim.api

local M = {}

local MOST = 100
local FRESH_MS = 3000
local AFTER = '[%.,;:!%?%)%]}>\'"]$'

--- What is no file, and what it is.
M.specials = {
  { 'selection', 'last visual selection' },
  { 'viewport', 'what is to be seen of the file last worked in' },
  { 'diagnostics', 'of the file last worked in' },
  { 'diagnostic', 'of the line of the cursor in it' },
  { 'quickfix', 'the quickfix list' },
  { 'function', 'around the cursor in the file last worked in' },
  { 'class', 'around the cursor in it' },
  { 'buffers', 'links to the files that are open' },
  { 'marks', 'your marks, of the file last worked in and of all files' },
  { 'diff', 'what is not committed' },
  { 'messages', ':messages' },
  { 'terminal', 'end of the terminal that you were in last' },
  { 'clipboard', 'image in the clipboard' },
}

---@class acp.Names
---@field roots string[] folders of the session; the first is the one that names are relative to
---@field names string[]
---@field asked integer time of the question, in milliseconds

---@type table<integer, acp.Names> by chat
local known = {}
---@type table<integer, fun()[]> by chat: who waits for the names
local waiting = {}

---@param chat integer
local function tell(chat)
  local all = waiting[chat] or {}
  waiting[chat] = nil
  for _, done in ipairs(all) do
    done()
  end
end

---@param text string
---@return string
local function unescape(text)
  return (text:gsub('\\(.)', '%1'))
end

---@param line string
---@param at integer where an `@` is
---@return boolean
local function begins(line, at)
  local before = line:sub(at - 1, at - 1)
  return before == '' or before:match('[%s%(%[{<]') ~= nil
end

---@param line string
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

---@class acp.Mention
---@field first integer 0-based byte of the `@`
---@field names { [1]: string, [2]: integer }[] what it may stand for, the longest first, and its end

--- The mentions of a line.
---@param line string
---@return acp.Mention[]
function M.find(line)
  local found, at = {}, line:find('@', 1, true)
  while at do
    local quoted = begins(line, at) and line:match('^"([^"]+)"', at + 1)
    local last = quoted and at + #quoted + 2 or word_end(line, at + 1)
    if quoted then
      table.insert(found, { first = at - 1, names = { { quoted, last } } })
    elseif begins(line, at) and last > at then
      local names, bare = {}, line:sub(at + 1, last)
      repeat
        table.insert(names, { unescape(bare), at + #bare })
        local shorter = #bare > 1 and bare:match(AFTER) and bare:sub(1, -2)
        bare = shorter or ''
      until bare == ''
      table.insert(found, { first = at - 1, names = names })
    else
      last = at
    end
    at = line:find('@', last + 1, true)
  end
  return found
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
---@param name string
---@return string
function M.written(name)
  if name:match('["\\]') then
    return '@' .. name:gsub('[%s"\\]', '\\%0')
  end
  return name:match('%s') and ('@"%s"'):format(name) or '@' .. name
end

---@param chat acp.Chat
---@return string[] roots
local function roots(chat)
  return known[chat.chat] and known[chat.chat].roots or { chat.cwd }
end

---@param chat acp.Chat
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

---@param names string[]
---@param query string
---@return string[] the best ones
local function fuzzy(names, query)
  if query == '' then
    return vim.list_slice(names, 1, MOST)
  end
  return vim.fn.matchfuzzy(names, query, { limit = MOST })
end

---@param chat acp.Chat
---@param name string
---@return string path that a file of that name has
local function path_of(chat, name)
  local joined = name:match('^[/~]') and name or vim.fs.joinpath(roots(chat)[1], name)
  return vim.fs.normalize(joined, { expand_env = false })
end

---@param chat acp.Chat
---@param name string
---@return boolean
local function is_file(chat, name)
  local path = path_of(chat, name)
  for _, folder in ipairs(roots(chat)) do
    if vim.startswith(path, (folder:gsub('/$', '')) .. '/') then
      return vim.uv.fs_stat(path) ~= nil or vim.fn.bufloaded(path) == 1
    end
  end
  return false
end

--- The file and the lines that a name like `a.py:4-6` may stand for.
---@param chat acp.Chat
---@param name string
---@return string? file nil: it stands for no lines
---@return integer first 1-based
---@return integer last inclusive
local function lines_of(chat, name)
  local file, first, last = name:match('^(.+):(%d+)%-?(%d*)$')
  local is_there = file and is_file(chat, file) and vim.fn.isdirectory(path_of(chat, file)) == 0
  return is_there and file or nil, tonumber(first) or 0, tonumber(last) or tonumber(first) or 0
end

--- The lines that a name speaks of.
---@param chat acp.Chat
---@param name string
---@return string? path nil: it speaks of no lines
---@return integer first 1-based
---@return integer last inclusive
function M.place(chat, name)
  local file, first, last = lines_of(chat, name)
  local is_lines = file and not is_file(chat, name)
  return is_lines and path_of(chat, file --[[@as string]]) or nil, first, last
end

---@param name string
---@param first integer
---@param last integer
---@return string mention of those lines
local function of_lines(name, first, last)
  return M.written(name .. (first == last and ':%d' or ':%d-%d'):format(first, last))
end

---@param chat acp.Chat
---@param path string absolute
---@return string? name nil: it is in none of the folders of the session
local function name_of(chat, path)
  local root = roots(chat)[1]:gsub('/$', '') .. '/'
  path = vim.fs.normalize(path, { expand_env = false })
  if not is_file(chat, path) then
    return nil
  end
  return vim.startswith(path, root) and path:sub(#root + 1) or path
end

--- The mention of a file or folder by its path, or of lines of it.
---@param chat acp.Chat
---@param path string absolute
---@param first? integer 1-based
---@param last? integer inclusive
---@return string? mention nil: it is in none of the folders of the session
function M.of_path(chat, path, first, last)
  local name = name_of(chat, path)
  return name and (first and last and of_lines(name, first, last) or M.written(name))
end

--- The files of the project that are open, as buffers.
---@param chat acp.Chat
---@return integer[]
function M.open_files(chat)
  return vim.tbl_filter(function(buffer)
    local name = api.nvim_buf_get_name(buffer)
    local is_loaded = api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].buftype == ''
    return is_loaded and name ~= '' and name_of(chat, name) ~= nil
  end, api.nvim_list_bufs())
end

--- What the open files define that fits a query.
---@param chat acp.Chat
---@param query string
---@return acp.Candidate[]
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
---@param chat acp.Chat
---@param base string from the `@` on
---@return acp.Candidate[]
function M.complete(chat, base)
  local query, items, seen = unescape((base:gsub('^@"?', ''))), {}, {}
  local function add(name, menu, kind)
    if not seen[name] and not name:match('%c') then
      seen[name] = true
      table.insert(items, { word = M.written(name), menu = menu, kind = kind })
    end
  end
  for _, special in ipairs(M.specials) do
    if vim.startswith(special[1], query) then
      add(special[1], special[2], 'Keyword')
    end
  end
  for _, name in ipairs(fuzzy(buffers(chat), query)) do
    add(name, 'buffer', 'File')
  end
  vim.list_extend(items, defined(chat, query))
  for _, name in ipairs(fuzzy(known[chat.chat] and known[chat.chat].names or {}, query)) do
    add(name, '', name:match('/$') and 'Folder' or 'File')
  end
  return items
end

--- Whether a name stands for something that would go along.
---@param chat acp.Chat
---@param name string
---@return boolean
function M.resolves(chat, name)
  for _, special in ipairs(M.specials) do
    if special[1] == name then
      return true
    end
  end
  local is_named = is_file(chat, name) or surroundings.buffer(name) ~= nil
  return name:match('[^./]') ~= nil and (is_named or lines_of(chat, name) ~= nil)
end

---@param chat acp.Chat
---@param name string one that resolves
---@return string what goes along for it
local function what(chat, name)
  for _, special in ipairs(M.specials) do
    if special[1] == name then
      return special[2]
    end
  end
  if not is_file(chat, name) then
    local file, first, last = lines_of(chat, name)
    local form = first == last and 'line %d of %s' or 'lines %d to %d of %s'
    local lines = first == last and { first, file } or { first, last, file }
    return file and form:format(unpack(lines)) or 'buffer: its text is attached'
  end
  local path = path_of(chat, name)
  if vim.fn.isdirectory(path) == 1 then
    return 'folder: a link to it is attached'
  end
  return vim.fn.bufloaded(path) == 1 and 'file, as it is in its buffer' or 'file'
end

--- What the mention under the cursor speaks of.
---@param chat acp.Chat
---@param line string
---@param column integer 0-based byte of the cursor
---@return string[]? lines nil: there is none
function M.explain(chat, line, column)
  for _, found in ipairs(M.find(line)) do
    local first = found.first
    if column >= first and column < found.names[1][2] then
      for _, candidate in ipairs(found.names) do
        if M.resolves(chat, candidate[1]) then
          return { M.written(candidate[1]), what(chat, candidate[1]) }
        end
      end
      return { line:sub(first + 1, found.names[1][2]), 'names nothing: it is sent as text' }
    end
  end
end

---@param chat acp.Chat
---@return boolean whether the host has told the names of the files
function M.known(chat)
  return known[chat.chat] ~= nil or not require('acp.host.bridge').running()
end

---@param chat acp.Chat
---@return boolean whether there are more names than are offered at once
function M.is_partial(chat)
  return symbols.any() or known[chat.chat] ~= nil and #known[chat.chat].names > MOST
end

--- Ask the host for the names of the files, unless it has just told them.
---@param chat acp.Chat
---@param done? fun() called when they have come
function M.refresh(chat, done)
  local bridge, now = require('acp.host.bridge'), vim.uv.now()
  symbols.refresh(M.open_files(chat))
  local names = known[chat.chat]
  if not bridge.running() or names and now - names.asked < FRESH_MS then
    return
  end
  bridge.call('files', { chat = chat.chat }, function(err, result)
    if not err then
      known[chat.chat] = { roots = result.roots, names = result.names, asked = now }
      if done then
        done()
      end
    end
    tell(chat.chat)
  end)
end

--- Call when the names of the files are known, at once if they are, or if nobody can tell them.
---@param chat acp.Chat
---@param done fun()
function M.when_known(chat, done)
  if M.known(chat) then
    M.refresh(chat)
    return done()
  end
  local is_asked = waiting[chat.chat] ~= nil
  waiting[chat.chat] = waiting[chat.chat] or {}
  table.insert(waiting[chat.chat], done)
  if not is_asked then
    M.refresh(chat)
  end
end

--- Forget a chat that is gone.
---@param chat integer
function M.forget(chat)
  known[chat] = nil
  waiting[chat] = nil
end

return M
