-- What is done with all that was said in a session: rewind it, export it, list it.

local bridge = require('acp.host.bridge')
local chats = require('acp.chat.registry')
local notice = require('acp.ui.notice')

local M = {}

--- Go back to before a prompt, by default the last one; its text is in the prompt again.
---@param chat acp.Chat
---@param turn? integer
function M.rewind(chat, turn)
  bridge.ask('rewind', { chat = chat.chat, turn = turn }, function(made)
    local new = made and chats.of(made.chat)
    if new then
      require('acp.prompt.history').add(new, made.text)
    end
  end)
end

--- Have what was said written into a new file, or show it in a buffer.
---@param chat acp.Chat
---@param path string '' for a buffer
function M.export(chat, path)
  local file = path ~= '' and vim.fn.fnamemodify(path, ':p') or nil
  bridge.ask('export', { chat = chat.chat, path = file }, function(result)
    if file then
      return notice.notice(('what was said is in %s'):format(result))
    end
    require('acp.files.hands').calmly('what was said', function()
      vim.cmd('new')
      vim.api.nvim_buf_set_lines(0, 0, -1, true, vim.split(result, '\n', { plain = true }))
      vim.bo.filetype, vim.bo.buftype, vim.bo.bufhidden = 'markdown', 'nofile', 'wipe'
    end)
  end)
end

--- List the prompts, tool calls, code and failures of the chat, in the location list of its window.
---@param chat acp.Chat
function M.outline(chat)
  bridge.ask('outline', { chat = chat.chat }, function(items)
    if #items == 0 then
      return notice.notice('nothing was said or done in this session yet')
    end
    require('acp.files.hands').calmly('the outline', function()
      require('acp.chat.window').chat('open')
      local window = require('acp.ui.layout').window_of(chat.chat)
      if not window then
        return
      end
      for _, item in ipairs(items) do
        item.bufnr = chat.chat
      end
      vim.fn.setloclist(window, {}, ' ', { title = 'acp: outline', items = items })
      vim.api.nvim_win_call(window, function()
        vim.cmd('lopen')
      end)
      local list = vim.fn.getloclist(window, { winid = 0 }).winid
      if list ~= 0 then
        vim.api.nvim_set_current_win(list)
      end
    end)
  end)
end

return M
