-- The smallest configuration, to show a bug with: nvim -u repro.lua
-- It uses nothing of yours: plugin, settings, state and Python are in one folder, .repro.

local here = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h')
for _, name in ipairs({ 'config', 'data', 'state', 'cache' }) do
  vim.env[('XDG_%s_HOME'):format(name:upper())] = vim.fs.joinpath(here, '.repro', name)
end
vim.opt.runtimepath = { here, vim.env.VIMRUNTIME }
vim.opt.packpath = { vim.env.VIMRUNTIME }

local python = vim.fs.joinpath(here, '.venv', 'bin', 'python') -- of `make venv`; else :Acp install
vim.g.acp = {
  python = vim.fn.executable(python) == 1 and python or nil,
  default_agent = 'tutor', -- put the agent here with which it happens
  log = { level = 'debug' }, -- :Acp log
}

-- Other plugins that are needed to see it:
-- vim.opt.runtimepath:append('/path/to/plugin')
