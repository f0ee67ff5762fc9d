"""What a permission is about, side by side: the user's live file, and what it would be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from acp_nvim import hunks
from acp_nvim.commands import asking
from acp_nvim.editor import LiveBuffer
from acp_nvim.files.live import LiveFile
from acp_nvim.files.text import buffer_form
from acp_nvim.questions.preview import Exhibit
from acp_nvim.session.proposal.proposal import Evidence
from acp_nvim.view.place import relative
from acp_nvim.view.question.comparison import Comparison, Side, to_plain
from acp_nvim.view.visible import one_line, visible
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.workspace import Desk

ON_DISK = LiveBuffer(0, 0, (), modified=False)
"""What a file is like that no buffer holds."""


async def compare(desk: Desk, payload: Mapping[str, Any]) -> dict[str, Any] | None:
    """Answer the files that a permission is about, one of them (`index`, counted round) as a spec.

    None when it is answered by now, or nothing of it can be compared.
    """
    asked = asking.find(desk, str(payload.get("ask")))
    if asked is None:
        return None
    chat, ask = asked
    exhibits = await asking.gather(desk, chat, ask)
    if desk.ground.permissions.questions.find(ask.id) is None:
        return None
    evidence = tuple(it.evidence for it in exhibits)
    desk.ground.asks.redraw(asking.menu(desk, chat, ask, evidence))
    fitting = [it for it in exhibits if it.held is not None]
    if not fitting:
        return None
    index = int(payload.get("index") or 0) % len(fitting)
    title = f"{index + 1} of {len(fitting)}, d: next" if len(fitting) > 1 else ""
    return to_plain(_comparison(fitting[index], chat, title))


def _comparison(exhibit: Exhibit, chat: Chat, title: str) -> Comparison:
    evidence, held = exhibit.evidence, exhibit.held
    assert held is not None
    path = relative(evidence.path, chat.session.state.cwd)
    old = _lines(evidence.before, held)
    return Comparison(
        _left(evidence, held, path, old),
        Side(f"{path} {_outcome(evidence, chat)}", _shown(old, _lines(evidence.after, held))),
        title,
    )


def _left(evidence: Evidence, held: LiveFile, path: str, old: tuple[str, ...]) -> Side:
    if evidence.before is None and held.buffer is None:
        return Side(f"{path} (no such file)", file=held.path)
    return Side(path, old, held.path)


def _outcome(evidence: Evidence, chat: Chat) -> str:
    if evidence.after is None:
        return "(deleted)"
    target = relative(evidence.moved_to, chat.session.state.cwd)
    moved = f"→ {target} " if target else ""
    return f"{moved}(as {one_line(asking.label(chat), 40)} proposes)"


def _lines(text: str | None, held: LiveFile) -> tuple[str, ...]:
    """Return the lines that the buffer of the file has, or would have."""
    # what is shown is read already
    buffer = replace(held.buffer or ON_DISK, encoding="")
    return buffer_form(text, buffer)[0] if text else ()


def _shown(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    """Return the new lines; those that come from the agent made visible."""
    found = (
        hunks.Hunk(it.first, it.last, tuple(map(visible, it.lines))) for it in hunks.diff(old, new)
    )
    return tuple(hunks.apply(old, tuple(found)))
