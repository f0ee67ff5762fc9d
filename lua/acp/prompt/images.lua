-- Images that go along with the next prompt of a chat: pasted, or dropped as the names of their files.
-- The host reads and holds them; here is what they are called.

local api = vim.api

local M = {}

local ENDINGS = { png = true, jpg = true, jpeg = true, gif = true, webp = true }
local MOST, LONGEST = 10, 4096

---@class acp.HeldImage
---@field image integer its number with the host
---@field name string
---@field detail string what it is, and how large

---@type table<integer, acp.HeldImage[]> by chat
local images = {}

---@param chat integer
---@return acp.HeldImage[]
function M.of(chat)
  return images[chat] or {}
end

--- The words of a line as a shell takes them: file managers and terminals quote what is dropped.
---@param line string
---@return string[]
local function words(line)
  local found, word, quote, at = {}, nil, nil, 1
  while at <= #line do
    local character = line:sub(at, at)
    if character == '\\' and quote ~= "'" then
      at = at + 1
      word = (word or '') .. line:sub(at, at)
    elseif character == quote then
      quote = nil
    elseif not quote and (character == "'" or character == '"') then
      quote, word = character, word or ''
    elseif not quote and character:match('%s') then
      table.insert(found, word)
      word = nil
    else
      word = (word or '') .. character
    end
    at = at + 1
  end
  table.insert(found, word)
  return found
end

---@param text string
---@return string? path of an image, if it names one that is there
local function path_of(text)
  local path = text
  if text:match('^file://') then
    path = vim.uri_to_fname(text)
  end
  path = vim.fs.normalize(path, { expand_env = false })
  local ending = (path:match('%.(%w+)$') or ''):lower()
  if not ENDINGS[ending] or not path:match('^/') then
    return nil
  end
  local status = vim.uv.fs_stat(path)
  return status and status.type == 'file' and path or nil
end

---@param line string
---@return string[]? paths nil: it is not only names of images
local function in_line(line)
  local whole = path_of(line)
  if whole then
    return { whole }
  end
  local found = {}
  for _, word in ipairs(words(line)) do
    local path = path_of(word)
    if not path then
      return nil
    end
    table.insert(found, path)
  end
  return found
end

--- The images that a text names, if it names nothing else.
---@param lines string[]
---@return string[] paths none if it is another text
function M.named(lines)
  local found = {}
  if #lines > MOST or #table.concat(lines) > LONGEST then
    return found
  end
  for _, line in ipairs(lines) do
    local paths = in_line(vim.trim(line))
    if not paths or #found + #paths > MOST then
      return {}
    end
    vim.list_extend(found, paths)
  end
  return found
end

--- Let an image go along with the next prompt of a chat.
---@param chat acp.Chat
---@param path? string nil: that in the clipboard
---@param done fun(problem?: string)
function M.attach(chat, path, done)
  local payload = { chat = chat.chat, path = path }
  require('acp.host.bridge').call('attach_image', payload, function(err, held)
    if err or not api.nvim_buf_is_valid(chat.prompt) then
      return done(err or 'the chat is gone')
    end
    local name = path and vim.fn.strtrans(vim.fs.basename(path)) or 'image'
    images[chat.chat] = images[chat.chat] or {}
    table.insert(images[chat.chat], { image = held.image, name = name, detail = held.detail })
    done()
  end)
end

--- Let an image not go along.
---@param chat integer
---@param index integer
function M.drop(chat, index)
  local held = table.remove(images[chat], index)
  require('acp.host.bridge').notify('drop_image', { chat = chat, image = held.image })
end

---@param chat integer
---@return integer[] numbers of all
function M.numbers(chat)
  return vim.tbl_map(function(held)
    return held.image
  end, M.of(chat))
end

--- Forget those of a chat: they were sent, or nobody has them any more.
---@param chat integer
function M.forget(chat)
  images[chat] = nil
end

return M
