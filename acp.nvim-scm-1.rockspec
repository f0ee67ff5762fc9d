rockspec_format = '3.0'
package = 'acp.nvim'
version = 'scm-1'
source = { url = 'git+https://github.com/OWNER/acp.nvim' }
description = {
  summary = 'Agent Client Protocol for Neovim: work with any coding agent, in your own buffers',
  license = 'Apache-2.0',
  labels = { 'neovim', 'plugin', 'acp', 'agent' },
}
dependencies = { 'lua >= 5.1, < 5.2' }
build = {
  type = 'builtin',
  install = { conf = { 'pyproject.toml', 'requirements.txt' } },
  copy_directories = { 'doc', 'ftplugin', 'plugin', 'python', 'rplugin' },
}
