-- What a permission is about, side by side: asked of the host when the user wants to see it, open in a
-- tabpage of its own, no longer than the request. The options of the menu stand below it.

local bridge = require('acp.host.bridge')
local cells = require('acp.ui.cells')
local compare = require('acp.ui.compare')
local hands = require('acp.files.hands')
local marks = require('acp.review.marks')
local menu = require('acp.ask.menu')
local notice = require('acp.ui.notice')

local api = vim.api

local M = {}

local RETRY_MS = 50

---@return boolean whether its files are compared in the current tabpage
function M.is_here()
  local comparison = compare.find(menu.ask.id)
  return comparison ~= nil and comparison.tab == api.nvim_get_current_tabpage()
end

--- Whether it shows what is asked by now.
function M.is_current()
  return menu.compared == menu.ask.seen
end

--- Show the first file, or the next one; of what has changed meanwhile, the first.
--- Whoever has moved on by the time of the answer stays there.
---@param map fun(buffer: integer) maps the keys of the menu
function M.show(map)
  local window = api.nvim_get_current_win()
  local is_open = compare.find(menu.ask.id) ~= nil and M.is_current()
  if is_open and menu.ask.comparable == 1 and M.is_here() then
    return notice.notice('that is all of it')
  end
  menu.file = is_open and menu.file + 1 or 0
  local payload = { ask = menu.ask.id, index = menu.file }
  bridge.call('compare', payload, function(err, spec)
    local has_moved = api.nvim_get_current_win() ~= window or not hands.are_off()
    if has_moved or not menu.ask or menu.ask.id ~= payload.ask then
      return
    end
    if not spec then
      return notice.warn(err or 'there is nothing to compare any more')
    end
    local hooks = { map = map, back = menu.back, over = marks.draw_again }
    function hooks.made()
      menu.settle()
      marks.draw_again(compare.find(payload.ask).buffers.left)
    end
    function hooks.owns(other)
      return other == menu.winid or other == menu.detail
    end
    menu.compared = spec.seen or menu.ask.seen
    local ok, problem = pcall(compare.open, payload.ask, spec, hooks)
    if not ok then
      notice.warn('the files cannot be shown here: ' .. notice.reason(problem))
    end
  end)
end

--- The window of the menu's options, below the files.
---@return vim.api.keyset.win_config
function M.window()
  local height = math.min(#menu.ask.option_ids, math.floor(vim.o.lines / 3)) + 1
  return { split = 'below', win = -1, height = math.max(height, 2) }
end

--- What stands above the options there; a float has it in its border.
---@return string winbar
function M.winbar()
  if not M.is_current() then
    return '%#AcpWarning# ! changed after it was asked: d shows it as it is now '
  end
  local title = cells.literal(vim.trim(menu.ask.title) .. ': ' .. menu.ask.subject)
  local next_file = menu.ask.comparable > 1 and 'd next · ' or ''
  local keys = ('1-9 or <CR> · %sD all · q back'):format(next_file)
  return ('%%#AcpFloatTitle# %s %%<%%*%%=%%#AcpDim# %s '):format(title, keys)
end

--- Close the comparison of a question that is over, as soon as the user is in nothing that its end
--- would take away. Neovim may refuse now: then soon again.
---@param id string
---@param finish? fun() closes what else goes with it
function M.retire(id, finish)
  local is_done = not compare.is_in_use(id)
    and pcall(function()
      compare.close(id)
      if finish then
        finish()
      end
    end)
  if not is_done then
    vim.defer_fn(function()
      M.retire(id, finish)
    end, RETRY_MS)
  end
end

--- Close the comparison.
function M.close()
  compare.close(menu.ask.id)
end

return M
