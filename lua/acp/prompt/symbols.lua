-- What the open files of a project define: functions, classes and the like, to be mentioned by name.
-- A language server that is attached is asked, else the tree of treesitter is read, some milliseconds
-- at a time. Nothing here waits: what is not known yet is offered with a later key.

local events = require('acp.ui.events')

local api = vim.api

local M = {}

local MOST_FILES, MOST_SYMBOLS, MOST_LINES, MOST_DEPTH = 20, 1000, 20000, 8
local MOST_OFFERED = 20
local SLICE_NS = 2e6
local METHOD = 'textDocument/documentSymbol'

---@class acp.Symbol
---@field name string with what it is in, as `Cache.get`
---@field kind string of `vim.lsp.protocol.CompletionItemKind`
---@field first integer 1-based
---@field last integer inclusive

---@type table<integer, { tick: integer, symbols: acp.Symbol[] }> by buffer; `tick` of the text read
local known = events.by_buffer()

local KINDS = {
  Class = 'Class',
  Constructor = 'Constructor',
  Enum = 'Enum',
  Function = 'Function',
  Interface = 'Interface',
  Method = 'Method',
  Module = 'Module',
  Namespace = 'Module',
  Struct = 'Struct',
}

-- What grammars call definitions: how the names of the nodes end, and what is in them; the first counts.
local ENDINGS = { 'definition$', 'declaration$', '_item$', '_spec$', '_specifier$', 'method$' }
local WHOLE = { class = true, module = true }
local NODES = {
  { 'method', 'Method' },
  { 'function', 'Function' },
  { 'class', 'Class' },
  { 'interface', 'Interface' },
  { 'trait', 'Interface' },
  { 'struct', 'Struct' },
  { 'enum', 'Enum' },
  { 'module', 'Module' },
  { 'mod_item', 'Module' },
  { 'namespace', 'Module' },
  { 'type_spec', 'Class' },
}

---@param outer string?
---@param kind string?
---@return string whole name
local function add(symbols, outer, name, kind, first, last)
  local whole = outer and outer .. '.' .. name or name
  if kind and #symbols < MOST_SYMBOLS and #whole < 200 and not whole:match('[%c%s]') then
    local found = { name = whole, kind = kind, first = first, last = math.max(first, last) }
    table.insert(symbols, found)
  end
  return whole
end

--- What a language server tells, in either of its forms.
---@param told table[]
---@param outer string?
---@param depth integer
local function take(symbols, told, outer, depth)
  for _, it in ipairs(depth < MOST_DEPTH and told or {}) do
    local range = it.range or it.location and it.location.range
    local inside = outer or it.containerName ~= '' and it.containerName or nil
    if range and type(it.name) == 'string' then
      local kind = KINDS[vim.lsp.protocol.SymbolKind[it.kind]]
      local last = range['end'].line + (range['end'].character > 0 and 1 or 0)
      local whole = add(symbols, inside, it.name, kind, range.start.line + 1, last)
      take(symbols, it.children or {}, kind and whole or outer, depth + 1)
    end
  end
end

---@return boolean asked false: no server can tell
local function ask_server(buffer, file)
  if #vim.lsp.get_clients({ bufnr = buffer, method = METHOD }) == 0 then
    return false
  end
  local params = { textDocument = vim.lsp.util.make_text_document_params(buffer) }
  vim.lsp.buf_request(buffer, METHOD, params, function(err, told)
    local symbols = {}
    local is_told = not err and type(told) == 'table' and pcall(take, symbols, told, nil, 0)
    if is_told and #symbols > 0 then -- of several servers the last that knows any
      file.symbols = symbols
    end
  end)
  return true
end

---@return string? kind nil: it defines nothing
local function kind_of(node)
  local type = node:type()
  local ends = vim.iter(ENDINGS):any(function(ending)
    return type:match(ending) ~= nil
  end)
  local is_used = type:match('_specifier$') and not node:field('body')[1]
  if not (ends or WHOLE[type]) or is_used then
    return nil
  end
  for _, part in ipairs(NODES) do
    if type:find(part[1], 1, true) then
      return part[2]
    end
  end
end

---@return string? name
local function name_of(node, buffer)
  local found = node:field('name')[1]
  local declared = node:field('declarator')[1]
  while not found and declared do -- as C has it
    local inner = declared:field('declarator')[1]
    found, declared = not inner and declared or nil, inner
  end
  return found and vim.treesitter.get_node_text(found, buffer) or nil
end

--- Read a tree, a slice now and the rest later.
---@param symbols acp.Symbol[] found so far
---@param stack { node: TSNode, outer: string?, depth: integer }[] what is still to be read
local function read(buffer, file, symbols, stack)
  local is_same = known[buffer] == file and api.nvim_buf_is_loaded(buffer)
  if not is_same or api.nvim_buf_get_changedtick(buffer) ~= file.tick then
    return
  end
  local stop = vim.uv.hrtime() + SLICE_NS
  while #stack > 0 and #symbols < MOST_SYMBOLS and vim.uv.hrtime() < stop do
    local it = table.remove(stack)
    local kind, outer = kind_of(it.node), it.outer
    local name = kind and name_of(it.node, buffer)
    if name then
      local first, _, last, column = it.node:range()
      outer = add(symbols, outer, name, kind, first + 1, last + (column > 0 and 1 or 0))
    end
    for index = it.node:named_child_count() - 1, 0, -1 do
      local child = it.node:named_child(index)
      if child and it.depth < MOST_DEPTH then
        table.insert(stack, { node = child, outer = outer, depth = it.depth + 1 })
      end
    end
  end
  if #stack == 0 or #symbols >= MOST_SYMBOLS then
    file.symbols = symbols
    return
  end
  vim.schedule(function()
    read(buffer, file, symbols, stack)
  end)
end

local function read_tree(buffer, file)
  local is_quick = vim.fn.has('nvim-0.11') == 1 or api.nvim_buf_line_count(buffer) < 2000
  local ok, parser = pcall(vim.treesitter.get_parser, buffer, nil, { error = false })
  if not is_quick or not ok or not parser then
    return
  end
  local is_read = false
  local function done(_, trees)
    local tree = trees and trees[1]
    if tree and not is_read then
      is_read = true
      read(buffer, file, {}, { { node = tree:root(), depth = 0 } })
    end
  end
  local parsed, trees = pcall(parser.parse, parser, false, done) -- 0.10 knows no `done`
  if parsed and trees then
    done(nil, trees)
  end
end

--- Learn what these files define, unless that is known.
function M.refresh(buffers)
  for _, buffer in ipairs(vim.list_slice(buffers, 1, MOST_FILES)) do
    local tick = api.nvim_buf_get_changedtick(buffer)
    local is_known = known[buffer] and known[buffer].tick == tick
    if not is_known and api.nvim_buf_line_count(buffer) <= MOST_LINES then
      local file = { tick = tick, symbols = M.of(buffer) }
      known[buffer] = file
      local is_usable, is_asked = pcall(ask_server, buffer, file)
      if not (is_usable and is_asked) then
        read_tree(buffer, file)
      end
    end
  end
end

--- What a file defines, as far as it is known.
function M.of(buffer)
  return known[buffer] and known[buffer].symbols or {}
end

--- What these files define that fits a query: not all of it, which would hide the rest.
---@param query string
---@return (acp.Symbol|{ buffer: integer })[] the best first
function M.matching(buffers, query)
  local found = {}
  for _, buffer in ipairs(buffers) do
    for _, symbol in ipairs(M.of(buffer)) do
      table.insert(found, vim.tbl_extend('error', { buffer = buffer }, symbol))
    end
  end
  return vim.fn.matchfuzzy(found, query, { key = 'name', limit = MOST_OFFERED })
end

--- What is around a line, by the tree of treesitter; where there is none, as far as it is known.
---@param row integer 1-based
---@param kinds table<string, true>
---@return { first: integer, last: integer }? innermost
function M.around(buffer, row, kinds)
  local ok, parser = pcall(vim.treesitter.get_parser, buffer, nil, { error = false })
  if ok and parser and api.nvim_buf_line_count(buffer) <= MOST_LINES then
    local trees = parser:parse()
    local text = api.nvim_buf_get_lines(buffer, row - 1, row, false)[1] or ''
    local column = #text:match('^%s*')
    local node = trees[1]
      and trees[1]:root():named_descendant_for_range(row - 1, column, row - 1, column)
    while node do
      if kinds[kind_of(node) or ''] then
        local first, _, last, end_column = node:range()
        return { first = first + 1, last = last + (end_column > 0 and 1 or 0) }
      end
      node = node:parent()
    end
  end
  local found
  for _, symbol in ipairs(M.of(buffer)) do
    if kinds[symbol.kind] and symbol.first <= row and row <= symbol.last then
      found = symbol -- what is inner comes later
    end
  end
  return found
end

--- Whether any file that was asked about defines something.
function M.any()
  return vim.iter(pairs(known)):any(function(_, file)
    return #file.symbols > 0
  end)
end

return M
