"""A compaction of the agent's context as one line that opens to its summary; for `transcript`."""

from __future__ import annotations

from msgspec.structs import replace

from acp_nvim.session.content import Text
from acp_nvim.session.state import Compaction
from acp_nvim.view.block import BLANK
from acp_nvim.view.chat.attachment import label
from acp_nvim.view.chat.message import NOTICES, Drawn, contents
from acp_nvim.view.pause import Pause, never
from acp_nvim.view.styled import coloured
from acp_nvim.view.visible import one_line

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
