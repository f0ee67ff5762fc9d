-- Images that go along with the next prompt of a chat: pasted, or dropped as the names of their files.
-- The host finds the names, reads and holds them; here is what they are called.

local bridge = require('acp.host.bridge')

local api = vim.api

local M = {}

local ENDINGS = { '.png', '.jpg', '.jpeg', '.gif', '.webp' }
local LONGEST = 4096

---@class acp.HeldImage
---@field image integer its number with the host
---@field name string
---@field detail string what it is, and how large

--- Whether the host is to be asked for the images that a text names.
---@param text string
---@return boolean
function M.may_be_named(text)
  return #text <= LONGEST
    and bridge.running()
    and vim.iter(ENDINGS):any(function(ending)
      return text:lower():find(ending, 1, true) ~= nil
    end)
end

--- Let images go along with the next prompt of a chat.
---@param chat acp.Chat
---@param text? string that names them, and nothing else; nil: that in the clipboard
---@param done fun(problem: string?, names: string[]) no names: the text is another one
function M.attach(chat, text, done)
  bridge.call('attach_image', { chat = chat.chat, text = text }, function(err, found)
    if err or not api.nvim_buf_is_valid(chat.prompt) then
      return done(err or 'the chat is gone', {})
    end
    chat.images = vim.list_extend(chat.images or {}, found)
    done(
      nil,
      vim.tbl_map(function(held)
        return held.name
      end, found)
    )
  end)
end

return M
