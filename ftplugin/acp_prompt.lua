-- What a prompt is as a text: markdown, with mentions. What the plugin itself relies upon is set by it,
-- also where `:filetype plugin` is off.

if vim.b.did_ftplugin then
  return
end
vim.b.did_ftplugin = 1

vim.bo.comments = 'fb:*,fb:-,fb:+,n:>'
vim.bo.commentstring = '<!-- %s -->'
vim.opt_local.formatoptions:append('roqln')
vim.bo.formatlistpat = [[^\s*\d\+\.\s\+\|^\s*[-*+]\s\+]]
vim.b.undo_ftplugin = 'setlocal comments< commentstring< formatoptions< formatlistpat<'

-- Whoever starts a parser here gets one: of the chat, the host makes the colours.
vim.treesitter.language.register('markdown', 'acp_prompt')
