-- What the plugin keeps below Neovim's state: how much it is, for :checkhealth, and away with it.

local private = require('acp.host.private')

local M = {}

---@class acp.Kept
---@field name string
---@field what string
---@field files integer
---@field bytes integer

-- Folders in the order of the help, and what is in them.
local FOLDERS = {
  { 'sessions', 'what was said' },
  { 'open', 'which sessions were open' },
  { 'choices', 'modes and models that were chosen last' },
  { 'edits', 'what agents have changed' },
  { 'drafts', 'unsent prompts' },
  { 'log', 'traffic with agents' },
  { 'remote', 'hosts that were connected to' },
  { 'registry', 'the list of agents that was fetched' },
  { '', 'the log of the host' },
}

---@param folder string
---@param depth integer
---@return integer files
---@return integer bytes
local function measure(folder, depth)
  local files, bytes = 0, 0
  for name, type in vim.fs.dir(folder, { depth = depth }) do
    if type == 'file' then
      local status = vim.uv.fs_lstat(vim.fs.joinpath(folder, name))
      files, bytes = files + 1, bytes + (status and status.size or 0)
    end
  end
  return files, bytes
end

--- Make sure that the folders are the user's, and count what is in them.
---@return acp.Kept[]
---@return string[] problems why nothing is kept there
function M.list()
  local kept, problems = {}, {}
  for _, row in ipairs(FOLDERS) do
    local ok, folder = pcall(private.folder, row[1] ~= '' and row[1] or nil)
    if ok then
      local files, bytes = measure(folder, row[1] == '' and 1 or 3)
      table.insert(kept, { name = row[1], what = row[2], files = files, bytes = bytes })
    else
      table.insert(problems, tostring(folder))
    end
  end
  return kept, problems
end

---@param bytes integer
---@return string
function M.size(bytes)
  return bytes < 2 ^ 20 and ('%.1f kB'):format(bytes / 2 ^ 10) or ('%.1f MB'):format(bytes / 2 ^ 20)
end

return M
