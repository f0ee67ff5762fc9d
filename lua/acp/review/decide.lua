-- Keeping and rejecting what an agent has changed: by command, by operator, and what the host says
-- became of it. The host decides and edits.

local bridge = require('acp.host.bridge')
local hands = require('acp.files.hands')
local hunks = require('acp.review.hunks')
local listed = require('acp.review.listed')
local notice = require('acp.ui.notice')
local places = require('acp.review.place')

local api = vim.api

local M = {}

-- What the host would say; but where nothing is marked it need not be asked.
local NONE = 'no hunk here: %s; :Acp %s file, :Acp %s all'

---@alias acp.Verdict 'keep'|'reject'
---@alias acp.Scope 'lines'|'file'|'all'
---@alias acp.Decision table the payload of `decide`: see doc/messages.md

--- Where the rejected lines were is where to go on: else the cursor would stay at a number.
---@param first integer? where its lines began at last
---@param origin { window: integer, buffer: integer }
local function settle_cursor(decision, first, origin)
  local window = api.nvim_get_current_win()
  local is_here = window == origin.window and api.nvim_get_current_buf() == origin.buffer
  if not first or decision.verdict ~= 'reject' or not is_here then
    return
  end
  local line, last = api.nvim_win_get_cursor(window)[1], first + decision.last - decision.first
  if hands.are_off() and line > first and line <= last then
    api.nvim_win_set_cursor(window, { math.min(first, api.nvim_buf_line_count(0)), 0 })
  end
end

local function ask(decision)
  local origin = { window = api.nvim_get_current_win(), buffer = api.nvim_get_current_buf() }
  local place = decision.first and places.hold(decision.first, decision.last)
  if place then
    decision.buffer, decision.mark = place.buffer, place.mark
  end
  bridge.call('decide', decision, function(err, outcome)
    local first = place and places.let_go(place)
    if err then
      return notice.warn(err)
    end
    settle_cursor(decision, first, origin)
    notice.notice(outcome)
  end)
end

--- Show what the agents have changed, or show it no longer.
---@param part { turn?: integer, by?: string } of the current session; {}: all of them
function M.review(part, is_off)
  local chat = require('acp.chat.window').current()
  if next(part) and not chat then
    return notice.warn(require('acp.command.agent').NO_SESSION)
  end
  bridge.notify('review', {
    chat = chat,
    turn = part.turn,
    by = part.by,
    off = is_off or nil,
    path = places.file_here(),
    line = api.nvim_win_get_cursor(0)[1],
  })
end

--- Take back a turn, or return what was taken back. What an agent has done in earlier days can be
--- taken back as well, so a session is not needed.
---@param verb 'undo'|'redo'
---@param part? { turn?: integer, by?: string }
function M.rewind(verb, part)
  local chat = require('acp.chat.window').current()
  local payload = { chat = chat, path = places.file_here() }
  bridge.notify(verb, vim.tbl_extend('error', payload, part or {}))
end

--- Decide on all that a sub-agent has done.
---@param because? string
function M.decide_by(verdict, name, because)
  local chat = require('acp.chat.window').current()
  ask({ verdict = verdict, scope = 'all', by = name, chat = chat, because = because })
end

--- Decide on all files, on the file of the current buffer, or on lines of it.
---@param more? { hunk?: boolean, because?: string }
function M.decide(verdict, scope, range, more)
  local list = listed.here()
  if list and (scope ~= 'all' or list ~= listed) then
    return list.decide(verdict, scope, range, (more or {}).because)
  end
  local decision = vim.tbl_extend('error', { verdict = verdict, scope = scope }, more or {})
  decision.path = places.file_here()
  if scope == 'all' then
    local chat = require('acp.chat.registry').of(api.nvim_get_current_buf())
    decision.chat = chat and chat.chat
  elseif not decision.path then
    local text = 'this buffer is not a file: :Acp keep all and :Acp reject all work from anywhere'
    return notice.notice(text)
  end
  if range then
    decision.first, decision.last = range[1], range[2]
  end
  ask(decision)
end

--- Decide on the hunk under the cursor.
---@param because? string
function M.decide_hunk(verdict, because)
  local list = listed.here()
  if list then
    return list.decide(verdict, 'hunk', nil, because)
  end
  local hunk = hunks.here()
  if not hunk then
    local has_keys = require('acp.review.keys').are_lent(api.nvim_get_current_buf())
    local way = has_keys and ']h goes to the next' or ':Acp review shows them'
    return notice.notice(NONE:format(way, verdict, verdict))
  end
  local lines = { hunk.first + 1, hunk.last + 1 }
  M.decide(verdict, 'lines', lines, { hunk = true, because = because })
end

--- Whether the motion of our operator was a hunk.
local is_hunk_selected = false

local function decide_operand(verdict)
  local first, last = vim.fn.line("'["), vim.fn.line("']")
  M.decide(verdict, 'lines', { first, last }, { hunk = is_hunk_selected or nil })
  is_hunk_selected = false
end

--- 'operatorfunc': keep the lines of the motion.
function M.keep()
  decide_operand('keep')
end

--- 'operatorfunc': reject the lines of the motion.
function M.reject()
  decide_operand('reject')
end

local function operator_name(verdict)
  return ("v:lua.require'acp.review.decide'.%s"):format(verdict)
end

--- Begin the operator.
---@return string keys
function M.operator(verdict)
  vim.o.operatorfunc = operator_name(verdict)
  return 'g@'
end

---@return boolean whether one of our operators waits for its motion
local function is_ours()
  local name = vim.o.operatorfunc
  local is_one = name == operator_name('keep') or name == operator_name('reject')
  return vim.v.operator == 'g@' and is_one
end

--- Operator-pending mode: the hunk under the cursor; without one, or where there are no lines to
--- operate on, the keys that end the operator.
---@return string keys
function M.operand()
  local hunk = hunks.here()
  if hunk and (is_ours() or not hunk.is_removal) then
    return "<Cmd>lua require('acp.review.decide').select()<CR>"
  end
  vim.schedule(function()
    notice.notice(hunk and 'only removed lines here' or 'no hunk here')
  end)
  return '<Esc>'
end

--- Select the hunk under the cursor, for an operator.
function M.select()
  local hunk = hunks.here()
  is_hunk_selected = hunk ~= nil and is_ours()
  if hunk then
    vim.cmd(('normal! %dGV%dG'):format(hunk.first + 1, hunk.last + 1))
  end
end

return M
