---@meta acp.types
-- The types of what a user hands over and is given (:help acp-config, acp-lua, acp-inspect, acp-events).
-- Never loaded: language servers read it.

---@type acp.Options|fun(): acp.Options
vim.g.acp = nil

---@class acp.Options
---@field default_agent? string
---@field agents? table<string, acp.AgentOptions>
---@field mcp_servers? acp.McpServer[]
---@field additional_directories? string[] absolute
---@field prompts? table<string, string> slash prompts of your own, by their names
---@field context? 'file'|'off' whether the file that you are in goes with a prompt, as a link
---@field python? string
---@field shell? string
---@field follow? acp.FollowOptions
---@field permission? acp.PermissionOptions
---@field terminal? acp.TerminalOptions
---@field fs? acp.FsOptions
---@field ui? acp.UiOptions
---@field default_keys? boolean
---@field registry? string
---@field restore? boolean
---@field idle_minutes? number
---@field worktree? acp.WorktreeOptions
---@field race? acp.RaceOptions
---@field log? acp.LogOptions

---@class acp.AgentOptions
---@field command? string
---@field args? string[]
---@field env? table<string, string>
---@field cwd? string
---@field protocol? 1|2|'auto'
---@field url? string
---@field headers? table<string, string>|fun(): table<string, string>
---@field fs? boolean
---@field terminal? boolean
---@field defaults? acp.Defaults|'last'
---@field editor? boolean|string[] the tools of the editor that it may call
---@field paths? table<string, string> folders there, and what they are here

---@class acp.Defaults
---@field mode? string
---@field model? string
---@field config? table<string, string|boolean>

---@class acp.McpServer
---@field name string
---@field type? 'stdio'|'http'|'sse'
---@field command? string absolute
---@field args? string[]
---@field env? table<string, string>|{ name: string, value: string }[]
---@field url? string
---@field headers? table<string, string>|{ name: string, value: string }[]

---@class acp.FollowOptions
---@field enabled? boolean

---@class acp.PermissionOptions
---@field focus? 'never'|'auto'

---@class acp.TerminalOptions
---@field enabled? boolean
---@field output_byte_limit? integer

---@class acp.FsOptions
---@field read? boolean
---@field write? boolean
---@field guard? string[]

---@class acp.UiOptions
---@field layout? 'right'|'left'|'bottom'|'tab'|'float'
---@field width? number
---@field prompt_height? { [1]: integer, [2]: integer }
---@field notify? 'line'|'terminal'|'vim.notify'|'off'
---@field plan? 'top'|'chat'
---@field sessions? 'list'|'sidebar'|'pick'
---@field completion? boolean
---@field changes? boolean
---@field winbar? fun(status: acp.Status): string

---@class acp.WorktreeOptions
---@field copy? string[] files of the project that git does not track, and that come along

---@class acp.RaceOptions
---@field check? string a command that tells by its exit code how well it went

---@class acp.LogOptions
---@field level? 'debug'|'info'|'warning'|'error'

---@alias acp.State 'loading'|'idle'|'running'|'cancelling'|'closed'
---@alias acp.HunkState 'pending'|'kept'
---@alias acp.CallStatus 'pending'|'in_progress'|'completed'|'failed'|'cancelled'
---@alias acp.AskOption { id: string, name: string, kind: string }
---@alias acp.Cost { amount: number, currency: string }
---@alias acp.Location { path: string, line: integer }

---@class acp.Snapshot
---@field host acp.HostSnapshot
---@field connections acp.ConnectionSnapshot[]
---@field sessions acp.SessionSnapshot[]
---@field asks acp.AskSnapshot[]
---@field terminals acp.TerminalSnapshot[]
---@field edits acp.EditSnapshot[]
---@field follow { enabled: boolean, path?: string, line?: integer, winid?: integer }

---@class acp.HostSnapshot
---@field running boolean
---@field version? string
---@field python? string
---@field pid? integer
---@field error? string

---@class acp.ConnectionSnapshot
---@field agent string
---@field state 'starting'|'ready'|'needs_login'|'failed'|'closed'
---@field pid? integer
---@field protocol? integer
---@field info? { name: string, title?: string, version?: string }
---@field capabilities? table
---@field auth_methods? table[]
---@field auth? { state: string, accounts: table[] }
---@field exit? { code?: integer, signal?: integer }
---@field stderr? string
---@field error? string

---@class acp.SessionSnapshot
---@field id? string
---@field agent string
---@field title? string
---@field cwd string
---@field state acp.State
---@field stop_reason? string
---@field bufnr integer
---@field prompt_bufnr integer
---@field mode? string
---@field modes { id: string, name: string }[]
---@field config table[] `{ id, name, category, type, value, options }`
---@field commands { name: string, description: string, hint?: string }[]
---@field usage? { used?: integer, size?: integer, cost?: acp.Cost }
---@field plan { content: string, priority: string, status: string }[]
---@field queue { text: string }[]
---@field turn integer
---@field entries acp.EntrySnapshot[]

---@class acp.EntrySnapshot
---@field key string
---@field kind 'user'|'agent'|'thought'|'tool'|'notice'
---@field text string
---@field status? acp.CallStatus
---@field title? string
---@field tool_kind? string
---@field locations? acp.Location[]
---@field message_id? string

---@class acp.AskSnapshot
---@field id string
---@field session? string
---@field kind 'permission'|'elicitation'
---@field title string
---@field options acp.AskOption[]
---@field bufnr integer
---@field winid integer

---@class acp.TerminalSnapshot
---@field id string
---@field session string
---@field command string
---@field bufnr integer
---@field running boolean
---@field exit_code? integer
---@field signal? string
---@field released boolean

---@class acp.EditSnapshot
---@field session string
---@field turn integer
---@field path string
---@field hunks { first: integer, last: integer, added: integer, removed: integer, state: acp.HunkState }[]
---@field sub_agent? string name of the one that made them

--- What all events have (:help acp-events); those of one name have the fields of its class besides.
---@class acp.Event
---@field agent string
---@field session? string
---@field parent? string of a sub-agent's session: that which has begun it

---@class acp.Event.AcpConnected: acp.Event

---@class acp.Event.AcpDisconnected: acp.Event
---@field error string

---@class acp.Event.AcpSessionStarted: acp.Event

---@class acp.Event.AcpSessionClosed: acp.Event
---@field reason? string

---@class acp.Event.AcpTurnStarted: acp.Event
---@field turn integer

---@class acp.Event.AcpTurnEnded: acp.Event
---@field turn integer
---@field stop_reason? string
---@field error? string

---@class acp.Event.AcpToolCall: acp.Event
---@field id string
---@field title string
---@field kind string
---@field status acp.CallStatus
---@field locations acp.Location[]

---@class acp.Event.AcpPermissionRequested: acp.Event
---@field ask string
---@field title string
---@field options acp.AskOption[]

---@class acp.Event.AcpPermissionAnswered: acp.Event
---@field ask string
---@field option? string

---@class acp.Event.AcpElicitationRequested: acp.Event
---@field ask string
---@field title string
---@field mode 'form'|'url'

---@class acp.Event.AcpFileRead: acp.Event
---@field path string

---@class acp.Event.AcpFileWritten: acp.Event
---@field path string

---@class acp.Event.AcpLocation: acp.Event
---@field path string
---@field line integer
---@field tool_call? string

---@class acp.Event.AcpModeChanged: acp.Event
---@field mode string

---@class acp.Event.AcpUsage: acp.Event
---@field used? integer tokens
---@field size? integer tokens
---@field cost? acp.Cost
