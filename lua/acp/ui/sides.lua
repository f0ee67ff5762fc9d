-- The buffers of a comparison: a live file, or lines that nobody can change, coloured as the file
-- beside them is.

local companion = require('acp.follow.companion')
local file_buffers = require('acp.files.buffers')
local unseen = require('acp.ui.unseen')

local api = vim.api

local M = {}

---@alias acp.CompareSide table see doc/messages.md, "Host → Lua"

---@return string? filetype nil if nothing says so
local function filetype_of(side, buffer)
  if side.filetype or vim.bo[buffer].filetype ~= '' then
    return side.filetype or vim.bo[buffer].filetype
  end
  local path = side.path or side.file
  return path and vim.filetype.match({ filename = path, buf = buffer })
end

--- Colour a scratch buffer as the file beside it is, without what a 'filetype' would start.
---@param other integer the buffer beside it
---@param filetype string
local function colour(buffer, other, filetype)
  local highlighter = vim.treesitter.highlighter.active[other]
  local language = highlighter and vim.treesitter.language.get_lang(filetype)
  if not (language and pcall(vim.treesitter.start, buffer, language)) then
    vim.bo[buffer].syntax = filetype
  end
end

---@param map fun(buffer: integer)
local function scratch(key, side, map)
  local buffer = unseen.buffer(function(it)
    api.nvim_buf_set_lines(it, 0, -1, true, side.lines or {})
    -- a name of another comparison stays with that
    pcall(api.nvim_buf_set_name, it, ('acp-diff://%s/%s'):format(key, side.name))
  end, { bufhidden = 'wipe', modifiable = false })
  map(buffer)
  return buffer
end

--- Find or make the buffer of a side.
---@param key string of the comparison
---@param map fun(buffer: integer) maps the keys of one that is no file
---@return integer buffer
function M.buffer(key, side, map)
  local live = side.path and (file_buffers.find(side.path) or companion.load(side.path))
  return live or scratch(key, side, map)
end

--- Colour a scratch buffer as the one beside it.
---@param other integer
---@param beside? acp.CompareSide what that is
function M.dress(side, buffer, other, beside)
  local filetype = filetype_of(side, buffer) or filetype_of(beside or { name = '' }, other)
  if vim.bo[buffer].buftype ~= '' and filetype then
    colour(buffer, other, filetype)
  end
end

--- A window is no column of a comparison any more.
function M.undress(window)
  api.nvim_win_call(window, function()
    vim.cmd('diffoff | setlocal winbar<')
  end)
end

--- Find or make the buffers of both sides.
---@param key string of the comparison
---@param map fun(buffer: integer) maps the keys of a side that is no file
---@return { left: integer, right: integer }
function M.make(key, spec, map)
  local buffers = {
    left = M.buffer(key, spec.left, map),
    right = M.buffer(key, spec.right, map),
  }
  for side, other in pairs({ left = 'right', right = 'left' }) do
    M.dress(spec[side], buffers[side], buffers[other], spec[other])
  end
  return buffers
end

return M
