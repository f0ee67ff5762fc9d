-- The keys of files under review: in their buffers while the review is on, and nowhere where the
-- user has keys of the same name.

local options = require('acp.host.options')

local api = vim.api

local M = {}

---@type { [1]: string, [2]: string, [3]: string }[] mode, key, name of its <Plug>
local KEYS = {}
for _, mode in ipairs({ 'n', 'x', 'o' }) do
  table.insert(KEYS, { mode, ']h', 'next-hunk' })
  table.insert(KEYS, { mode, '[h', 'prev-hunk' })
end
vim.list_extend(KEYS, {
  { 'n', 'gh', 'keep-hunk' },
  { 'n', 'gH', 'reject-hunk' },
  { 'x', 'gh', 'keep' },
  { 'x', 'gH', 'reject' },
  { 'o', 'gh', 'keep' },
})

---@type table<integer, { [1]: string, [2]: string }[]> by buffer: mode and key of those that are ours
local mapped = {}

---@param buffer integer
local function add(buffer)
  mapped[buffer] = {}
  api.nvim_buf_call(buffer, function()
    for _, row in ipairs(KEYS) do
      local mode, key, name = unpack(row)
      if vim.fn.maparg(key, mode) == '' then
        local plug = ('<Plug>(acp-%s)'):format(name)
        local desc = vim.fn.maparg(plug, mode, false, true).desc
        vim.keymap.set(mode, key, plug, { buffer = buffer, remap = true, desc = desc })
        table.insert(mapped[buffer], { mode, key })
      end
    end
  end)
end

---@param buffer integer
local function remove(buffer)
  for _, row in ipairs(mapped[buffer]) do
    pcall(vim.keymap.del, row[1], row[2], { buffer = buffer }) -- the user may have done so
  end
  mapped[buffer] = nil
end

--- Let the buffer have the keys, or have them no longer.
---@param buffer integer loaded
---@param wanted boolean
function M.set(buffer, wanted)
  wanted = wanted and options.value('default_keys') ~= false
  if wanted and not mapped[buffer] then
    add(buffer)
  elseif not wanted and mapped[buffer] then
    remove(buffer)
  end
end

api.nvim_create_autocmd('BufWipeout', {
  group = api.nvim_create_augroup('acp.review_keys', {}),
  desc = 'The number may come again',
  callback = function(event)
    mapped[event.buf] = nil
  end,
})

return M
