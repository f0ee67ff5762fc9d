"""What the tutor says, in Markdown: one lesson at a time. Texts only; called by the scenes.

A command begins a line: in a narrow window Neovim would break it behind its `:` or `/`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

COMMANDS = [
    {"name": "help", "description": "What I can do"},
    {
        "name": "read",
        "description": "Read a file through the editor",
        "input": {"hint": "path (else the one on screen)"},
    },
    {
        "name": "edit",
        "description": "Make a small change, after asking",
        "input": {"hint": "path (else the one on screen)"},
    },
    {"name": "plan", "description": "Show a plan and follow it"},
    {"name": "ask", "description": "Ask a question in the permission menu"},
]

WELCOME = """\
# Welcome to acp.nvim

I am the **tutor**: an agent without a model. Seven lessons, three minutes; I ask before I \
change a file.
"""

WELCOME_QUIET = "I am the tutor. `/help` says what I can do."


@dataclass(frozen=True, slots=True)
class Lesson:
    """One thing to try; what is to be typed stands in a line of its own."""

    title: str
    text: str
    again: str
    """What is said when the user has done something else."""


LESSONS = (
    Lesson(
        "Talk",
        "The cursor is in the prompt, below. Press `i`, type\n`/read`\n"
        "and press `<C-s>` (in normal mode `<CR>`).",
        "I wait for\n`/read`",
    ),
    Lesson(
        "Point",
        "Go to the file (`<Esc>`, then `<C-w>t`), select lines with `V`, and type\n"
        "`:AcpPrompt explain this`\nI get those lines with your words.",
        "No lines came with that. Select some in the file with `V`, then\n"
        "`:AcpPrompt explain this`",
    ),
    Lesson(
        "Decide",
        "Back in the prompt (`<C-w>b`), send\n`/edit`\n"
        "I show a change and wait. `<Tab>` goes to my question, `1` says yes; from anywhere\n"
        "`:Acp permit 1`",
        "Send once more\n`/edit`\nand say yes.",
    ),
    Lesson(
        "Review",
        "In the file (`<C-w>t`),\n`:Acp review`\nshows the change. Say no to it:\n"
        "`:Acp reject because …`\nThen send me `done`",
        "Send\n`done`\nwhen you have looked at it.",
    ),
    Lesson(
        "Undo",
        "`:Acp undo`\nundoes all that a turn did,\n`:Acp rewind`\nthe talk as well, and\n"
        "`:Acp redo`\nrestores it. Try the first, then send `done`",
        "Send\n`done`\nwhen you have tried it.",
    ),
    Lesson(
        "Stop",
        "Send\n`/plan`\nI take ten seconds. To stop me:\n`:Acp cancel`\n"
        "What you send meanwhile waits:\n`:Acp queue`",
        "I wait for\n`/plan`",
    ),
    Lesson(
        "Go on",
        "{agents}\n`:Acp follow on`\ngoes with it, `g?` shows all keys,\n`:help acp`\nthe rest.",
        "That was the last lesson. `/help` says what else I can do.",
    ),
)

HERE = "These agents are on this machine:\n{}\n"
NOT_HERE = "No other agent is on this machine yet. To install one:\n`:Acp agents`\n"
MOST_AGENTS = 4


def lesson(number: int, agents: Sequence[str] = ()) -> str:
    """Return that lesson, counted from 1, below a row that says how far one is."""
    it, count = LESSONS[number - 1], len(LESSONS)
    row = f"{'■' * number}{'□' * (count - number)} {number} of {count} · **{it.title}**"
    starts = "\n".join(f"`:AcpStart {name}`" for name in agents[:MOST_AGENTS])
    here = HERE.format(starts) if agents else NOT_HERE
    return f"\n{row}\n\n{it.text.replace('{agents}', here.rstrip())}\n"


HELP = """\
## What I can do

- `/read [path]` reads a file as your editor has it, unsaved changes and all.
- `/edit [path]` makes a small change, after asking you.
- `/plan` shows a plan and follows it.
- `/ask` asks you something and tells you what you chose.

A path may be relative to the project; without one I take the file that you showed me last, or \
had on screen. In the prompt, `/` lists these. `:Acp mode quiet` makes me talk less, \
`:Acp mode guide` more.

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
READ_AFTERWARDS = "That was your editor's text, saved or not.\n"

PLAN = ("Show you a plan", "Follow it step by step", "Be done")
PLAN_INTRODUCTION = "This is a **plan**; watch its marks.\n"
PLAN_DONE = "The plan is done.\n"
PLAN_STOPPED = "You stopped me. What was done until then stays.\n"

ASK_INTRODUCTION = (
    "I am about to ask you something. The question takes no focus and no key that you type; "
    "`<Tab>` in the chat goes there, `1` to `4` answers, `:Acp permit 2` works from anywhere.\n"
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
    "I would like to **{}**, in line {}. The question shows it; `d` there shows it side by side."
)
EDIT_STANDING_YES = "You said *do not ask again*, so I do not ask."
EDIT_REJECTED = "You said no: look at the file, nothing was written.\n"
EDIT_REJECTED_ALWAYS = (
    "You said *no, and do not ask again*, so nothing was written. "
    "A new session (`:Acp new`) asks again."
)
EDIT_RETRY = "The editor did not take it: {} I read the file again and try once more."
EDIT_FAILED = "The editor did not take the change, so I leave the file alone. It said: {}"
EDIT_DONE = "Done: `{}`, line {}."
REVIEWED = {
    (True, True): "I was told what you rejected, and what you say on the lines.\n",
    (True, False): "I was told what you rejected: the row below your prompt said so.\n",
    (False, True): "I was told what you say on the lines.\n",
    (False, False): "You rejected nothing, so all of it stays.\n",
}
TAKEN_BACK = "My change is gone: the file is as before.\n"
NOT_TAKEN_BACK = "My change is still there; that is fine, too.\n"
