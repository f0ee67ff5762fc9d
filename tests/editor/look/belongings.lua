-- What the user has: all that an agent must leave as it is. Of a place in a file it says the text
-- there, since an agent's lines above move it.

local api, fn = vim.api, vim.fn

local function line(buffer, number)
  return fn.bufloaded(buffer) == 1 and (fn.getbufline(buffer, number)[1] or '') or number
end

local function places(entries)
  return vim.tbl_map(function(it)
    local at = it.pos or { it.bufnr, it.lnum, it.col }
    local buffer = at[1] == 0 and api.nvim_get_current_buf() or at[1]
    local text = tostring(line(buffer, at[2])):sub(1, 7) -- what the user types comes behind that
    return { it.mark or '', buffer, text, at[3] }
  end, entries)
end

-- The marks that the user has set; '[ '] '. speak of the last change, whosever it is.
local function marks(entries)
  return places(vim.tbl_filter(function(it)
    return it.mark:find("^'[%a'<>^]$") ~= nil
  end, entries))
end

local function registers()
  local all = {}
  for name in ('"0123456789-abcdefghijklmnopqrstuvwxyz.:%#/'):gmatch('.') do
    all[name] = { fn.getreg(name), fn.getregtype(name) }
  end
  return all
end

local function list(get)
  local all = {}
  for number = 1, get({ nr = '$' }).nr do
    local it = get({ nr = number, id = 0, idx = 0, items = 0, title = 0 })
    it.items = vim.tbl_map(function(item)
      return { item.bufnr, line(item.bufnr, item.lnum), item.text }
    end, it.items)
    all[number] = it
  end
  return { get({ nr = 0 }).nr, all }
end

local function options()
  local all = {}
  for name, info in pairs(api.nvim_get_all_options_info()) do
    if info.scope == 'global' then
      -- Neovim 0.10 lists options that it has not, such as 'guioptions'.
      local is_there, value = pcall(api.nvim_get_option_value, name, { scope = 'global' })
      if is_there then
        all[name] = value
      end
    end
  end
  return all
end

---@return table windows where they are, in the order of their numbers
---@return table buffers what is in them
local function windows()
  local all, shown = {}, {}
  for _, window in ipairs(api.nvim_list_wins()) do
    if api.nvim_win_get_config(window).relative == '' then
      local size = { api.nvim_win_get_width(window), api.nvim_win_get_height(window) }
      table.insert(all, { window, api.nvim_win_get_position(window), size })
      table.insert(shown, { window, api.nvim_win_get_buf(window) })
    end
  end
  return all, shown
end

-- Only this is said to somebody who is in the middle of something: what the user's own hands hold up,
-- and what their own text stands against.
local function is_unasked(message)
  return not (message:find('wants to write .+: it waits') or message:find('have %a+ changed line'))
end

local buffer = api.nvim_get_current_buf()
local view = fn.winsaveview()
local jumps = fn.getjumplist()
local terminal = vim.bo.buftype == 'terminal'
return {
  window = api.nvim_get_current_win(),
  alternate_window = fn.winnr('#'),
  tabpage = api.nvim_get_current_tabpage(),
  mode = fn.mode(1),
  buffer = buffer,
  alternate = fn.bufnr('#'),
  text = terminal or fn.getline('.'),
  column = { view.col, view.coladd, view.curswant, view.leftcol },
  row = fn.winline(),
  top = fn.getline('w0'),
  jumps = { places(jumps[1]), jumps[2] },
  marks = marks(fn.getmarklist(buffer)),
  global_marks = marks(fn.getmarklist()),
  registers = registers(),
  recording = fn.reg_recording(),
  search = { fn.getreg('/'), vim.v.searchforward, vim.v.hlsearch },
  quickfix = list(fn.getqflist),
  locations = list(function(what)
    return fn.getloclist(0, what)
  end),
  messages = vim.tbl_filter(is_unasked, vim.split(fn.execute('messages'), '\n')),
  error = vim.v.errmsg,
  command_line = { fn.getcmdtype(), fn.getcmdline(), fn.getcmdpos() },
  completion = { fn.pumvisible(), fn.complete_info({ 'mode', 'selected' }) },
  windows = (windows()),
  shown = select(2, windows()),
  tags = fn.gettagstack(),
  folder = fn.getcwd(),
  listed = vim.tbl_map(function(it)
    return it.name
  end, fn.getbufinfo({ buflisted = 1 })),
  options = options(),
  history = vim.tbl_map(fn.histnr, { 'cmd', 'search', 'expr', 'input' }),
}
