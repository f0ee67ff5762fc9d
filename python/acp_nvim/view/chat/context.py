"""The agent's context: the row that says that it is nearly full, and each compaction as one line
that opens to its summary; called by `cell` and `transcript`."""

from __future__ import annotations

from msgspec.structs import replace

from acp_nvim.session.content import Text
from acp_nvim.session.state import Compaction, Notice, SessionState, Usage
from acp_nvim.view.block import BLANK, Block
from acp_nvim.view.chat.attachment import label
from acp_nvim.view.chat.message import NOTICES, Drawn, contents, notice
from acp_nvim.view.pause import Pause, never
from acp_nvim.view.styled import coloured
from acp_nvim.view.visible import one_line

KEY = "context"
FULL = 0.9
"""Of the context: who has used so much of it has to think of what comes."""


def nearly_full(state: SessionState) -> Usage | None:
    """Return how much is used, if the row is to be shown: not while the agent writes."""
    usage = state.usage
    is_over = not state.is_running and state.status not in ("closed", "loading")
    is_full = usage is not None and usage.size > 0 and usage.used >= FULL * usage.size
    return usage if is_over and is_full else None


def block(usage: Usage) -> Block:
    """Return the row, and a blank one."""
    share = usage.used * 100 // usage.size
    text = f"{share}% of the context is used: :Acp new! continues in a new session"
    return Block(KEY, notice(Notice(KEY, 0, text, "warning")))


_SAID = {
    "in_progress": "Compacting the context …",
    "completed": "Context compacted",
    "failed": "Context not compacted",
    "cancelled": "Context not compacted: cancelled",
}
PREVIEW = 200


def draw(
    entry: Compaction,
    cwd: str,
    previous: Drawn | None = None,
    pause: Pause = never,
    *,
    is_open: bool,
) -> Drawn:
    """Return what has become of it, the summary when open, and a blank line."""
    icon = NOTICES["warning" if entry.status == "failed" else "info"]
    if not is_open or not entry.summary:
        return Drawn((coloured(_line(entry), icon.group, icon), BLANK))
    body = contents(entry.summary, cwd, previous, pause, is_open=True)
    head = coloured(_head(entry), icon.group, icon)
    return replace(body, lines=(head, *body.lines, BLANK))


def entry_text(entry: Compaction) -> str:
    """Return the plain text: what has become of it, then the whole summary."""
    return "\n".join((_head(entry), *_texts(entry)))


def _line(entry: Compaction) -> str:
    """Return the head with the first words of the summary."""
    first = " ".join(_texts(entry)).strip().partition("\n")[0]
    return one_line(f"{_head(entry)}: {first}", PREVIEW) if first else _head(entry)


def _head(entry: Compaction) -> str:
    said = _SAID.get(entry.status, f"Compaction of the context: {entry.status}")
    return one_line(f"{said}: {entry.error}" if entry.error else said, PREVIEW)


def _texts(entry: Compaction) -> list[str]:
    return [it.text if isinstance(it, Text) else label(it, "") for it in entry.summary]
