-- What an agent's commands have printed, or all of what a chat shows the beginning of: in a buffer of its
-- own that nobody can change, which comes in portions, so that keys are answered meanwhile; and the places
-- that it names in the quickfix list, as 'errorformat' finds them.

local apply = require('acp.ui.apply')
local bridge = require('acp.host.bridge')
local file_buffers = require('acp.files.buffers')
local hands = require('acp.files.hands')
local keys = require('acp.ui.keys')
local layout = require('acp.ui.layout')
local notice = require('acp.ui.notice')
local unseen = require('acp.ui.unseen')

local api = vim.api

local M = {}

local PLACE = 'acp: in '

local function here(chat)
  return { chat = chat.chat, row = api.nvim_win_get_cursor(0)[1] - 1 }
end

--- Show all that the tool call under the cursor has printed.
function M.open(chat)
  bridge.ask('output', here(chat))
end

--- Show again what a tool call has printed: the buffer has only its name.
---@return boolean whether that is such a name
function M.read(name)
  local agent, session, call = name:match('^acp://([^/]+)/([^/]+)/tool/([^/]+)$')
  if not agent then
    return false
  end
  local payload = vim.tbl_map(vim.uri_decode, { agent = agent, session = session, call = call })
  bridge.ask('output_of', payload)
  return true
end

--- The format of the compiler that the user has chosen for the files on screen.
local function format()
  local window = layout.file_window()
  local own = window and vim.bo[api.nvim_win_get_buf(window)].errorformat or ''
  return own ~= '' and own or vim.go.errorformat
end

--- Take away what leads to no plain file, and the buffers that only it has made.
---@param items table[]
---@param known table<integer, true> buffers that were there before
---@return integer count of the places that are left
---@return integer first the number of the first of them
local function check(items, known)
  local count, first, gone = 0, 0, {}
  for number, item in ipairs(items) do
    local name = item.bufnr > 0 and api.nvim_buf_get_name(item.bufnr) or ''
    local is_file = name ~= '' and file_buffers.opens(name) and vim.uv.fs_stat(name) ~= nil
    if item.bufnr > 0 and not is_file then
      gone[item.bufnr] = not known[item.bufnr] or nil
      item.bufnr, item.valid = 0, 0
    end
    count = count + item.valid
    first = first == 0 and item.valid == 1 and number or first
  end
  for buffer in pairs(gone) do
    pcall(api.nvim_buf_delete, buffer, { force = true })
  end
  return count, first
end

--- Put the places that lines name into a new quickfix list.
---@param cwd string where the files are
function M.to_quickfix(lines, cwd, title)
  local known = {}
  for _, buffer in ipairs(api.nvim_list_bufs()) do
    known[buffer] = true
  end
  table.insert(lines, 1, PLACE .. cwd)
  local efm = ('%%D%s%%f,%s'):format(PLACE, format())
  local items = vim.fn.getqflist({ lines = lines, efm = efm }).items
  table.remove(items, 1)
  local count, first = check(items, known)
  if count == 0 then
    return notice.notice("'errorformat' finds no place in it")
  end
  vim.fn.setqflist({}, ' ', { title = title, items = items, idx = first })
  local many = ('%d place%s'):format(count, count == 1 and '' or 's')
  notice.notice(('%s: :copen lists them, :cc goes to the first'):format(many))
end

--- Do that with what the tool call under the cursor has printed.
function M.yank(chat)
  bridge.ask('printed', here(chat), function(found)
    M.to_quickfix(vim.split(found.text, '\n', { plain = true }), found.cwd, found.title)
  end)
end

local function set_up(buffer)
  require('acp.ui.highlights').define()
  unseen.set(buffer, { buftype = 'nofile', swapfile = false, undolevels = -1, modifiable = false })
  vim.bo[buffer].bufhidden = 'wipe'
  keys.map(buffer, 'n', 'q', 'Close it', function()
    api.nvim_buf_delete(buffer, { force = true })
  end)
end

--- The buffer of what a tool call has printed, empty.
---@param cwd string where the files are that it names
local function of_output(name, cwd)
  local buffer = vim.iter(api.nvim_list_bufs()):find(function(it)
    return api.nvim_buf_get_name(it) == name
  end) or unseen.buffer()
  if api.nvim_buf_get_name(buffer) ~= name then
    api.nvim_buf_set_name(buffer, name)
  end
  set_up(buffer)
  vim.b[buffer].acp_cwd = cwd
  vim.bo[buffer].filetype = 'acp-output'
  keys.map(buffer, 'n', 'yq', 'Places in it into the quickfix list', function()
    local lines = api.nvim_buf_get_lines(buffer, 0, -1, true)
    M.to_quickfix(lines, cwd, name)
  end, 'output-to-quickfix')
  apply.draw(buffer, { { 0, -1, {}, {} } })
  return buffer
end

--- Show it where it is on screen already, else in a tabpage of its own.
local function open(name, cwd)
  local buffer = name == '' and unseen.buffer(set_up) or of_output(name, cwd)
  local window = vim.fn.win_findbuf(buffer)[1]
  if window then
    api.nvim_set_current_win(window)
  else
    vim.cmd('tab split')
    api.nvim_win_set_buf(0, buffer)
  end
  vim.wo[0][0].wrap = false
  return buffer
end

--- Called by the host, at the user's command: open an empty one; one of that name is emptied.
---@param name string '' for none
---@return integer buffer -1: it is not shown now
function M.show(name, cwd)
  local buffer = -1
  hands.calmly('all of it', function()
    buffer = open(name, cwd)
  end)
  return buffer
end

---@return boolean there the user has not closed it
function M.append(buffer, op)
  if not api.nvim_buf_is_valid(buffer) then
    return false
  end
  apply.draw(buffer, { op })
  return true
end

return M
