-- Pickers that the host asks for, as the direct result of a user's command: `vim.ui.select`.

local M = {}

--- Let the user pick a row; the host is told by the verb `chosen`, without `index` for nothing. A
--- user who has begun to type meanwhile is not interrupted: the next key would choose.
---@param call integer the host's number of the question
---@param kind string
---@param labels string[]
function M.select(call, title, kind, labels)
  local function chosen(_, index)
    require('acp.host.bridge').tell_running('chosen', { call = call, index = index and index - 1 })
  end
  vim.schedule(function()
    if require('acp.files.hands').are_off() then
      vim.cmd.redraw() -- what was drawn last is not on the screen yet, and Neovim's own picker waits
      return require('acp.files.hands').while_asked(function()
        vim.ui.select(labels, { prompt = title, kind = kind }, chosen)
      end)
    end
    require('acp.ui.notice').notice('not asked while you type, give the command again: ' .. title)
    chosen()
  end)
end

return M
