-- `:Acp edit`: lines and what is to become of them as a prompt, with no chat to be seen. What the
-- agent is at stands beside the lines; what it has made of them are hunks there.

local attachment = require('acp.prompt.attachment')
local bridge = require('acp.host.bridge')
local buffers = require('acp.files.buffers')
local chats = require('acp.chat.registry')
local cells = require('acp.ui.cells')
local events = require('acp.ui.events')
local life = require('acp.ui.life')
local notice = require('acp.ui.notice')

local api = vim.api

local M = {}

local STEP_MS = 250
local LONGEST = 40

local namespace = api.nvim_create_namespace('acp_inline')

---@class acp.InlineEdit
---@field chat acp.Chat
---@field buffer integer
---@field path string resolved
---@field mark integer extmark in `acp_inline`, over the lines
---@field instruction string
---@field began integer milliseconds
---@field is_running boolean its turn has begun
---@field turn? integer known once the host has the prompt

---@type table<acp.InlineEdit, true> those that are not over
local edits = {}
local ticks = false -- `tick` comes

--- What is said beside the lines now.
local function label(edit)
  local waiting = edit.chat.status.pending or 0
  local what = waiting > 0 and 'asks: :Acp permit'
    or edit.is_running and cells.cut((edit.instruction:gsub('%s+', ' ')), LONGEST)
    or 'waits for its turn'
  local clock = life.elapsed(vim.uv.now() - edit.began)
  return ('  %s %s · %s · %s'):format(life.spinner(), edit.chat.agent, what, clock)
end

local function draw(edit)
  if not api.nvim_buf_is_loaded(edit.buffer) then
    return
  end
  local place =
    api.nvim_buf_get_extmark_by_id(edit.buffer, namespace, edit.mark, { details = true })
  if not place[1] then
    return
  end
  api.nvim_buf_set_extmark(edit.buffer, namespace, place[1], 0, {
    id = edit.mark,
    end_row = place[3].end_row,
    end_col = place[3].end_col,
    virt_text = { { label(edit), 'AcpToolRunning' } },
    virt_text_pos = 'eol',
    sign_text = '┆',
    sign_hl_group = 'AcpToolRunning',
    strict = false,
  })
end

local function forget(edit)
  edits[edit] = nil
  if api.nvim_buf_is_valid(edit.buffer) then
    api.nvim_buf_del_extmark(edit.buffer, namespace, edit.mark)
  end
end

local function fail(edit, problem)
  forget(edit)
  notice.warn(('%s: :Acp chat shows more'):format(problem))
end

local function tick()
  for _, edit in ipairs(vim.tbl_keys(edits)) do
    local is_there = api.nvim_buf_is_valid(edit.chat.chat) and chats.is_open(edit.chat)
    if is_there and bridge.running() then
      draw(edit)
    else
      fail(edit, ('%s has ended before the edit was made'):format(edit.chat.agent))
    end
  end
  ticks = next(edits) ~= nil
  if ticks then
    vim.defer_fn(tick, STEP_MS)
  end
end

--- Say what has come of it, and show it in place.
---@param data table of `AcpTurnEnded`
local function finish(edit, data)
  if data.error then
    return fail(edit, ('the edit has failed: %s'):format(data.error))
  end
  if not data.stop_reason or data.stop_reason == 'cancelled' then
    return fail(edit, 'the edit was cancelled')
  end
  forget(edit)
  local payload = { chat = edit.chat.chat, turn = edit.turn, path = edit.path, only = true }
  bridge.ask('review', payload, function(count)
    local agent, name = edit.chat.agent, vim.fs.basename(edit.path)
    if count == 0 then
      return notice.notice(('%s has changed nothing in %s: :Acp chat'):format(agent, name))
    end
    local hunks = count == 1 and '1 hunk' or ('%d hunks'):format(count)
    notice.notice(('%s: %s in %s: :Acp keep, :Acp reject, u'):format(agent, hunks, name))
  end)
end

---@param data table of an event
local function is_of(edit, data)
  return data.agent == edit.chat.agent and data.session == edit.chat.status.session
end

---@param event vim.api.keyset.create_autocmd.callback_args
local function on_turn(event)
  for _, edit in ipairs(vim.tbl_keys(edits)) do
    if is_of(edit, event.data) then
      if event.match == 'AcpTurnEnded' and event.data.turn == edit.turn then
        finish(edit, event.data)
      else
        edit.is_running = event.data.turn == edit.turn
      end
    end
  end
end

local TURNS = { pattern = { 'AcpTurnStarted', 'AcpTurnEnded' } }
events.group('acp.inline')('User', 'Turns of edits in place', on_turn, TURNS)

local function send(edit, selection)
  local lines = selection.first == selection.last and ('line %d'):format(selection.first)
    or ('lines %d-%d'):format(selection.first, selection.last)
  local place = ('Edit %s of %s in place.'):format(lines, edit.path)
  local payload = {
    chat = edit.chat.chat,
    text = edit.instruction,
    blocks = { { type = 'text', text = place } },
    selections = { selection },
    bang = false,
  }
  bridge.call('prompt', payload, function(err, turn)
    edit.turn = turn
    if err then
      forget(edit)
      bridge.warn(err)
    end
  end)
end

--- Have the agent of the project's session edit lines of the current buffer's file.
function M.edit(chat, range, instruction)
  local buffer = api.nvim_get_current_buf()
  local selection = attachment.select(range[1], range[2])
  local edit = {
    chat = chat,
    buffer = buffer,
    path = buffers.resolve(api.nvim_buf_get_name(buffer)),
    mark = api.nvim_buf_set_extmark(buffer, namespace, selection.first - 1, 0, {
      end_row = selection.last - 1,
      end_col = #(selection.lines[#selection.lines] or ''),
    }),
    instruction = instruction,
    began = vim.uv.now(),
    is_running = false,
  }
  edits[edit] = true
  send(edit, selection)
  if edits[edit] then
    draw(edit)
  end
  if not ticks then
    ticks = true
    vim.defer_fn(tick, STEP_MS)
  end
end

return M
