-- What is added to the next prompt from anywhere: lines as a selection, the rest as mentions, which
-- stand in the prompt and can be taken out of it like any text.

local attachment = require('acp.prompt.attachment')
local mention = require('acp.prompt.mention')
local notice = require('acp.ui.notice')
local surroundings = require('acp.prompt.surroundings')

local api = vim.api

local M = {}

---@return string? mention nil: it has no name
local function of_buffer(chat, buffer)
  local name = surroundings.name(buffer)
  if name then
    return mention.written(name)
  end
  local path = api.nvim_buf_get_name(buffer)
  return path ~= '' and mention.of_path(chat, path) or nil
end

---@param added string[]
local function tell(chat, added)
  if #added > 0 then
    local names = table.concat(added, ' ')
    notice.notice(('%s: attached to the next prompt to %s'):format(names, chat.agent))
  end
end

local function refuse(what)
  local name = what == '' and 'this buffer' or what
  notice.warn(('%s is not attached: it names nothing in the folders of the session'):format(name))
end

--- Attach an image that no mention can speak of: it is outside of the project.
local function attach(chat, what)
  local path = vim.fn.fnamemodify(what, ':p')
  if not attachment.may_be_images(path) then
    return refuse(what)
  end
  attachment.attach_images(chat, path, function(problem, names)
    if problem then
      notice.warn(problem)
    elseif #names == 0 then
      refuse(what)
    else
      tell(chat, names)
    end
  end)
end

--- Add mentions to the prompt of a chat.
---@param all string[] each `@…`, or a path; none: the current buffer
---@param buffer integer the one that the user is in
function M.mentions(chat, all, buffer)
  local function put(named)
    local added = {}
    for index, what in ipairs(#all > 0 and all or { '' }) do
      local found = what == '' and of_buffer(chat, buffer)
        or vim.startswith(what, '@') and named[index] and what
        or what ~= '' and mention.of_path(chat, vim.fn.fnamemodify(what, ':p'))
      if found then
        vim.fn.bufload(chat.prompt)
        local last = api.nvim_buf_get_lines(chat.prompt, -2, -1, false)[1] or ''
        local blank = (last == '' or last:match('%s$')) and '' or ' '
        api.nvim_buf_set_text(chat.prompt, -1, #last, -1, #last, { blank .. found .. ' ' })
        table.insert(added, found)
      elseif what == '' then
        refuse(what)
      else
        attach(chat, what)
      end
    end
    tell(chat, added)
  end
  local is_asked = vim.iter(all):any(function(what)
    return vim.startswith(what, '@')
  end)
  if not is_asked then
    return put({})
  end
  mention.find(chat, all, function(found)
    put(vim.tbl_map(function(mentions)
      return #mentions == 1 and mentions[1].name ~= ''
    end, found))
  end)
end

--- Let lines of a buffer go along.
function M.lines(chat, range, buffer)
  attachment.attach(chat.chat, attachment.select(range[1], range[2], buffer))
  local count = range[2] - range[1] + 1
  local form = count == 1 and '%d line is attached to the next prompt to %s'
    or '%d lines are attached to the next prompt to %s'
  notice.notice(form:format(count, chat.agent))
end

return M
