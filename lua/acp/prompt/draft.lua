-- Keeps an unsent prompt on disk, so that it survives a crash. One file for each prompt buffer,
-- named after agent, working directory, process and buffer: two Neovims never write the same one,
-- and a draft is taken over only when the process that wrote it is gone.

local chats = require('acp.chat.registry')

local private = require('acp.host.private')

local M = {}

local FOLDER = 'drafts'
local DAY = 86400
local MOST_DAYS = 180

---@type table<integer, integer> by prompt buffer: the text, by its changedtick, that is kept no more
local forgotten = {}

-- That drafts cannot be kept was said, and none was kept since.
local is_told = false

local function folder()
  return vim.fs.joinpath(vim.fn.stdpath('state') --[[@as string]], 'acp.nvim', FOLDER)
end

--- What a folder is called here: its path may be too long for a name. (The first `sha256()` of a
--- Neovim tests itself for 5 ms.)
local function digest(path)
  local one, other = 0, 0
  for at = 1, #path do
    local byte = path:byte(at)
    one, other = (one * 31 + byte) % 2 ^ 32, (other * 65599 + byte) % 2 ^ 32
  end
  return ('%08x%08x'):format(one, other)
end

local function prefix(chat)
  return ('%s-%s-'):format(chats.encode(chat.agent), digest(chat.cwd))
end

---@return string path of its draft; it need not exist
function M.path(chat)
  return vim.fs.joinpath(folder(), ('%s%d-%d.md'):format(prefix(chat), vim.fn.getpid(), chat.chat))
end

---@return integer? changedtick of its prompt
local function tick(chat)
  local is_loaded = vim.api.nvim_buf_is_loaded(chat.prompt)
  return is_loaded and vim.api.nvim_buf_get_changedtick(chat.prompt) or nil
end

--- Write the draft, or remove it when there is nothing to keep. A state folder that cannot be
--- written to costs the draft, and is told, once. What was forgotten is not written again.
function M.save(chat, lines)
  local path = M.path(chat)
  if forgotten[chat.prompt] == tick(chat) then
    return
  end
  local waiting = vim.list_slice(chat.unopened or {})
  local is_blank = vim.trim(table.concat(lines)) == ''
  lines = is_blank and waiting or vim.list_extend(waiting, lines)
  if #lines == 0 then
    vim.uv.fs_unlink(path)
    return
  end
  local ok, err = pcall(function()
    private.folder(FOLDER)
    private.replace(path, table.concat(lines, '\n') .. '\n')
  end)
  if not ok then
    require('acp.host.log').line('the draft was not saved: ' .. err)
  end
  if not ok and not is_told then
    require('acp.ui.notice').warn('the unsent prompt is not kept on disk, see :checkhealth acp')
  end
  is_told = not ok
end

--- Whether the process that wrote a draft is gone.
---@param name string file name of a draft
---@param start? string prefix that it must have
local function is_orphan(name, start)
  local pid = vim.startswith(name, start or '') and name:match('%-(%d+)%-%d+%.md$')
  if not pid then
    return false
  end
  local _, _, code = vim.uv.kill(tonumber(pid) --[[@as integer]], 0)
  return code == 'ESRCH'
end

--- Remove the draft of a prompt, or all but those of other Neovims that run.
---@param chat? acp.Chat
function M.forget(chat)
  for _, each in ipairs(chat and { chat } or chats.all()) do
    forgotten[each.prompt], each.unopened = tick(each), nil
  end
  if chat then
    vim.uv.fs_unlink(M.path(chat))
    return
  end
  local own = ('%%-%d%%-%%d+%%.md$'):format(vim.fn.getpid())
  for name in vim.fs.dir(folder()) do
    if is_orphan(name) or name:match(own) then
      vim.uv.fs_unlink(vim.fs.joinpath(folder(), name))
    end
  end
end

--- Remove drafts that nobody has come back to. A clock may jump: none is too old unless another is of
--- some day in between, as in `storage.limits` of the host.
local function drop_old()
  local now, is_right, old = os.time(), false, {}
  for name in vim.fs.dir(folder()) do
    local path = vim.fs.joinpath(folder(), name)
    local status = vim.uv.fs_lstat(path)
    local modified = status and status.mtime.sec or now
    if modified >= now - MOST_DAYS * DAY then
      is_right = is_right or modified < now - DAY
    elseif is_orphan(name) then
      table.insert(old, path)
    end
  end
  vim.iter(is_right and old or {}):each(vim.uv.fs_unlink)
end

--- The draft of this prompt; without one, that of a prompt of the same agent and folder whose
--- Neovim is gone, which is this prompt's from now on.
---@return string[] lines none when there is no draft
function M.restore(chat)
  local path = M.path(chat)
  local ok, lines = pcall(private.read, path)
  if ok then
    return lines
  end
  drop_old()
  for name in vim.fs.dir(folder()) do
    if is_orphan(name, prefix(chat)) then
      local draft = vim.fs.joinpath(folder(), name)
      ok, lines = pcall(private.read, draft)
      if ok and vim.uv.fs_rename(draft, path) then
        return lines
      end
    end
  end
  return {}
end

return M
