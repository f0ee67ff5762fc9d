-- The user's hands, and a look at every buffer: one call a step. Loaded by world.py.
local M = { asked = {}, marks = {}, encodings = {}, number = 0 }

local api = vim.api
local space = api.nvim_create_namespace('proof')

local function file_buffers()
  return vim.tbl_filter(function(buffer)
    return api.nvim_buf_is_loaded(buffer)
      and vim.bo[buffer].buftype == ''
      and api.nvim_buf_get_name(buffer) ~= ''
  end, api.nvim_list_bufs())
end

--- A fresh editor: no buffers, no marks, and every question of Neovim's is counted.
function M.reset(undo)
  vim.cmd('silent! tabonly! | only! | enew! | silent! %bwipeout! | messages clear')
  vim.o.autoread, vim.o.hidden, vim.o.fixendofline = false, true, false
  vim.o.shortmess = vim.o.shortmess .. 'A'
  vim.o.undofile, vim.o.undodir = true, undo
  M.asked, M.marks, M.encodings = {}, {}, {}
  api.nvim_create_autocmd('FileChangedShell', {
    group = api.nvim_create_augroup('proof', {}),
    callback = function(event)
      table.insert(M.asked, { event.file, vim.v.fcs_reason })
      vim.v.fcs_choice = ''
    end,
  })
end

--- The user knows what the file is in.
function M.code(path, encoding)
  M.encodings[path] = encoding
end

local function edit(path, bang)
  local encoding = M.encodings[path]
  local option = encoding and '++enc=' .. encoding .. ' ' or ''
  vim.cmd('silent edit' .. bang .. ' ' .. option .. vim.fn.fnameescape(path))
end

--- Show a file as `:edit` does; an open one as it is.
function M.open(path)
  local buffer = vim.fn.bufnr('^' .. path .. '$')
  if buffer > 0 and api.nvim_buf_is_loaded(buffer) then
    api.nvim_win_set_buf(0, buffer)
  else
    edit(path, '')
  end
end

local function keys(text)
  api.nvim_feedkeys(api.nvim_replace_termcodes(text, true, false, true), 'ntx', false)
end

--- Act in that file; what Neovim refuses (nothing to undo) is no act. Returns its complaint.
function M.act(path, typed, command)
  M.open(path)
  vim.v.errmsg = ''
  if typed ~= '' then
    keys(typed)
  end
  local ok, err = true, nil
  if command == 'edit!' then
    ok, err = pcall(edit, path, '!')
  elseif command ~= '' then
    ok, err = pcall(vim.cmd, 'silent! keeppatterns ' .. command)
  end
  return ok and vim.v.errmsg or tostring(err)
end

--- Write as the user does; `answer` is what is typed should Neovim ask; `quiet`: "noautocmd ", or "".
function M.save(path, answer, quiet)
  M.open(path)
  keys((':%ssilent! write<CR>'):format(quiet) .. answer)
  return vim.bo.modified
end

--- Let the buffer go; without `force` only if nothing is lost. "wipe": with all that is known of it.
function M.close(path, force, how)
  local buffer = vim.fn.bufnr('^' .. path .. '$')
  if buffer > 0 and (force or not vim.bo[buffer].modified) then
    pcall(api.nvim_buf_delete, buffer, { force = force, unload = how ~= 'wipe' })
  end
  -- Neovim may load another in its place, and guesses what that is in.
  local shown = api.nvim_buf_get_name(0)
  if M.encodings[shown] and vim.bo.fileencoding ~= M.encodings[shown] then
    local reloads = vim.o.undoreload
    vim.o.undoreload = 0 -- by no `u` the guess comes back
    edit(shown, '!')
    vim.o.undoreload = reloads
  end
end

--- Wipe the buffer out and open its file anew, if nothing is lost. At which change the undo tree was
--- and is, or nil.
function M.reopen(path)
  local buffer = vim.fn.bufnr('^' .. path .. '$')
  if buffer < 1 or not api.nvim_buf_is_loaded(buffer) or vim.bo[buffer].modified then
    return nil
  end
  local was = vim.fn.undotree(buffer)
  M.close(path, false, 'wipe')
  M.open(path)
  -- a buffer that was unloaded has old numbers
  return #was.entries > 0 and { was.seq_cur, vim.fn.undotree().seq_cur } or nil
end

local function rows_of(lines)
  local rows = {}
  for row, line in ipairs(lines) do
    rows[line] = rows[line] == nil and row - 1 or false
  end
  return rows
end

local function place(buffer, lines)
  api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  local placed, rows = {}, rows_of(lines)
  for line, row in pairs(rows) do
    if row and line ~= '' then
      M.number = M.number + 1 -- a number that comes again may be taken for the mark that had it
      placed[api.nvim_buf_set_extmark(buffer, space, row, 0, { id = M.number })] = line
    end
  end
  local middle = math.floor((#lines + 1) / 2)
  api.nvim_buf_set_mark(buffer, 'a', middle, 0, {})
  local letter = lines[middle]
  M.marks[buffer] = { placed = placed, letter = rows[letter] and letter ~= '' and letter or nil }
end

local function moved(buffer, lines)
  local wrong, rows = {}, rows_of(lines)
  local marks = M.marks[buffer]
  if not marks then
    return wrong
  end
  for id, line in pairs(marks.placed) do
    local row = api.nvim_buf_get_extmark_by_id(buffer, space, id, {})[1]
    if rows[line] and rows[line] ~= row then
      table.insert(wrong, ('extmark of %q at row %s, not %s'):format(line, row, rows[line]))
    end
  end
  local row = api.nvim_buf_get_mark(buffer, 'a')[1] - 1
  if marks.letter and rows[marks.letter] and rows[marks.letter] ~= row then
    table.insert(
      wrong,
      ("'a of %q at row %s, not %s"):format(marks.letter, row, rows[marks.letter])
    )
  end
  return wrong
end

--- What every file buffer holds, and whether the marks of its lines are where they were put last.
function M.look()
  local found = {}
  for _, buffer in ipairs(file_buffers()) do
    local lines = api.nvim_buf_get_lines(buffer, 0, -1, true)
    local wrong = moved(buffer, lines)
    place(buffer, lines)
    found[#found + 1] = {
      path = api.nvim_buf_get_name(buffer),
      lines = lines,
      modified = vim.bo[buffer].modified,
      encoding = vim.bo[buffer].fileencoding,
      fileformat = vim.bo[buffer].fileformat,
      endofline = vim.bo[buffer].endofline,
      empty = #lines == 1
        and lines[1] == ''
        and api.nvim_buf_call(buffer, vim.fn.wordcount).bytes == 0,
      wrong = wrong,
    }
  end
  return found
end

local function numbers(entries, found)
  for _, entry in ipairs(entries) do
    found[#found + 1] = entry.seq
    numbers(entry.alt or {}, found)
  end
  return found
end

--- Go to each state of the undo tree and back again; why it is not whole, or nil.
local function complaint(buffer)
  local tree, lines = vim.fn.undotree(), api.nvim_buf_get_lines(buffer, 0, -1, true)
  local states = numbers(tree.entries, { 0 })
  if #states == 1 then
    return nil -- a buffer that was unloaded has old numbers
  end
  for _, state in ipairs(vim.list_extend(states, { 0, tree.seq_cur })) do
    local ok, err = pcall(vim.cmd, 'silent undo ' .. state)
    if not ok then
      return ('no way to state %d: %s'):format(state, err)
    end
  end
  local now = api.nvim_buf_get_lines(buffer, 0, -1, true)
  return not vim.deep_equal(now, lines)
      and ('was %s, is %s'):format(vim.inspect(lines), vim.inspect(now))
    or nil
end

--- Walk through the undo trees of all file buffers; the complaints about them, by path.
function M.walk()
  local found = vim.empty_dict()
  for _, buffer in ipairs(file_buffers()) do
    found[api.nvim_buf_get_name(buffer)] = api.nvim_buf_call(buffer, function()
      return complaint(buffer)
    end)
  end
  return found
end

--- What Neovim would ask the user about files that changed behind it.
function M.questions()
  M.asked = {}
  vim.cmd('silent! checktime')
  return M.asked
end

_G.hands = M
