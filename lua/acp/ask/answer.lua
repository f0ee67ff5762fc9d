-- What becomes of an answer, whoever gives it: a key, a mapping, a command, a script. It counts for the
-- question that the user saw, and for no other. One that came, was unfolded, moved, or has changed in
-- what it decides less than half a second ago takes none.

local bridge = require('acp.host.bridge')
local events = require('acp.ui.events')
local notice = require('acp.ui.notice')

local api = vim.api

local M = {}

local DEAD_MS = 500
local JUST =
  'nothing was answered: the question has just come or changed, look at it and answer again'

--- A clock; tests have another one.
---@return number milliseconds
function M.now()
  return vim.uv.hrtime() / 1e6
end

--- What the user can see now, and since when.
---@type { id: string, seen: string, at: number }?
local on_screen

--- When each question was first told of: a script may answer one that is not on screen.
---@type table<string, number>
local came = {}

bridge.on_end(function()
  came = {}
end)

--- Something has come, changed or gone while a command line was written: what is in it was meant for
--- what was there before.
local is_overtaken = false

local function overtake()
  if api.nvim_get_mode().mode:sub(1, 1) ~= 'c' or is_overtaken then
    return
  end
  is_overtaken = true
  local on = events.group('acp.ask.answer')
  on('CmdlineLeave', 'What was typed was meant for another question', function()
    is_overtaken = false
  end, { once = true, later = true })
end

--- This is to be seen from now on.
function M.shown(ask)
  if on_screen and on_screen.id == ask.id and on_screen.seen == ask.seen then
    return
  end
  M.gone()
  overtake()
  on_screen = { id = ask.id, seen = ask.seen, at = M.now() }
end

--- Nothing is to be seen any more.
function M.gone()
  if on_screen then
    on_screen = nil
    overtake()
  end
end

--- It is elsewhere now, or the cursor was moved into it without the user.
function M.moved()
  if on_screen then
    on_screen.at = M.now()
  end
end

--- Since when there was no screen to look at: a Neovim that is suspended has none, either. At first
--- nobody knows.
---@type number?
local away = 0

local on = events.group('acp.ask.away')
on('UILeave', 'Nobody sees what comes from now on', function()
  away = away or M.now()
end)
on('UIEnter', 'What came or went meanwhile does so now, for who looks again', function()
  if away and on_screen and on_screen.at >= away then
    on_screen.at = M.now()
  end
  away = nil
end)

--- The user's scripts learn of a question now. One host's ids are another one's, too: `is_new`.
---@param id string
---@param is_new? boolean
function M.came(id, is_new)
  if is_new or not came[id] then
    came[id] = M.now()
  end
end

--- Give the answer of a script. One that is late is the host's matter.
---@param id string
---@param answer { option?: string, answer?: table }
---@return boolean given
function M.respond(id, answer)
  local since = on_screen and on_screen.id == id and on_screen.at or came[id]
  if since and M.now() - since < DEAD_MS then
    notice.warn(JUST)
    return false
  end
  return bridge.notify('respond', vim.tbl_extend('error', { ask = id }, answer))
end

--- Give an answer, unless it cannot have been meant for this question.
---@param answer { option?: string, answer?: table }
---@return boolean given
function M.give(ask, is_inside, answer)
  local is_seen = on_screen and on_screen.id == ask.id and on_screen.seen == ask.seen
  if not is_seen or is_overtaken or M.now() - on_screen.at < DEAD_MS then
    notice.warn(is_seen and JUST or 'nothing was answered: look at the question first')
    return false
  end
  local whole = { ask = ask.id, seen = ask.seen, inside = is_inside }
  return bridge.notify('respond', vim.tbl_extend('error', whole, answer))
end

--- When the user last pressed a key; nil as long as nobody has listened.
---@type number?
local last_key

local is_listening = false

--- Whether the user's hands are still, so that the cursor may be moved.
function M.is_still()
  if not is_listening then
    is_listening = true
    last_key = M.now()
    vim.on_key(function(_, typed)
      if typed == nil or typed ~= '' then
        last_key = M.now()
      end
    end, api.nvim_create_namespace('acp.ask'))
  end
  return M.now() - last_key >= DEAD_MS
end

return M
