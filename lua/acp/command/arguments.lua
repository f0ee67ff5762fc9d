-- Sub-commands whose arguments mean several things, or can be wrong.

local notice = require('acp.ui.notice')

local M = {}

---@param text? string
---@return boolean
local function is_number(text)
  return text ~= nil and text:match('^[1-9]%d*$') ~= nil
end

--- Focus the oldest question, or answer it by the number of an option.
---@param text? string
function M.permit(text)
  if text and not is_number(text) then
    return notice.warn(('%s is not a number: :Acp permit 2 takes the second option'):format(text))
  end
  require('acp.command.session').permit({ number = tonumber(text or 0) })
end

--- Whether a word is the name of a sub-agent; without a session the host knows those of earlier days.
---@param word string
---@return boolean
local function is_sub_agent(word)
  local chats = require('acp.chat.registry')
  local known = vim.iter(chats.status().sub_agents or {}):any(function(it)
    return it.name == word
  end)
  return known or not chats.current() and word:match('^%w') ~= nil
end

--- The number of a turn and the name of a sub-agent, each of which may be missing.
---@param text string
---@param says string what the command takes
---@return { turn?: integer, by?: string }? part nil if it is something else, which was said
local function part(text, says)
  local words = vim.split(vim.trim(text), '%s+', { trimempty = true })
  local turn = is_number(words[1]) and tonumber(table.remove(words, 1)) or nil
  if #words > 1 or (words[1] and not is_sub_agent(words[1])) then
    return notice.warn(('%s, not %s'):format(says, vim.trim(text)))
  end
  return { turn = turn, by = words[1] }
end

--- Show what the agents have changed: in all turns or in one; or show it no longer.
---@param text string
function M.review(text)
  local is_off = vim.trim(text) == 'off'
  local says = ":Acp review takes the number of a turn, a sub-agent's name or off"
  local wanted = is_off and {} or part(text, says)
  if wanted then
    require('acp.review.decide').review(wanted, is_off)
  end
end

--- Show all changes of the session in one buffer, or those of one turn.
---@param text string
function M.diff(text)
  local wanted = part(text, ":Acp diff takes the number of a turn or a sub-agent's name")
  if wanted then
    require('acp.review.overview').open(wanted)
  end
end

--- Keep or reject: what is under the cursor, lines, a file, all, or what a sub-agent has done.
---@param verdict acp.Verdict
---@param scope? 'file'|'all'|string
---@param range? { [1]: integer, [2]: integer }
---@param because? string why, for the agent
function M.decide(verdict, scope, range, because)
  local decide = require('acp.review.decide')
  if scope and scope ~= 'file' and scope ~= 'all' then
    if not is_sub_agent(scope) then
      local says = ":Acp %s takes file, all or a sub-agent's name, not %s"
      return notice.warn(says:format(verdict, scope))
    end
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
---@param text string
---@param range? { [1]: integer, [2]: integer }
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
---@param instruction string
---@param range? { [1]: integer, [2]: integer }
function M.edit(instruction, range)
  if instruction == '' then
    return notice.warn("say what to do: :'<,'>Acp edit make this a generator")
  end
  local line = vim.api.nvim_win_get_cursor(0)[1]
  require('acp.command.session').edit(range or { line, line }, instruction)
end

--- Comment on lines, by default on that of the cursor; without a text write it in a small window.
---@param text string
---@param range? { [1]: integer, [2]: integer }
---@param is_away boolean take back what was said there
function M.comment(text, range, is_away)
  if is_away and text ~= '' then
    return notice.warn(':Acp comment! removes comments: give it no text')
  end
  local line = vim.api.nvim_win_get_cursor(0)[1]
  local comments = require('acp.review.comments')
  if text == '' and not is_away then
    return comments.write(range or { line, line })
  end
  comments.comment(range or { line, line }, text)
end

--- Take back a turn, the last one without a number, or what a sub-agent has done in it.
---@param text string
function M.undo(text)
  local wanted = part(text, ":Acp undo takes the number of a turn or a sub-agent's name")
  if wanted then
    require('acp.review.decide').rewind('undo', wanted)
  end
end

return M
