-- Pickers that the host asks for, as the direct result of a user's command: `vim.ui.select`.

local M = {}

--- Let the user pick a row; the host is told by the verb `chosen`, without `index` for nothing.
---@param call integer the host's number of the question
---@param title string
---@param kind string
---@param labels string[]
function M.select(call, title, kind, labels)
  vim.schedule(function()
    vim.ui.select(labels, { prompt = title, kind = kind }, function(_, index)
      require('acp.bridge').notify('chosen', { call = call, index = index and index - 1 })
    end)
  end)
end

return M
