-- The one window of the questions: what it shows, and where. Those who draw it, map its keys and open it
-- share this.

---@alias acp.Ask table see doc/messages.md, and `view/question/menu.py`

---@class acp.Menu the one window of the questions
---@field ask? acp.Ask what it shows; nil while nothing waits
---@field bufnr integer for all questions, made for the first one
---@field winid integer 0 while it could not be opened
---@field fit? acp.Fit its forms
---@field told? acp.Look the screen that the host was told of last
---@field op? acp.Op what is in it now
---@field items integer[] by row what <CR> acts on, -1 for nothing
---@field detail? integer window of the details
---@field back? integer window to go back to
---@field file? integer number of the file that is shown side by side, from 0
---@field compared? string digest of the question for which it is shown
---@field folded? string id of the question that the user has folded
---@field mapped? string buffer and kind of question that have their keys, and whether the user wants these
---@field wish? table all of it was asked for, and has not come
---@field is_going? boolean another question was asked for, and has not come
---@field config? vim.api.keyset.win_config where it is now, nil: in no float, or hidden
---@field is_entering? boolean the user goes there: that it makes way for that is no move
---@field settle fun() puts it where it belongs
---@field fold fun() makes it one row, and goes back; it stays pending

---@type acp.Menu
return { bufnr = -1, winid = 0, items = {}, settle = function() end, fold = function() end }
