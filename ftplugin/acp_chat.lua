-- What a chat is as a text: markdown that is read. What the plugin itself relies upon is set by it,
-- also where `:filetype plugin` is off.

if vim.b.did_ftplugin then
  return
end
vim.b.did_ftplugin = 1

vim.bo.comments = 'fb:*,fb:-,fb:+,n:>'
vim.bo.commentstring = '<!-- %s -->'
vim.b.undo_ftplugin = 'setlocal comments< commentstring<'
