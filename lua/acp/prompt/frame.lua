-- What stands around the text of a prompt. Above it the bar: what waits for review, how to send it, or
-- why it cannot be sent.
-- Below it the rows of what goes along, numbered as <C-x> and `K` take them: virtual lines, so that
-- the text is only the user's.

local cells = require('acp.ui.cells')
local chats = require('acp.chat.registry')
local options = require('acp.host.options')

local api = vim.api

local M = {}

local namespace = api.nvim_create_namespace('acp_along')
local MOST = 8

---@param group string
---@return string item of a winbar
local function item(group, text)
  return ('%%#%s# %s%%*'):format(group, cells.literal(text))
end

--- What to press, the longest first.
---@param count integer things that go along
local function texts(chat, count)
  local is_here = api.nvim_get_current_buf() == chat.prompt
  local is_insert = is_here and api.nvim_get_mode().mode:find('^i')
  local is_mapped = options.value('default_keys') ~= false
  local key = not is_mapped and ':w' or is_insert and '<C-s>' or '<CR>'
  local short = key .. ' sends'
  local long = ('%s to %s'):format(short, chat.agent)
  if not is_mapped or is_insert or count == 0 then
    return { long, short }
  end
  return {
    long .. ' · <C-x> removes · K shows',
    short .. ' · <C-x> removes · K shows',
    short .. ' · <C-x> removes',
    short .. ' · K shows',
    short,
  }
end

---@param all string[] the longest first
---@return string the first that fits, else the last
local function fitting(all, room)
  return vim.iter(all):find(function(text)
    return api.nvim_strwidth(text) < room
  end) or all[#all]
end

--- What waits for review, and the key that opens it, in the longest of the host's forms that fits. It can
--- be clicked, and is a part of the bar, so that it takes no line of anybody.
---@return string item '' if nothing waits
---@return integer cells
local function changes(chat, room)
  local all = chat.status.changes ---@type { [1]: string, [2]: string }[][]?
  if not all then
    return '', 0
  end
  local chunks = vim.iter(all):find(function(form)
    return cells.of(form) <= room
  end) or all[#all]
  local items = vim.tbl_map(function(chunk)
    return ('%%#%s#%s'):format(chunk[2], cells.literal(chunk[1]))
  end, chunks)
  local click = "%@v:lua.require'acp.prompt.frame'.review@"
  return click .. table.concat(items) .. '%X%*', cells.of(chunks)
end

--- Open the review; a click calls it.
function M.review()
  vim.cmd('Acp review')
end

--- A bar that says something for a moment.
---@param all string[] the longest first
function M.said(all, room)
  return item('AcpNote', fitting(all, room))
end

--- The bar of a prompt with so many rows.
function M.bar(chat, count, room)
  if not chats.is_open(chat) then
    local all = { chats.closed(chat), 'closed: :Acp restart goes on', 'closed: :Acp restart' }
    return item('AcpWarning', fitting(all, room))
  end
  if chat.status.parent then
    local all = { ('a sub-agent of %s: it takes no prompts'):format(chat.agent) }
    vim.list_extend(all, { 'a sub-agent: it takes no prompts', 'takes no prompts' })
    return item('AcpWinbarUsage', fitting(all, room))
  end
  local row, taken = changes(chat, room)
  if taken == 0 then
    return item('AcpWinbarUsage', fitting(texts(chat, count), room))
  end
  local beside = fitting(texts(chat, count), room - taken - 2)
  local fits = api.nvim_strwidth(beside) <= room - taken - 2
  return fits and ('%s%%=%s '):format(row, item('AcpWinbarUsage', beside)) or row
end

---@return { [1]: string, [2]: string }[] chunks
local function chunks(number, row, width)
  local head, detail = (' %d '):format(number), row.detail ~= '' and ' · ' .. row.detail or ''
  local room = math.max(width - #head, 8)
  if api.nvim_strwidth(row.label .. detail) > room then -- its name says more
    detail = ''
  end
  local label = cells.middle_cut(row.label, room)
  return {
    { head, 'AcpDim' },
    { label, row.key and 'AcpNote' or 'AcpMention' },
    { detail, 'AcpDim' },
  }
end

local function virtual_lines(rows, width)
  local found = {}
  for number, row in ipairs(vim.list_slice(rows, 1, MOST)) do
    table.insert(found, chunks(number, row, width))
  end
  if #rows > MOST then
    table.insert(found, { { (' … and %d more'):format(#rows - MOST), 'AcpDim' } })
  end
  return found
end

--- Show these rows below the text.
---@param rows acp.Along[]
---@return boolean changed whether there are more rows, or fewer
function M.rows(buffer, rows, width)
  local last = api.nvim_buf_line_count(buffer) - 1
  local before = api.nvim_buf_get_extmarks(buffer, namespace, 0, -1, { details = true })[1]
  api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  local lines = virtual_lines(rows, width)
  if #lines > 0 then
    api.nvim_buf_set_extmark(buffer, namespace, last, 0, { virt_lines = lines })
  end
  return #lines ~= (before and #before[4].virt_lines or 0)
end

return M
