-- `:Acp edit`: lines and what is to become of them as a prompt, with no chat to be seen. What the
-- agent is at stands beside the lines; what it has made of them are hunks there.

local attachment = require('acp.prompt.attachment')
local bridge = require('acp.host.bridge')
local buffers = require('acp.files.buffers')
local cells = require('acp.ui.cells')
local life = require('acp.ui.life')
local notice = require('acp.ui.notice')

local api = vim.api

local M = {}

local STEP_MS = 250
local LONGEST = 40

local namespace = api.nvim_create_namespace('acp_inline')

---@type table<table, true> those that are not over; `M.edit` makes them
local edits = {}
local ticks = false -- `tick` comes

--- What is said beside the lines now.
local function label(edit)
  local status = edit.chat.status
  local what = (status.pending or 0) > 0 and 'asks: :Acp permit'
    or (status.turn or 0) < edit.turn and 'waits for its turn'
    or cells.cut((edit.instruction:gsub('%s+', ' ')), LONGEST)
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

local function tick()
  vim.tbl_map(draw, vim.tbl_keys(edits))
  ticks = next(edits) ~= nil
  if ticks then
    vim.defer_fn(tick, STEP_MS)
  end
end

--- It is over: say what has come of it.
local function finish(edit, err, said)
  edits[edit] = nil
  if api.nvim_buf_is_valid(edit.buffer) then
    api.nvim_buf_del_extmark(edit.buffer, namespace, edit.mark)
  end
  if err then
    bridge.warn(err)
  else
    notice.notice(said)
  end
end

--- Have the agent of the project's session edit lines of the current buffer's file.
function M.edit(chat, range, instruction)
  local buffer, status = api.nvim_get_current_buf(), chat.status
  local selection = attachment.select(range[1], range[2])
  local edit = {
    chat = chat,
    buffer = buffer,
    mark = api.nvim_buf_set_extmark(buffer, namespace, selection.first - 1, 0, {
      end_row = selection.last - 1,
      end_col = #(selection.lines[#selection.lines] or ''),
    }),
    instruction = instruction,
    began = vim.uv.now(),
    turn = (status.turn or 0) + (status.queue or 0) + 1,
  }
  edits[edit] = true
  local path = buffers.resolve(api.nvim_buf_get_name(buffer))
  local payload = { chat = chat.chat, path = path, selection = selection, text = instruction }
  bridge.call('edit', payload, function(err, said)
    finish(edit, err, said)
  end)
  draw(edit)
  if not ticks then
    ticks = true
    vim.defer_fn(tick, STEP_MS)
  end
end

return M
