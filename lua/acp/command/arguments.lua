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
    return notice.warn(('%s is no number: :Acp permit 2 takes the second option'):format(text))
  end
  require('acp.command.session').permit({ number = tonumber(text or 0) })
end

--- Show what the agents have changed: in all turns or in one; or show it no longer.
---@param text? string
function M.review(text)
  if text and text ~= 'off' and not is_number(text) then
    return notice.warn((':Acp review takes the number of a turn or off, not %s'):format(text))
  end
  require('acp.review.decide').review(tonumber(text), text == 'off')
end

--- Keep or reject: what is under the cursor, lines, a file or all.
---@param verdict acp.Verdict
---@param scope? 'file'|'all'
---@param range? { [1]: integer, [2]: integer }
function M.decide(verdict, scope, range)
  local decide = require('acp.review.decide')
  local is_whole = range and range[1] <= 1 and range[2] == vim.api.nvim_buf_line_count(0)
  if scope or is_whole then
    decide.decide(verdict, scope or 'file')
  elseif range then
    decide.decide(verdict, 'lines', range)
  else
    decide.decide_hunk(verdict)
  end
end

--- Take back a turn, the last one without a number.
---@param text? string
function M.undo(text)
  if text and not is_number(text) then
    return notice.warn(('%s is no number: :Acp undo 2 takes back turn 2'):format(text))
  end
  require('acp.review.decide').rewind('undo', tonumber(text))
end

return M
