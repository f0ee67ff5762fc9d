-- The names of sub-agents that commands take.

local chats = require('acp.chat.registry')

local M = {}

--- Whether a word is the name of one; without a session the host knows those of earlier days.
---@param word string
---@return boolean
function M.has(word)
  local known = vim.iter(chats.status().sub_agents or {}):any(function(it)
    return it.name == word
  end)
  return known or not chats.current() and word:match('^%w') ~= nil
end

return M
