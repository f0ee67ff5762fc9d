"""What Lua sends with each verb, as the table of `doc/architecture.md` has it.

`chat` is the number of a chat buffer, `ask` the id of a question, `path` is resolved; rows count
from 0, lines from 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from acp_nvim.session.model import Selection
from acp_nvim.session.request import ElicitationAction
from acp_nvim.view.chat.transcript import FoldAction


@dataclass(frozen=True, slots=True)
class Nothing:
    """The verb says it all."""


@dataclass(frozen=True, slots=True)
class OfChat:
    """Something about a chat."""

    chat: int


@dataclass(frozen=True, slots=True)
class FollowLink:
    """What a row of a chat speaks of: a file, a tool call."""

    chat: int
    row: int
    name: str = ""
    """What stands under the cursor."""


@dataclass(frozen=True, slots=True)
class OfAgent:
    """Something about an agent: the one of that name, else that of the chat."""

    agent: str | None = None
    chat: int | None = None


@dataclass(frozen=True, slots=True)
class OfFile:
    """Something about a file."""

    path: str


@dataclass(frozen=True, slots=True)
class Configure:
    """The user's raw configuration, and Neovim's folders: data, state, root."""

    options: Any
    paths: Mapping[str, str]


# --- agents and sessions


@dataclass(frozen=True, slots=True)
class Start:
    """`file` is the path of the current buffer or ''."""

    agent: str
    chat: int
    prompt: int
    file: str
    cwd: str


@dataclass(frozen=True, slots=True)
class Stop:
    """`bang`: kill it."""

    bang: bool
    agent: str | None = None
    chat: int | None = None


@dataclass(frozen=True, slots=True)
class LogIn:
    """By that method; without one the user picks."""

    chat: int
    method: str | None = None


@dataclass(frozen=True, slots=True)
class LoginEnded:
    """Without a code the terminal was closed."""

    call: int
    code: int | None = None


@dataclass(frozen=True, slots=True)
class Chosen:
    """A row of a picker, from 0; none for nothing."""

    call: int
    index: int | None = None


# --- prompts and options


@dataclass(frozen=True, slots=True)
class SendPrompt:
    """`blocks` are content blocks as a script gives them; `bang` cancels the turn first."""

    chat: int
    text: str
    selections: tuple[Selection, ...]
    bang: bool
    blocks: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class SetMode:
    """Without a mode the user picks."""

    chat: int
    mode: str | None = None


@dataclass(frozen=True, slots=True)
class SetOption:
    """What is left out the user picks; `category` names the option by what it is for."""

    chat: int
    option: str | None = None
    value: str | None = None
    category: str | None = None


@dataclass(frozen=True, slots=True)
class OfNote:
    """A note that goes along with the next prompt; without a key all of them."""

    chat: int
    key: str | None = None


@dataclass(frozen=True, slots=True)
class DropNote:
    """That note is not to go along."""

    chat: int
    key: Literal["comments", "rejected", "changed"]


# --- questions


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """To an elicitation: accept, decline or cancel; without content with what its form holds."""

    action: ElicitationAction
    content: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Respond:
    """An option answers a permission, an answer an elicitation.

    `seen` is the digest of what the user saw, None for a script that has seen no window; `inside`:
    in the window itself, where changes are marked.
    """

    ask: str
    option: str | None = None
    answer: GivenAnswer | None = None
    seen: str | None = None
    inside: bool = False


@dataclass(frozen=True, slots=True)
class Fill:
    """Field and option count from 0; without text and option the field is emptied."""

    ask: str
    field: int
    text: str | None = None
    option: int | None = None


@dataclass(frozen=True, slots=True)
class GoToQuestion:
    """The next of those that wait (`step` 1), or that before (-1), counted round."""

    step: int


@dataclass(frozen=True, slots=True)
class OfQuestion:
    """A question."""

    ask: str


@dataclass(frozen=True, slots=True)
class WindowMoved:
    """Where the window of the questions is now."""

    bufnr: int
    winid: int


@dataclass(frozen=True, slots=True)
class Compare:
    """`index` is a file, from 0, counted round."""

    ask: str
    index: int


# --- looking


@dataclass(frozen=True, slots=True)
class Fold:
    """Open or close what stands in a row, or all of it."""

    chat: int
    row: int
    action: FoldAction


@dataclass(frozen=True, slots=True)
class PromptMade:
    """A chat has another prompt buffer."""

    chat: int
    prompt: int


@dataclass(frozen=True, slots=True)
class Follow:
    """`moved`: it is off because the user moved in its window."""

    to: Literal["on", "off", "toggle"]
    moved: bool = False


@dataclass(frozen=True, slots=True)
class TerminalInput:
    """What the user typed; the number is the host's own."""

    terminal: int
    data: bytes | str


@dataclass(frozen=True, slots=True)
class TerminalSize:
    """The largest window that shows it."""

    terminal: int
    rows: int
    columns: int


# --- the review


@dataclass(frozen=True, slots=True)
class ShowReview:
    """Of one turn or of all; `path` and `line` say where the user is. `off`: show no longer.
    `only`: show it, and go nowhere."""

    chat: int | None = None
    turn: int | None = None
    off: bool = False
    path: str | None = None
    line: int = 1
    only: bool = False


@dataclass(frozen=True, slots=True)
class Decide:
    """Keep or reject: lines of a file (first and last, inclusive), the file, or all."""

    verdict: Literal["keep", "reject"]
    scope: Literal["lines", "file", "all"]
    path: str = ""
    first: int = 0
    last: int = 0
    hunk: bool = False
    """The lines are those of one hunk."""
    because: str = ""
    """Why, for the agent."""


@dataclass(frozen=True, slots=True)
class Undo:
    """The turn of that number, else the last one; without a chat of the project of `path`."""

    chat: int | None = None
    turn: int | None = None
    path: str = ""


@dataclass(frozen=True, slots=True)
class Redo:
    """What was taken back last, in the session of that chat or in any."""

    chat: int | None = None
    path: str = ""


@dataclass(frozen=True, slots=True)
class ShowDiff:
    """Of that turn or all of the chat's session; without a chat, of the project of `path`."""

    chat: int | None = None
    turn: int | None = None
    path: str = ""


@dataclass(frozen=True, slots=True)
class HunkPart:
    """A hunk that was shown at that 1-based line, or lines of it: 0-based, inclusive; `last` -1 is
    the whole."""

    path: str
    key: str
    line: int
    first: int = 0
    last: int = -1


@dataclass(frozen=True, slots=True)
class DecideParts:
    """Keep or reject these; `because`: why, for the agent."""

    verdict: Literal["keep", "reject"]
    parts: tuple[HunkPart, ...]
    because: str = ""


@dataclass(frozen=True, slots=True)
class CommentOn:
    """Words on lines of a file (first and last, inclusive), as these are; without text none."""

    path: str
    first: int
    last: int
    lines: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class OfLine:
    """Something about a line of a file."""

    path: str
    line: int
