-- The highlight groups, each a link that a user or a colour scheme may override.

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
  AcpPlanActive = 'DiagnosticInfo',
  AcpPlanDone = 'Comment',

  AcpAllow = 'DiagnosticOk',
  AcpReject = 'DiagnosticError',
  AcpNeutral = 'Normal',
  AcpSelected = 'CursorLine',
  AcpFormLabel = 'Function',
  AcpFormHost = 'DiagnosticWarn',
  AcpFloat = 'NormalFloat',
  AcpFloatBorder = 'FloatBorder',
  AcpFloatTitle = 'FloatTitle',

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

local function apply()
  for name, target in pairs(M.links) do
    vim.api.nvim_set_hl(0, name, { link = target, default = true })
  end
end

local defined = false

--- Define the groups now and after each change of the colour scheme. Only the first call works.
function M.define()
  if defined then
    return
  end
  defined = true
  apply()
  local group = vim.api.nvim_create_augroup('acp.highlights', {})
  vim.api.nvim_create_autocmd('ColorScheme', { group = group, callback = apply })
end

return M
