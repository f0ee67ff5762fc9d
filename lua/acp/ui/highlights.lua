-- The highlight groups, each a link that a user or a colour scheme may override.

local api = vim.api

local M = {}

M.links = {
  AcpHeading1 = 'Title',
  AcpHeading2 = 'Title',
  AcpHeading3 = 'Title',
  AcpHeading4 = 'Title',
  AcpHeading5 = 'Title',
  AcpHeading6 = 'Title',
  AcpBold = '@markup.strong',
  AcpItalic = '@markup.italic',
  AcpBoldItalic = '@markup.strong',
  AcpStrike = '@markup.strikethrough',
  AcpCode = 'String',
  AcpLink = 'Underlined',
  AcpUrl = 'Underlined',
  AcpQuote = 'Comment',
  AcpListMarker = 'Special',
  AcpCheckboxDone = 'DiagnosticOk',
  AcpCheckboxOpen = 'Special',
  AcpRule = 'NonText',
  AcpFence = 'NonText',
  AcpCodeBlock = 'NormalFloat',
  AcpTableBorder = 'NonText',
  AcpTableHead = 'Title',

  AcpAnsiBlack = 'Comment',
  AcpAnsiRed = 'Removed',
  AcpAnsiGreen = 'Added',
  AcpAnsiYellow = 'DiagnosticWarn',
  AcpAnsiBlue = 'Directory',
  AcpAnsiMagenta = 'Statement',
  AcpAnsiCyan = 'DiagnosticInfo',

  AcpSyntaxKeyword = 'Keyword',
  AcpSyntaxString = 'String',
  AcpSyntaxComment = 'Comment',
  AcpSyntaxNumber = 'Number',
  AcpSyntaxFunction = 'Function',
  AcpSyntaxType = 'Type',
  AcpSyntaxOperator = 'Operator',
  AcpSyntaxConstant = 'Constant',
  AcpSyntaxPreproc = 'PreProc',
  AcpSyntaxIdentifier = 'Identifier',

  AcpAdded = 'Added',
  AcpRemoved = 'Removed',
  AcpDiffAdd = 'DiffAdd',
  AcpDiffDelete = 'DiffDelete',
  AcpDiffText = 'DiffText',
  AcpDiffHunk = 'Special',
  AcpDiffFile = 'Directory',

  AcpUser = 'CursorLine',
  AcpUserBar = 'Title',
  AcpMention = 'Directory',
  AcpThought = 'Comment',
  AcpDim = 'Comment',
  AcpToolPending = 'NonText',
  AcpToolRunning = 'DiagnosticInfo',
  AcpToolDone = 'DiagnosticOk',
  AcpToolFailed = 'DiagnosticError',
  AcpToolCancelled = 'NonText',
  AcpToolTitle = 'Function',
  AcpToolPath = 'Directory',
  AcpToolBar = 'NonText',
  AcpPlan = 'Title',
  AcpPlanPending = 'Normal',
  AcpPlanActive = 'DiagnosticInfo',
  AcpPlanDone = 'Comment',

  AcpAllow = 'DiagnosticOk',
  AcpReject = 'DiagnosticError',
  AcpNeutral = 'Identifier',
  AcpEffect = 'DiagnosticWarn',
  AcpSelected = 'CursorLine',
  AcpFormLabel = 'Function',
  AcpFormHost = 'DiagnosticWarn',
  AcpFloat = 'NormalFloat',
  AcpFloatBorder = 'FloatBorder',
  AcpFloatTitle = 'FloatTitle',
  AcpFloatFooter = 'FloatFooter',

  AcpAgentSign = 'DiagnosticInfo',
  AcpAgentLine = 'CursorLine',
  AcpNote = 'DiagnosticInfo',

  AcpReviewAdd = 'DiffAdd',
  AcpReviewDelete = 'DiffDelete',
  AcpReviewText = 'DiffText',
  AcpReviewSign = 'DiagnosticInfo',
  AcpReviewConflict = 'DiagnosticWarn',
  AcpComment = 'DiagnosticHint',

  AcpWinbar = 'WinBar',
  AcpWinbarAgent = 'Title',
  AcpWinbarState = 'DiagnosticInfo',
  AcpWinbarPlan = 'DiagnosticInfo',
  AcpWinbarMode = 'Special',
  AcpWinbarModel = 'Identifier',
  AcpWinbarUsage = 'Comment',
  AcpWinbarAsk = 'DiagnosticWarn',

  AcpNotice = 'MsgArea',
  AcpWarning = 'WarningMsg',
  AcpError = 'DiagnosticError',
}

--- What stands in for a group that cannot be told from the background, or from other text.
local INSTEAD = {
  DiagnosticOk = { 'Added', 'String' },
  DiagnosticInfo = { 'Directory', 'Identifier' },
  DiagnosticHint = { 'Directory', 'Identifier' },
  DiagnosticWarn = { 'WarningMsg', 'Special' },
  DiagnosticError = { 'ErrorMsg', 'Removed' },
  Comment = { 'LineNr', 'NonText' },
}
local LEAST = 2.5 -- contrast, from 1 (the same) to 21

---@param channel integer 0 to 255
---@return number
local function linear(channel)
  local share = channel / 255
  return share <= 0.04045 and share / 12.92 or ((share + 0.055) / 1.055) ^ 2.4
end

---@param colour integer 0xRRGGBB
---@return number relative luminance, as WCAG 2 has it
local function luminance(colour)
  local red, green, blue = bit.rshift(colour, 16), bit.rshift(colour, 8), colour
  return 0.2126 * linear(bit.band(red, 255))
    + 0.7152 * linear(bit.band(green, 255))
    + 0.0722 * linear(bit.band(blue, 255))
end

--- Whether text in that group can be read; in a terminal of few colours, whether it looks like any.
---@param name string
---@return boolean
local function is_plain_to_see(name)
  local look = api.nvim_get_hl(0, { name = name, link = false })
  local normal = api.nvim_get_hl(0, { name = 'Normal', link = false })
  if not vim.o.termguicolors and #api.nvim_list_uis() > 0 then
    return look.ctermfg ~= nil or look.ctermbg ~= nil or not vim.tbl_isempty(look.cterm or {})
  end
  local dark = vim.o.background == 'dark'
  local back = look.bg or normal.bg or (dark and 0x000000 or 0xffffff)
  local fore = look.fg or normal.fg or (dark and 0xffffff or 0x000000)
  local first, second = luminance(fore) + 0.05, luminance(back) + 0.05
  return math.max(first, second) / math.min(first, second) >= LEAST
end

---@param target string
---@return vim.api.keyset.highlight
local function look_of(target)
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

---@type table<string, vim.api.keyset.highlight> what was made, which may be made anew
local made = {}

local function apply()
  local looks = {} ---@type table<string, vim.api.keyset.highlight>
  for name, target in pairs(M.links) do
    looks[target] = looks[target] or look_of(target)
    local now = api.nvim_get_hl(0, { name = name })
    now.default = nil
    local is_ours = made[name] ~= nil and vim.deep_equal(now, made[name])
    local wanted = vim.tbl_extend('error', looks[target], { default = not is_ours })
    api.nvim_set_hl(0, name, wanted)
    made[name] = looks[target]
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
  local group = api.nvim_create_augroup('acp.highlights', {})
  api.nvim_create_autocmd('ColorScheme', { group = group, callback = apply })
  local options = { group = group, pattern = 'termguicolors', callback = apply }
  api.nvim_create_autocmd('OptionSet', options)
end

return M
