-- Settings of other plugins that stand in our way, found in those that are loaded: for health.

local M = {}

local function has(list, word)
  return type(list) == 'table' and vim.list_contains(list, word)
end

--- Whether lualine draws a winbar in some window.
local function draws_winbar(config)
  local sections = vim.list_extend(
    vim.tbl_values(config.winbar or {}),
    vim.tbl_values(config.inactive_winbar or {})
  )
  return vim.iter(sections):any(next)
end

-- What each is required as, once it is set up; how what is in the way is found there; and what to do.
local neighbours = {
  {
    name = 'blink.cmp',
    module = 'blink.cmp.config',
    find = function(config)
      local own = config.sources.per_filetype.acp_prompt
      if not own and has(config.sources.default, 'path') then
        return 'its source "path" lists folders among the slash commands'
      end
    end,
    advice = "sources = { per_filetype = { acp_prompt = { 'lsp' } } }",
  },
  {
    name = 'lualine.nvim',
    module = 'lualine',
    find = function(lualine)
      local config = lualine.get_config()
      local disabled = config.options.disabled_filetypes
      if draws_winbar(config) and not has(disabled.winbar or disabled, 'acp_chat') then
        return "its winbar takes the place of the chat's"
      end
    end,
    advice = "options = { disabled_filetypes = { winbar = { 'acp_chat', 'acp_prompt' } } }",
  },
  {
    name = 'nvim-tree.lua',
    module = 'nvim-tree.config',
    find = function(config)
      local picker = config.g.actions.open_file.window_picker
      if picker.enable and not has((picker.exclude or {}).filetype, 'acp_prompt') then
        return 'its window picker takes the prompt for a window of files'
      end
    end,
    advice = "add 'acp_prompt' to actions.open_file.window_picker.exclude.filetype",
  },
  {
    name = 'render-markdown.nvim',
    module = 'render-markdown.state',
    find = function(state)
      if has(state.file_types, 'acp_chat') then
        return 'it draws its own tables over those of the chat'
      end
    end,
    advice = "take 'acp_chat' out of its file_types: the chat is drawn already",
  },
}

--- What is in the way. A version of a plugin that keeps its settings elsewhere is passed over.
---@return { problem: string, advice: string }[]
function M.problems()
  local found = {}
  for _, neighbour in ipairs(neighbours) do
    local module = package.loaded[neighbour.module]
    local ok, problem = pcall(neighbour.find, module)
    if module and ok and problem then
      local sentence = ('%s: %s'):format(neighbour.name, problem)
      table.insert(found, { problem = sentence, advice = neighbour.advice })
    end
  end
  return found
end

return M
