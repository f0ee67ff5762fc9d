-- How other clients of ACP are driven, for `peers.py`: started with an agent's command, prompted, and
-- answered. Each fires `AcpPermissionRequested` once its question is on the screen.

---@class bench.Peer
---@field start fun(command: string[])
---@field is_ready fun(): boolean
---@field is_busy fun(): boolean it takes no prompt yet
---@field prompt fun(text: string)
---@field answer fun(option: string)

---@type table<string, bench.Peer>
local M = {}

--- Tell the benchmark, after a function of a module, that a question is shown.
local function shown_by(module, name)
  local plain = module[name]
  module[name] = function(...)
    local result = plain(...)
    vim.api.nvim_exec_autocmds('User', { pattern = 'AcpPermissionRequested' })
    return result
  end
end

local thread

local function session()
  return require('acp.agent.session').get(thread)
end

M.zenodea = {
  start = function(command)
    local agents = { bench = { cmd = command } }
    require('acp.config').defaults.agents = {} -- tables are merged: its own would be asked for
    require('acp').setup({ agents = agents, default_agent = 'bench', persist = { enabled = false } })
    shown_by(require('acp.ui.permission'), 'show')
    require('acp').new('bench', { workspace = false })
    thread = require('acp.core.registry').threads[1]
  end,
  is_ready = function()
    return session().ready
  end,
  is_busy = function()
    return session().busy
  end,
  prompt = function(text)
    session():send(text)
  end,
  answer = function(option)
    session():answer_permission(option)
  end,
}

local chat, asked

M.codecompanion = {
  start = function(command)
    local adapter = vim.deepcopy(require('codecompanion.adapters.acp.opencode'))
    adapter.name, adapter.formatted_name, adapter.commands = 'bench', 'Bench', { default = command }
    require('codecompanion').setup({
      adapters = {
        acp = {
          bench = function()
            return adapter
          end,
        },
      },
      interactions = { chat = { adapter = 'bench' } },
    })
    local permission = require('codecompanion.interactions.chat.acp.request_permission')
    local confirm = permission.confirm
    permission.confirm = function(where, request)
      asked = request
      return confirm(where, request)
    end
    shown_by(permission, 'confirm')
    chat = require('codecompanion').chat()
  end,
  is_ready = function()
    return chat.acp_connection ~= nil and chat.acp_connection:is_ready()
  end,
  is_busy = function()
    return chat.current_request ~= nil
  end,
  prompt = function(text)
    chat:add_buf_message({ role = 'user', content = text })
    chat:submit()
  end,
  answer = function(option)
    asked.respond(option, false)
  end,
}

local manager

M.agentic = {
  start = function(command)
    local provider = { command = command[1], args = vim.list_slice(command, 2), env = {} }
    require('agentic').setup({ provider = 'bench', acp_providers = { bench = provider } })
    require('agentic.config').debug = false
    shown_by(require('agentic.ui.permission_manager'), '_setup_keymaps')
    manager = require('agentic.session_manager'):new(vim.api.nvim_get_current_tabpage())
    manager.widget:show()
  end,
  is_ready = function()
    return manager.session_id ~= nil
  end,
  is_busy = function()
    return false
  end,
  prompt = function(text)
    manager:_handle_input_submit(text)
  end,
  answer = function(option)
    manager.permission_manager:_complete_request(option)
  end,
}

return M
