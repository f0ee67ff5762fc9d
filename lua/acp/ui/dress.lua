-- What the windows of chats, prompts and lists look like: their options.

local events = require('acp.ui.events')

local api = vim.api

require('acp.host.lazy').interpreted()

local M = {}

--- Words are not broken, and further rows stand in as the first one does.
M.WRAPPED = {
  wrap = true,
  linebreak = true,
  breakindent = true,
  breakindentopt = 'list:-1,min:8',
}

--- Nothing stands left of the text.
M.BARE = { number = false, relativenumber = false, signcolumn = 'no', foldcolumn = '0' }

-- Local to the window *and* the buffer: Neovim drops them when another buffer takes the window.
local COMMON = vim.tbl_extend('error', M.WRAPPED, M.BARE, {
  statuscolumn = '',
  colorcolumn = '',
  foldmethod = 'manual',
  foldenable = false,
  list = false,
})

--- What the rows into which a line is broken are indented by, for 'formatlistpat': markers of quotes and
--- items, the first cell of a table. Neovim compiles it anew for each line that it
--- breaks, so it is short.
M.CONTAINERS = [[\%#=1^[ \t>]*\%(\%([-*+]\|\d\+[.)]\|\[[ xX]\]\)[ \t>]\+\)\{,30}]]
  .. [[\%(|[^|]\{,20}|\s\=\)\=]]

local STATUSLINE_DEFAULT = api.nvim_get_option_info2('statusline', {}).default
local STATUSLINE = "%{%get(get(b:,'acp_name',{}),winwidth(0).&ls) ?? v:lua.require'acp.ui.bar'.name()%}"
  .. '%<%=%l,%c%V  %P'

M.CHAT = vim.tbl_extend('force', COMMON, {
  winbar = "%{%get(get(b:,'acp_bar',{}),winwidth(0)) ?? v:lua.require'acp.ui.bar'.line()%}",
  statusline = STATUSLINE,
  signcolumn = 'yes:1',
  statuscolumn = '%s', -- and no expression: it would be evaluated for each row that is drawn
  winhighlight = 'SignColumn:acp_none,Folded:AcpCodeBlock', -- as the text beside it
  foldenable = true, -- for code; nothing is folded unasked
  foldtext = "v:lua.require'acp.chat.code'.text()",
  conceallevel = 2,
  concealcursor = 'nc',
  cursorline = false, -- until the user is in it: its last row is where the cursor waits
  spell = false,
})
M.PROMPT = vim.tbl_extend('error', COMMON, {
  winbar = '%{%get(b:,"acp_winbar","")%}',
  statusline = STATUSLINE,
  winfixheight = true,
})

M.LIST = vim.tbl_extend('force', COMMON, {
  winbar = M.CHAT.winbar,
  wrap = false,
  cursorline = true,
  spell = false,
  winfixheight = true,
})

M.SIDEBAR = vim.tbl_extend('force', M.LIST, {
  signcolumn = 'yes:1',
  winhighlight = 'SignColumn:acp_none',
  statusline = '%f', -- there is no room for more
  winfixheight = false,
  winfixwidth = true,
})

--- A chat has two cells left of its text, also where its user wants no signs.
local function keep_margin(window)
  local look = vim.wo[window]
  local wanted = (look.signcolumn == 'no' or look.signcolumn == 'number') and '  ' or '%s'
  if look.statuscolumn ~= wanted then
    api.nvim_set_option_value('statuscolumn', wanted, { win = window, scope = 'local' })
  end
end

local on = events.group('acp.dress')

on('OptionSet', 'The margin of a chat stays', function()
  if vim.wo.winbar == M.CHAT.winbar and not vim.b.acp_list then
    keep_margin(api.nvim_get_current_win())
  end
end, { pattern = 'signcolumn' })

--- Set an option of a window for the buffer that it shows now.
---@param window integer
---@param name string
---@param value any
function M.set(window, name, value)
  local where = { win = window, scope = 'local' }
  if api.nvim_get_option_value(name, where) ~= value then -- or Neovim draws it anew
    api.nvim_set_option_value(name, value, where)
  end
end

--- Set window options for the buffer that the window shows now.
---@param values table<string, any>
function M.window(window, values)
  local users = vim.go.fillchars == '' and '' or vim.go.fillchars .. ','
  local own = vim.b[api.nvim_win_get_buf(window)].acp
  local wanted = type(own) == 'table' and own.window or {}
  values = vim.tbl_extend('keep', wanted, values, { fillchars = users .. 'eob: ,fold: ' })
  if values.statusline and vim.go.statusline ~= STATUSLINE_DEFAULT then
    values.statusline = nil -- the user has one
  end
  for name, value in pairs(values) do
    M.set(window, name, value)
  end
  if values.statuscolumn == M.CHAT.statuscolumn then
    keep_margin(window)
  end
end

return M
