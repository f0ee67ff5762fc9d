-- Sub-commands of the review whose arguments mean several things, or can be wrong.

local chats = require('acp.chat.registry')
local notice = require('acp.ui.notice')

local M = {}

---@return { [1]: integer, [2]: integer } the line of the cursor, if there is none
local function lines(range)
  local line = vim.api.nvim_win_get_cursor(0)[1]
  return range or { line, line }
end

--- The number of a turn and the name of a sub-agent, each of which may be missing.
---@param does fun(part: { turn?: integer, by?: string })
function M.part(text, does)
  local first, rest = text:match('^%s*(%S*)%s*(.-)%s*$')
  local turn = tonumber(first)
  if rest:find('%s') or rest ~= '' and not (turn and chats.has_sub_agent(rest)) then
    return notice.warn(('%s is not a turn and a sub-agent of it'):format(vim.trim(text)))
  end
  does({
    turn = turn,
    by = turn and rest ~= '' and rest or not turn and first ~= '' and first or nil,
  })
end

--- Keep or reject: what is under the cursor, lines, a file, all, or what a sub-agent has done.
---@param scope? 'file'|'all'|string
---@param because? string why, for the agent
function M.decide(verdict, scope, range, because)
  local decide = require('acp.review.decide')
  if scope and scope ~= 'file' and scope ~= 'all' then
    return decide.decide_by(verdict, scope, because)
  end
  local is_file = vim.bo.buftype == '' and not vim.b.acp_diff -- in a list a row is a hunk
  local is_whole = range and range[1] <= 1 and range[2] == vim.api.nvim_buf_line_count(0)
  if scope or is_whole and is_file then
    decide.decide(verdict, scope or 'file', nil, { because = because })
  elseif range then
    decide.decide(verdict, 'lines', range, { because = because })
  else
    decide.decide_hunk(verdict, because)
  end
end

--- Reject, perhaps with a reason: `[file|all] [because {text}]`.
function M.reject(text, range)
  local scope, rest = text:match('^%s*(%S*)%s*(.-)%s*$')
  if scope == 'because' then
    scope, rest = '', vim.trim(text)
  end
  local because = rest:match('^because%s+(.*)$')
  if rest ~= '' and not because then
    local wrong = rest == 'because' and 'a reason after "because"' or '"because", then a reason'
    return notice.warn((':Acp reject takes %s'):format(wrong))
  end
  M.decide('reject', scope ~= '' and scope or nil, range, because)
end

--- Have lines edited, by default that of the cursor.
function M.edit(instruction, range)
  if instruction == '' then
    return notice.warn("say what to do: :'<,'>Acp edit make this a generator")
  end
  require('acp.command.session').edit(lines(range), instruction)
end

--- Comment on lines, by default on that of the cursor; without a text write it in a small window.
---@param is_away boolean take back what was said there
function M.comment(text, range, is_away)
  if is_away and text ~= '' then
    return notice.warn(':Acp comment! removes comments: give it no text')
  end
  local comments = require('acp.review.comments')
  if text == '' and not is_away then
    return comments.write(lines(range))
  end
  comments.comment(lines(range), text)
end

return M
