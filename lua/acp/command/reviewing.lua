-- The sub-commands of the review; see acp.command.subcommands.

local function arguments()
  return require('acp.command.arguments')
end

---@type acp.SubCommand[]
return {
  {
    name = 'review',
    args = '[turn] [sub-agent]|off',
    desc = 'show what the agents have changed, hunk by hunk',
    complete = 'review',
    run = function(invoked)
      arguments().review(invoked.text)
    end,
  },
  {
    name = 'diff',
    args = '[turn] [sub-agent]',
    desc = 'show all changes of the session, or of a turn, in one buffer',
    complete = 'part',
    run = function(invoked)
      arguments().diff(invoked.text)
    end,
  },
  {
    name = 'keep',
    args = '[file|all|sub-agent]',
    desc = 'keep the hunk under the cursor, or those in the range',
    range = true,
    complete = 'keep',
    run = function(invoked)
      arguments().decide('keep', invoked.word, invoked.range)
    end,
  },
  {
    name = 'reject',
    args = '[file|all|sub-agent] [because {text}]',
    desc = 'reject the hunk under the cursor, or those in the range, and say why',
    range = true,
    complete = 'reject',
    run = function(invoked)
      arguments().reject(invoked.text, invoked.range)
    end,
  },
  {
    name = 'comment',
    args = '[text]',
    desc = 'put a note on these lines for the next prompt; ! removes it',
    bang = true,
    range = true,
    run = function(invoked)
      arguments().comment(vim.trim(invoked.text), invoked.range, invoked.bang)
    end,
  },
  {
    name = 'comments',
    desc = 'list your comments that no agent has read yet',
    run = function()
      require('acp.review.comments').list()
    end,
  },
  {
    name = 'edit',
    args = '{instruction}',
    desc = 'have these lines edited in place, without a chat',
    range = true,
    run = function(invoked)
      arguments().edit(vim.trim(invoked.text), invoked.range)
    end,
  },
  {
    name = 'undo',
    args = '[turn] [sub-agent]',
    desc = 'undo all that a turn has changed, or a sub-agent in it',
    complete = 'part',
    run = function(invoked)
      arguments().undo(invoked.text)
    end,
  },
  {
    name = 'redo',
    desc = 'redo what was undone last',
    run = function()
      require('acp.review.decide').rewind('redo')
    end,
  },
  {
    name = 'why',
    desc = 'show who wrote the line under the cursor, and what for',
    run = function()
      require('acp.review.why').show()
    end,
  },
}
