-- What stands under the cursor of a chat: a link, a file with its line, or only a word.

local api = vim.api

local M = {}

---@param text string
---@param pattern string with position captures before and after it, and one in the middle
---@param column integer 1-based byte
---@return string? the capture in the middle of the match under the column
local function under(text, pattern, column)
  for first, middle, last in text:gmatch(pattern) do
    if first <= column and column < last then
      return middle
    end
  end
end

---@param target string of a link
---@return string
local function bare(target)
  target = vim.trim((target:gsub('%s+["\'(].*$', '')))
  return (target:gsub('^<(.*)>$', '%1'))
end

--- The target of the Markdown link under the cursor, be it on its text or on its target.
---@return string?
---@return string? text of the link, where it is not its target
function M.target()
  local column = api.nvim_win_get_cursor(0)[2] + 1
  local line = api.nvim_get_current_line()
  local whole = under(line, '()(%b[]%b())()', column)
  if whole then
    local text, target = whole:match('^(%b[])(%b())$')
    return bare(target:sub(2, -2)), text:sub(2, -2)
  end
  local plain = under(line, '()<(%a[%w+.-]*:[^%s<>]*)>()', column)
    or under(line, '()([hH][tT][tT][pP][sS]?://[^%s<>"`]*[^%s<>"`.,;:!?)%]])()', column)
  -- the end of a link's text; a host may stand in brackets
  return plain and (plain:gsub('%][%[(].*$', ''))
end

---@param name string
---@return string name
---@return integer? line 1-based
local function split_line(name)
  local path, line = name:match('^(.-):(%d+)[:%d%-]*$')
  if not path then
    path, line = name:match('^(.-)#L(%d+)[%-L%d]*$')
  end
  if not path then
    path, line = name:match('^(.-)%((%d+)[,%d]*%)$')
  end
  return path or name, line and tonumber(line) or nil
end

---@param target string
---@return string
local function as_path(target)
  local rest = target:match('^[Ff][Ii][Ll][Ee]:(.*)$')
  if rest then
    target = rest:gsub('^//localhost/', '/'):gsub('^//', ''):gsub('%?[^#]*', '')
  end
  return target:find('%%%x%x') and vim.uri_decode(target) or target
end

-- What may stand around a file name: emphasis, code, quotes, brackets, the end of a sentence.
local AROUND = vim.split(
  '* ` " \' ( ) [ ] { } < > ~~ | “ ” „ ‘ ’ ‚ « » ‹ › 「 」 （ ） 【 】 《 》',
  ' '
)
local BEHIND = vim.split('. , ; : ! ? … 。 ， 、 ： ； ！ ？', ' ')

---@param name string
---@return string name without what stands around it
local function peeled(name)
  local before
  repeat
    before = name
    for _, sign in ipairs(AROUND) do
      name = vim.startswith(name, sign) and name:sub(#sign + 1) or name
    end
    for _, sign in ipairs(vim.list_extend({ unpack(BEHIND) }, AROUND)) do
      name = vim.endswith(name, sign) and name:sub(1, -#sign - 1) or name
    end
  until name == before
  return name
end

---@param name string
---@param cwd string
---@return boolean
local function is_file(name, cwd)
  local path = vim.startswith(name, '/') and name or vim.fs.joinpath(cwd, name)
  local stat = name ~= '' and vim.uv.fs_stat(path)
  return stat and stat.type == 'file' or false
end

--- The line that is told right behind a name, as in `a.py`:8 or "a.py", line 8.
---@param rest string
---@return integer?
local function line_behind(rest)
  local number = rest:match('^[*`"\'_~%)%]>]*:(%d+)') or rest:match('^[*`"\'_~%)%]>]*#L(%d+)')
  return tonumber(number or rest:match('^[*`"\'_~%)%]>]*,? %(?line (%d+)'))
end

--- What stands between white space around the cursor, if that is a file: its name may have any sign.
---@param text string
---@param column integer
---@param cwd string
---@return string? name
---@return integer? line
local function whole_word(text, column, cwd)
  local word = under(text, '()(%S+)()', column)
  local shown = word and peeled(word)
  for _, name in ipairs(word and { word, shown, (shown:gsub('^_+(.-)_+$', '%1')) } or {}) do
    if is_file(name, cwd) then
      local _, last = text:find(name, math.max(column - #word, 1), true)
      return name, line_behind(text:sub((last or #text) + 1))
    end
    local path, line = split_line(name)
    path = is_file(path, cwd) and path or peeled(path)
    path = is_file(path, cwd) and path or path:gsub('^_+', ''):gsub('_+$', '')
    if line and is_file(path, cwd) then
      return path, line
    end
  end
end

--- The file that is named under the cursor, by a link or in the text, and its line if that is said.
---@param cwd string where relative names begin
---@return string name '' for none
---@return integer? line 1-based
function M.file(cwd)
  local target = M.target()
  if target and not target:find('^https?:') then
    return split_line(as_path(target))
  end
  local column = api.nvim_win_get_cursor(0)[2] + 1
  local line = api.nvim_get_current_line()
  local word, at = whole_word(line, column, cwd)
  if word then
    return word, at
  end
  return M.named(line, column)
end

--- The file that is named in a text, whether or not it is there.
---@param line string
---@param column integer 1-based byte
---@return string name '' for none
---@return integer? line 1-based
function M.named(line, column)
  for _, pattern in ipairs({
    '()([^%s`"\'<>()%[%]]+:%d[%d:%-]*)()',
    '()([^%s`"\'<>()%[%]]+#L%d[%d%-L]*)()',
    '()([^%s`"\'<>()%[%]]+%(%d[%d,]*%))()',
  }) do
    local found = under(line, pattern, column)
    if found then
      local name, at = split_line(found)
      return peeled(name), at
    end
  end
  local path, number = line:match('File "([^"]+)", line (%d+)')
  if path then
    return path, tonumber(number)
  end
  local name = peeled(vim.fn.expand('<cfile>'))
  local _, last = line:find(name, math.max(column - #name, 1), true)
  return name, last and line_behind(line:sub(last + 1)) or nil
end

--- The web address under the cursor.
---@return string?
---@return string? text of its link
function M.address()
  local target, text = M.target()
  if target and target:lower():find('^https?://') then
    return target, text
  end
end

return M
