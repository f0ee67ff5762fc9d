-- A language server in Neovim itself, whose answers a test decides: `_G.scripted` has them by method.
-- A function is called with the params; 'never' answers nothing, 'die' ends the server.

_G.scripted = { answers = {}, asked = {}, notified = {}, cancelled = 0 }

local capabilities = {
  callHierarchyProvider = true,
  codeActionProvider = { resolveProvider = true },
  definitionProvider = true,
  documentFormattingProvider = true,
  hoverProvider = true,
  referencesProvider = true,
  renameProvider = true,
  textDocumentSync = 1,
}

local function serve(dispatchers)
  local is_closing = false
  local function stop()
    if not is_closing then
      is_closing = true
      dispatchers.on_exit(0, 0) -- of others Neovim itself tells the user
    end
  end
  local number = 0
  return {
    request = function(method, params, callback)
      number = number + 1
      local answer = scripted.answers[method]
      table.insert(scripted.asked, method)
      if method == 'initialize' then
        callback(nil, { capabilities = capabilities })
      elseif answer == 'die' then
        vim.schedule(stop)
      elseif answer == nil then
        callback({ code = -32603, message = 'nothing is scripted for ' .. method }, nil)
      elseif answer ~= 'never' then
        callback(nil, type(answer) == 'function' and answer(params) or answer)
      end
      return true, number
    end,
    notify = function(method, params)
      table.insert(scripted.notified, { method, params })
      if method == '$/cancelRequest' then
        scripted.cancelled = scripted.cancelled + 1
      end
      return true
    end,
    is_closing = function()
      return is_closing
    end,
    terminate = stop,
  }
end

vim.filetype.add({ extension = { txt = 'text' } })
vim.cmd('filetype on')
vim.api.nvim_create_autocmd('FileType', {
  pattern = 'text',
  callback = function(event)
    local flags = { debounce_text_changes = scripted.debounce }
    local config = { name = 'scripted', cmd = serve, root_dir = vim.fn.getcwd(), flags = flags }
    vim.lsp.start(config, { bufnr = event.buf })
  end,
})
