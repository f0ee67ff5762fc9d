"""What the tutor says, in Markdown: one lesson at a time. Texts only; called by the scenes.

A command begins a line: in a narrow window Neovim would break it behind its `:` or `/`.
"""

from __future__ import annotations

COMMANDS = [
    {"name": "help", "description": "What I can do"},
    {
        "name": "read",
        "description": "Read a file through the editor",
        "input": {"hint": "path (else the last one, or README.md)"},
    },
    {
        "name": "edit",
        "description": "Make a small change, after asking",
        "input": {"hint": "path (else the last one, or README.md)"},
    },
    {"name": "plan", "description": "Show a plan and follow it"},
    {"name": "ask", "description": "Ask a question in the permission menu"},
]

WELCOME = """\
# Welcome to acp.nvim

I am the **tutor**: a small program that speaks the *Agent Client Protocol*, as every coding agent \
does. There is no model behind me. One lesson follows the other; `g?` shows all keys.

**1. Talk.** The window below is the prompt. Go there, press `i`, type
`/read`
and press `<C-s>` (or `<CR>` in normal mode).
"""

WELCOME_QUIET = "I am the tutor. `/help` says what I can do."

AGAIN = """\
I know only what I was taught: `/read`, `/edit`, `/plan`, `/ask`, and `/help` for what they do. \
For a real answer, `:Acp start` lists the agents on this machine.

**3. Decide.** Send
`/edit`
I propose a change and wait: `<Tab>` goes to the question, a number answers it.
`:Acp permit 1` does so from anywhere. Nothing is written before you say yes.
"""

HELP = """\
## What I can do

- `/read [path]` reads a file as your editor has it, unsaved changes and all.
- `/edit [path]` makes a small change, after asking you.
- `/plan` shows a plan and follows it.
- `/ask` asks you something and tells you what you chose.

A path may be relative to the project; without one I take the file you showed me last, else \
`README.md`. In the prompt, type `/` and `<C-x><C-o>` for this list. `:Acp mode quiet` makes me \
talk less, `:Acp mode guide` more.

| In the chat | it does |
|---|---|
| `i` | goes back to the prompt |
| `<CR>` | opens or closes a thought or a tool call |
| `gf` | goes to the place that a tool call names |
| `<Tab>` | goes to the question that waits |
| `g?` | shows all keys |

A key of your own for the prompt, with or without a selection:

```lua
vim.keymap.set({ 'n', 'x' }, '<leader>a', '<Plug>(acp-prompt)')
```
"""

UNKNOWN_COMMAND = "There is no `/{}`. I know `/help`, `/read`, `/edit`, `/plan` and `/ask`."

CANNOT_READ = (
    "I cannot read files here: this client does not offer `fs/read_text_file`. "
    "In acp.nvim, `fs = { read = true }` allows it."
)
CANNOT_WRITE = (
    "I cannot change files here: this client does not offer `fs/read_text_file` and "
    "`fs/write_text_file`. In acp.nvim, `fs = { read = true, write = true }` allows it."
)
READ_FAILED = "The editor did not let me read `{}`. It said: {}"
READ_AFTERWARDS = (
    "That was your editor's text, also where it is not saved yet. "
    "Put the cursor on the tool call above: `<CR>` opens it, `gf` goes to the file.\n\n"
    "**2. Point.** Go to a file, select lines with `V`, press `:` and type\n"
    "`AcpPrompt explain this`\n"
    "They go along. In the prompt, `@` names files and more."
)

PLAN = ("Show you a plan", "Follow it step by step", "Be done")
PLAN_INTRODUCTION = (
    "This is a **plan**; watch its marks.\n\n"
    "**6. Stop me.** Send\n`/read`\nat once: that waits.\n`:Acp queue` shows it,\n"
    "`:Acp cancel` stops what runs,\n`:Acp stop` ends me."
)
PLAN_DONE = (
    "The plan is done.\n\n"
    "**7. Go on.**\n`:Acp follow on` goes with me from file to file,\n`/ask` asks you something,\n"
    "`:Acp sessions` shows what was said before,\n`:Acp start` lists the real agents on this "
    "machine,\n`/help` and `:help acp` tell the rest."
)

ASK_INTRODUCTION = (
    "I am about to ask you something. The menu takes no focus and does not mind what you type; "
    "`<Tab>` in the chat goes there, `1` to `4` chooses, `:Acp permit 2` works from anywhere."
)
ASK_TITLE = "May the tutor go on?"
ASKED = "You chose **{}**."
ASK_FAILED = "I could not ask you. The client said: {}"

EDIT_THOUGHT = (
    "A small, harmless change will do. First I read the file, because the editor may hold text "
    "that is not on the disk. Then I ask."
)
EDIT_STEPS = ("Read {}", "Ask for permission", "Write the change")
EDIT_IMPOSSIBLE = "I know no harmless change for `{}`: I cannot write a comment in such a file."
EDIT_INTRODUCTION = (
    "I would like to **{}**, in line {}. Open the tool call with `<CR>` to see the difference, "
    "or press `d` in the menu."
)
EDIT_STANDING_YES = "You said *do not ask again*, so I do not ask."
EDIT_REJECTED = "You said no, so nothing was written."
EDIT_REJECTED_ALWAYS = (
    "You said *no, and do not ask again*, so nothing was written. "
    "A new session (`:Acp new`) asks again."
)
EDIT_RETRY = "The editor did not take it: {} I read the file again and try once more."
EDIT_FAILED = "The editor did not take the change, so I leave the file alone. It said: {}"
EDIT_DONE = "Done: `{}`, line {}."
EDIT_AFTERWARDS = (
    "**4. Review.** There,\n`:Acp review` shows it\n"
    "`:Acp reject because …` takes back the one at the cursor\n"
    "`:Acp comment …` says\nmore of a line. Then send\n`done`"
)
REVIEWED = {
    (True, True): "I was told what you rejected, and what you say on the lines.",
    (True, False): "I was told what you rejected. `:Acp comment` would say more.",
    (False, True): "I was told what you say on the lines.",
    (False, False): "You rejected nothing and said nothing: so I go on as I was.",
}
TAKE_BACK = (
    "\n\n**5. Take back.**\n`:Acp undo` takes back all that a turn did,\n"
    "`:Acp redo` returns it,\n`:Acp rewind` takes back the talk, too,\n"
    "`:Acp why` says who wrote a line.\nThen send\n`/plan`"
)
