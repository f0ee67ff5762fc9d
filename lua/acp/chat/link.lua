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
  if vim.startswith(target, 'file://') then
    target = target:gsub('^file://[^/]*', '')
  end
  return target:find('%%%x%x') and vim.uri_decode(target) or target
end

--- The file that is named under the cursor, by a link or in the text, and its line if that is said.
---@return string name '' for none
---@return integer? line 1-based
function M.file()
  local target = M.target()
  if target and not target:find('^https?:') then
    return split_line(as_path(target))
  end
  local column = api.nvim_win_get_cursor(0)[2] + 1
  local line = api.nvim_get_current_line()
  for _, pattern in ipairs({
    '()([^%s`"\'<>()%[%]]+:%d[%d:%-]*)()',
    '()([^%s`"\'<>()%[%]]+#L%d[%d%-L]*)()',
    '()([^%s`"\'<>()%[%]]+%(%d[%d,]*%))()',
  }) do
    local found = under(line, pattern, column)
    if found then
      return split_line(found)
    end
  end
  local path, number = line:match('File "([^"]+)", line (%d+)')
  if path then
    return path, tonumber(number)
  end
  return vim.fn.expand('<cfile>')
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
