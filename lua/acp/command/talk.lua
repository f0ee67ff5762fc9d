-- What is done with all that was said in a session: rewind it, export it, list it.

local agents = require('acp.command.agent')
local bridge = require('acp.host.bridge')
local chats = require('acp.chat.registry')
local notice = require('acp.ui.notice')

local M = {}

--- Go back to before a prompt, by default the last one; its text is in the prompt again.
---@param text? string the number of its turn
function M.rewind(text)
  if text and not text:match('^[1-9]%d*$') then
    return notice.warn(('%s is not a number: :Acp rewind 2 goes to before turn 2'):format(text))
  end
  local chat = agents.chat()
  if not chat then
    return
  end
  bridge.call('rewind', { chat = chat, turn = tonumber(text) }, function(err, made)
    if err then
      return bridge.warn(err)
    end
    local new = made and chats.of(made.chat)
    if new then
      require('acp.prompt.history').add(new, made.text)
    end
  end)
end

-- As of any new file: the user's umask says the rest.
local MODE = tonumber('666', 8)

--- Make a file; what has that name is neither written nor followed, be it a link that leads nowhere.
---@param path string
---@param text string
---@return string? err a code of the system
local function make(path, text)
  local file, err, code = vim.uv.fs_open(path, 'wx', MODE)
  if not file then
    return code or err
  end
  local written = vim.uv.fs_write(file, text)
  vim.uv.fs_close(file)
  if written ~= #text then
    vim.uv.fs_unlink(path)
    return 'EIO'
  end
end

---@param path string
---@param lines string[]
local function write(path, lines)
  path = vim.fn.fnamemodify(path, ':p')
  local err = make(path, table.concat(lines, '\n') .. '\n')
  if err == 'EEXIST' then
    return notice.warn(('%s is there already: name another file'):format(path))
  elseif err then
    return notice.warn(('%s cannot be written'):format(path))
  end
  -- where it is, whatever folder of the project is a link
  notice.notice(('what was said is in %s'):format(vim.uv.fs_realpath(path) or path))
end

--- Write what was said into a new file, or show it in a buffer.
---@param path string '' for a buffer
function M.export(path)
  local chat = agents.chat()
  if not chat then
    return
  end
  bridge.call('export', { chat = chat }, function(err, text)
    if err then
      return bridge.warn(err)
    end
    local lines = vim.split(vim.trim(text), '\n', { plain = true })
    if path ~= '' then
      return write(path, lines)
    end
    require('acp.files.hands').calmly('what was said', function()
      vim.cmd('new')
      vim.api.nvim_buf_set_lines(0, 0, -1, true, lines)
      vim.bo.filetype, vim.bo.buftype, vim.bo.bufhidden = 'markdown', 'nofile', 'wipe'
    end)
  end)
end

--- List the prompts, tool calls, code and failures of the chat, in the location list of its window.
function M.outline()
  local chat = agents.chat()
  if not chat then
    return
  end
  bridge.call('outline', { chat = chat }, function(err, items)
    if err then
      return bridge.warn(err)
    elseif #items == 0 then
      return notice.notice('nothing was said or done in this session yet')
    end
    require('acp.files.hands').calmly('the outline', function()
      require('acp.chat.window').chat('open')
      local window = require('acp.ui.layout').window_of(chat)
      if not window then
        return
      end
      for _, item in ipairs(items) do
        item.bufnr = chat
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
