-- The highlight groups, each a link that a user or a colour scheme may override.

local events = require('acp.ui.events')

local api = vim.api

local M = {}

-- Our groups, without their `Acp`, by what each is by itself.
local LINKS = {
  Title = 'Heading1 Heading2 Heading3 Heading4 Heading5 Heading6 TableHead UserBar Plan WinbarAgent',
  ['@markup.strong'] = 'Bold BoldItalic',
  ['@markup.italic'] = 'Italic',
  ['@markup.strikethrough'] = 'Strike',
  String = 'Code SyntaxString',
  Underlined = 'Link Url',
  Comment = 'Quote AnsiBlack SyntaxComment Thought Dim PlanDone WinbarUsage',
  Special = 'ListMarker CheckboxOpen DiffHunk WinbarMode',
  DiagnosticOk = 'CheckboxDone ToolDone Allow',
  NonText = 'Rule Fence TableBorder ToolPending ToolCancelled ToolBar',
  NormalFloat = 'CodeBlock Float',
  Removed = 'AnsiRed Removed',
  Added = 'AnsiGreen Added',
  DiagnosticWarn = 'AnsiYellow Effect FormHost ReviewConflict WinbarAsk',
  Directory = 'AnsiBlue DiffFile Mention ToolPath',
  Statement = 'AnsiMagenta',
  DiagnosticInfo = 'AnsiCyan ToolRunning PlanActive AgentSign Note ReviewSign WinbarState WinbarPlan',
  Keyword = 'SyntaxKeyword',
  Number = 'SyntaxNumber',
  Function = 'SyntaxFunction ToolTitle FormLabel',
  Type = 'SyntaxType',
  Operator = 'SyntaxOperator',
  Constant = 'SyntaxConstant',
  PreProc = 'SyntaxPreproc',
  Identifier = 'SyntaxIdentifier Neutral WinbarModel',
  DiffAdd = 'DiffAdd ReviewAdd',
  DiffDelete = 'DiffDelete ReviewDelete',
  DiffText = 'DiffText ReviewText',
  CursorLine = 'User Selected AgentLine',
  DiagnosticError = 'ToolFailed Reject Error',
  Normal = 'PlanPending',
  FloatBorder = 'FloatBorder',
  FloatTitle = 'FloatTitle',
  FloatFooter = 'FloatFooter',
  DiagnosticHint = 'Comment',
  WinBar = 'Winbar',
  MsgArea = 'Notice',
  WarningMsg = 'Warning',
}

---@type table<string, string> groups, and what each is linked to
M.links = {}
for target, names in pairs(LINKS) do
  for name in names:gmatch('%S+') do
    M.links['Acp' .. name] = target
  end
end

--- What stands in for a group that cannot be told from other text, in a terminal of few colours.
local INSTEAD = {
  DiagnosticOk = { 'Added', 'String' },
  DiagnosticInfo = { 'Directory', 'Identifier' },
  DiagnosticHint = { 'Directory', 'Identifier' },
  DiagnosticWarn = { 'WarningMsg', 'Special' },
  DiagnosticError = { 'ErrorMsg', 'Removed' },
  Comment = { 'LineNr', 'NonText' },
}
local LEAST = 4.5 -- contrast of text, as WCAG 2 wants it, from 1 (the same) to 21
local STEPS = 20 -- from a colour to black or white

---@param channel integer 0 to 255
local function linear(channel)
  local share = channel / 255
  return share <= 0.04045 and share / 12.92 or ((share + 0.055) / 1.055) ^ 2.4
end

---@param colour integer 0xRRGGBB
local function channels(colour)
  return { bit.rshift(colour, 16), bit.band(bit.rshift(colour, 8), 255), bit.band(colour, 255) }
end

---@param colour integer
---@return number relative luminance, as WCAG 2 has it
local function luminance(colour)
  local red, green, blue = unpack(channels(colour))
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
end

---@param fore integer
---@param backs integer[]
---@return number the least contrast
local function contrast(fore, backs)
  local least = 21
  for _, back in ipairs(backs) do
    local first, second = luminance(fore) + 0.05, luminance(back) + 0.05
    least = math.min(least, math.max(first, second) / math.min(first, second))
  end
  return least
end

---@param colour integer
---@param pole 0|255 towards black, or towards white
---@param share number 0 to 1
local function mixed(colour, pole, share)
  local sum = 0
  for _, channel in ipairs(channels(colour)) do
    sum = sum * 256 + math.floor(channel + (pole - channel) * share + 0.5)
  end
  return sum
end

--- The same colour, only as much darker or lighter as makes it legible on all of these.
---@param fore integer
---@param backs integer[]
local function legible(fore, backs)
  local best, most = fore, contrast(fore, backs)
  for step = 1, STEPS do
    for _, pole in ipairs({ 0, 255 }) do
      if most >= LEAST then
        return best
      end
      local tried = mixed(fore, pole, step / STEPS)
      local reached = contrast(tried, backs)
      if reached > most then
        best, most = tried, reached
      end
    end
  end
  return best
end

local function look(name)
  return api.nvim_get_hl(0, { name = name, link = false })
end

---@return integer background
---@return integer text
local function normal()
  local found, is_dark = look('Normal'), vim.o.background == 'dark'
  return found.bg or (is_dark and 0 or 0xffffff), found.fg or (is_dark and 0xffffff or 0)
end

--- Whether the same text can stand in windows and in floats; in some schemes they are opposites.
local function is_float_alike()
  local _, text = normal()
  local back = look('NormalFloat').bg
  return not back or contrast(text, { back }) >= LEAST
end

--- The backgrounds that text of ours in a group may stand on.
local function backgrounds(name)
  local found = { (normal()) }
  if is_float_alike() then
    table.insert(found, look('NormalFloat').bg)
  end
  if vim.startswith(name, 'AcpWinbar') then
    table.insert(found, look('WinBar').bg)
  end
  return found
end

---@return boolean whether it looks like anything in a terminal of few colours
local function is_plain_to_see(name)
  local found = look(name)
  return found.ctermfg ~= nil or found.ctermbg ~= nil or not vim.tbl_isempty(found.cterm or {})
end

---@param target string
local function look_of_few(target)
  local others = INSTEAD[target]
  if not others or is_plain_to_see(target) then
    return { link = target }
  end
  local other = vim.iter(others):find(is_plain_to_see)
  if other then
    return { link = other }
  end
  return target == 'Comment' and { cterm = { italic = true } } or { link = 'Normal' }
end

--- A link to the group, or the same in a legible colour. What has a background of its own, or is only
--- a background, is as the colour scheme has it.
---@param name string of ours
---@param target string
local function look_of(name, target)
  if not vim.o.termguicolors and #api.nvim_list_uis() > 0 then
    return look_of_few(target)
  end
  if target == 'NormalFloat' and not is_float_alike() then
    return { link = 'Normal' }
  end
  local found = look(target)
  if not found.fg or found.reverse then
    return { link = target }
  end
  local backs = found.bg and { found.bg } or backgrounds(name)
  local fore = legible(found.fg, backs)
  if fore == found.fg then
    return { link = target }
  end
  return vim.tbl_extend('force', found, { fg = fore }) --[[@as vim.api.keyset.highlight]]
end

---@return vim.api.keyset.get_hl_info as it was set, by whomever
local function definition(name)
  local found = api.nvim_get_hl(0, { name = name })
  found.default = nil
  return found
end

---@type table<string, vim.api.keyset.get_hl_info> what was made, which may be made anew
local made = {}

local function apply()
  for name, target in pairs(M.links) do
    local now = definition(name)
    local is_ours = now.link == target or vim.deep_equal(now, made[name])
    made[name] = nil
    if is_ours or vim.tbl_isempty(now) then
      local wanted = vim.tbl_extend('force', look_of(name, target), { default = not is_ours })
      api.nvim_set_hl(0, name, wanted)
      made[name] = definition(name)
    end
  end
end

local defined = false

--- Define the groups now and after each change of the colours. Only the first call works.
function M.define()
  if defined then
    return
  end
  defined = true
  apply()
  local on = events.group('acp.highlights')
  on('ColorScheme', 'Colours of acp.nvim', apply)
  on('OptionSet', 'Colours of acp.nvim', apply, { pattern = 'termguicolors' })
end

return M
