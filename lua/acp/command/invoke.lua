-- Only the editor reads a command line, completes it at once, and opens windows before there is a host.
--
-- Runs `:Acp …`: finds the sub-command, and says what it does not take.

local commands = require('acp.command.subcommands')
local notice = require('acp.ui.notice')

local M = {}

---@param word? string
---@return string? problem
local function wrong_word(sub, word)
  local words, allowed = sub.words or {}, vim.list_extend({ sub.number }, sub.words or {})
  table.insert(allowed, sub.named)
  local is_number = word and sub.number and word:match('^[1-9]%d*$')
  if not word or #allowed == 0 or is_number or vim.list_contains(words, word) then
    return nil
  elseif sub.named and require('acp.chat.registry').has_sub_agent(word) then
    return nil
  end
  local last = table.remove(allowed)
  local listed = #allowed > 0 and ('%s or %s'):format(table.concat(allowed, ', '), last) or last
  return (':Acp %s takes %s, not %s'):format(sub.name, listed, word)
end

--- The word that was probably meant.
---@return string? the one that is most like it, the first of several; nil: none is like it
local function nearest(word, words)
  local best, least = nil, math.max(1, math.floor(#word / 2)) + 1
  local function letters(text)
    return (text:gsub('.', '%0\n'))
  end
  for _, each in ipairs(words) do
    local edits = 0
    for _, hunk in ipairs(vim.diff(letters(word), letters(each), { result_type = 'indices' })) do
      edits = edits + math.max(hunk[2], hunk[4])
    end
    if edits < least then
      best, least = each, edits
    end
  end
  return best
end

---@param name string? the sub-command of a shorthand
---@param invoked vim.api.keyset.create_user_command.command_args
local function run(name, invoked)
  local text, bang = invoked.args, invoked.bang
  if not name then
    local head, rest = text:match('^%s*(%S+)%s?(.*)$')
    if not head then
      return notice.notice('which sub-command? :Acp <Tab> lists them, :help acp explains them')
    end
    bang = bang or vim.endswith(head, '!')
    name, text = head:gsub('!$', ''), rest
  end
  local sub = commands.find(name)
  if not sub then
    local names = vim.tbl_map(function(it)
      return it.name
    end, commands.list)
    local near = nearest(name, names)
    local help = near and ('did you mean :Acp %s?'):format(near) or ':Acp <Tab> lists them'
    return notice.warn(('no sub-command %s: %s'):format(name, help))
  end
  local word = text:match('^%s*(%S+)')
  local not_taken = invoked.range > 0 and not sub.range and 'range'
    or bang and not sub.bang and '!'
    or word and not sub.args and 'argument'
  local problem = not_taken and (':Acp %s takes no %s'):format(name, not_taken)
    or wrong_word(sub, word)
  if problem then
    return notice.warn(problem)
  end
  local range = invoked.range > 0 and { invoked.line1, invoked.line2 } or nil
  sub.run({
    text = text,
    trimmed = vim.trim(text),
    word = word,
    number = word and tonumber(word),
    bang = bang,
    range = range,
    mods = invoked.smods,
  })
end

--- Run `:Acp`, or a shorthand of it.
---@param name string? the sub-command of a shorthand
---@param invoked vim.api.keyset.create_user_command.command_args
function M.run(name, invoked)
  local word = name or invoked.args:match('^%s*(%S+)') or ''
  notice.attempt(':Acp ' .. word, run, name, invoked)
end

--- Do what a <Plug> stands for.
---@param module 'session'|'motion'
---@param name string of its function
---@param argument any
function M.key(module, name, argument)
  local found = module == 'motion' and 'acp.review.motion' or 'acp.command.session'
  notice.attempt((name:gsub('_', ' ')), function()
    require(found)[name](argument)
  end)
end

return M
