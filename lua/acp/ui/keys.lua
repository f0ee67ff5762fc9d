-- Keys of the buffers that the plugin makes. Each has a <Plug> of its own, which works whether or not
-- the user wants the keys, and each buffer has `g?`, which shows them all.

local events = require('acp.ui.events')
local notice = require('acp.ui.notice')
local options = require('acp.host.options')

local api = vim.api

local M = {}

---@type table<integer, { plugs: table<string, fun()>, order: string[] }> by buffer
local buffers = events.by_buffer()

local function of(buffer)
  buffers[buffer] = buffers[buffer] or { plugs = {}, order = {} }
  return buffers[buffer]
end

---@param run fun()|string a function, a <Plug>, or other keys
local function set(buffer, mode, key, desc, run, is_wanted)
  if not vim.list_contains(of(buffer).order, desc) then
    table.insert(of(buffer).order, desc)
  end
  if not is_wanted then
    return
  end
  local mapping, keys = { nowait = true, desc = desc, noremap = true }, ''
  if type(run) == 'string' then
    keys, mapping.noremap, mapping.silent = run, not vim.startswith(run, '<Plug>'), true
  else
    function mapping.callback()
      return notice.attempt(key, run)
    end
  end
  api.nvim_buf_set_keymap(buffer, mode, key, keys, mapping)
end

--- Whether the user wants keys in it.
function M.is_wanted(buffer)
  local own = (vim.b[buffer].acp or {}).default_keys
  if own == nil then
    own = options.value('default_keys')
  end
  return own ~= false
end

--- Map a key of a buffer of ours, unless the user wants none.
---@param run fun()|string a function, a <Plug> that is there everywhere, or other keys
---@param plug? string what `<Plug>(acp-…)` does in this buffer
function M.map(buffer, mode, key, desc, run, plug)
  M.map_all(buffer, { { key, desc, run, plug } }, mode)
end

---@class acp.KeyRow
---@field [1] string keys, with blanks between them
---@field [2] string what they do
---@field [3] fun()|string
---@field [4] string? name of its <Plug>

--- Map keys, unless the user wants none.
---@param mode? string normal mode if none
function M.map_all(buffer, rows, mode)
  local is_wanted = M.is_wanted(buffer)
  for _, row in ipairs(rows) do
    if row[4] then
      of(buffer).plugs[row[4]] = row[3] --[[@as fun()]]
    end
    for key in row[1]:gmatch('%S+') do
      set(buffer, mode or 'n', key, row[2], row[3], is_wanted)
    end
  end
  set(buffer, 'n', 'g?', 'Show all keys', M.help, is_wanted)
end

--- Do in the current buffer what a <Plug> of the plugin's own buffers stands for.
---@param plug string
function M.run(plug)
  local run = of(api.nvim_get_current_buf()).plugs[plug]
  if run then
    return notice.attempt(('<Plug>(acp-%s)'):format(plug), run)
  end
  notice.notice(('<Plug>(acp-%s) does nothing here'):format(plug))
end

---@return table<string, string[]> keys by what they do
local function keys_of(buffer, mode)
  local found = {}
  for _, mapping in ipairs(api.nvim_buf_get_keymap(buffer, mode)) do
    if (mapping.desc or '') ~= '' then
      found[mapping.desc] = found[mapping.desc] or {}
      table.insert(found[mapping.desc], (mapping.lhs:gsub('<lt>', '<')))
    end
  end
  return found
end

--- What the mappings of a buffer say of themselves, ours first.
---@return { [1]: string, [2]: string }[] keys and what they do
function M.described(buffer)
  local rows, modes = {}, { { 'n', '' }, { 'i', ' (insert)' } }
  for _, mode in ipairs(modes) do
    local keys = keys_of(buffer, mode[1])
    local others = vim.tbl_filter(function(desc)
      return not vim.list_contains(of(buffer).order, desc)
    end, vim.tbl_keys(keys))
    table.sort(others)
    for _, desc in ipairs(vim.list_extend(vim.list_slice(of(buffer).order), others)) do
      if keys[desc] then
        table.sort(keys[desc])
        table.insert(rows, { table.concat(keys[desc], ' '), desc .. mode[2] })
      end
    end
  end
  return rows
end

--- Show the keys of the current buffer in a float.
function M.help()
  local rows, width = M.described(api.nvim_get_current_buf()), 0
  for _, row in ipairs(rows) do
    width = math.max(width, api.nvim_strwidth(row[1]))
  end
  local lines, marks = {}, {}
  for number, row in ipairs(rows) do
    local padding = (' '):rep(width - api.nvim_strwidth(row[1]) + 2)
    table.insert(lines, (' %s%s%s '):format(row[1], padding, row[2]))
    table.insert(marks, { number - 1, 1, { end_col = 1 + #row[1], hl_group = 'AcpToolTitle' } })
  end
  require('acp.ui.float').lines('Keys here', lines, marks)
end

return M
