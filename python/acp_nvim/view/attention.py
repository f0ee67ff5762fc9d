"""What is said of a session that nobody looks at. Pure; called by `reactions.attention`."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from acp_nvim.loopback import is_loopback
from acp_nvim.session.event import TurnEnded
from acp_nvim.session.saved import title_of
from acp_nvim.session.state import SessionState
from acp_nvim.view.measure import Tally
from acp_nvim.view.styled import plural
from acp_nvim.view.visible import one_line

WORDS = 160
_ENDS = {
    "a command": "your command is over",
    "a command from insert mode": "your command is over",
    "a question": "you answer the question",
    "a question of acp.nvim": "you answer the question",
    "completion": "the completion is over",
    "multiple cursors": "your multiple cursors are gone",
}
"""What the user may be in the middle of that is no mode, and what its end is called."""


def name(state: SessionState, *, is_one_of_many: bool) -> str:
    """Return what to call a session: its agent, and its title where there are several."""
    title = one_line(title_of(state) or "", 40) if is_one_of_many else ""
    return one_line(state.agent, 20) + (f" · {title}" if title else "")


def waits(agent: str | None, names: str, doing: str) -> str:
    """Return what waits until the user has ended something, as in "visual mode"."""
    until = f"until {_ENDS.get(doing, f'you leave {doing}')}"
    if agent is None:
        return f"a change of {names} waits {until}"
    return f"{agent} wants to write {names}: it waits {until}"


def ending(called: str, event: TurnEnded, waiting: Tally) -> tuple[str, bool]:
    """Return how a turn has ended, and whether that is a warning; `waiting` is what it
    has changed and the user has not decided on."""
    hunks = plural(waiting.hunks, "hunk")
    more = f", {waiting.text} · {hunks}: :Acp review" if waiting.hunks else ""
    if event.error is not None:
        return f"{called} failed: {one_line(event.error, WORDS)}{more}", True
    match event.stop_reason:
        case "end_turn":
            return f"{called} is done{more}", False
        case "cancelled":
            return f"{called} was cancelled{more}", False
        case reason:
            return f"{called} stopped: {one_line(reason or 'it has ended', 40)}{more}", True


def introduction(agent: str, place: str, may: Sequence[str]) -> str:
    """Return it in a line; `place` is `scheme://host:port`, `may` what it may do here."""
    does = f"may {' and '.join(may)} in your project" if may else "touches no file of yours by us"
    parts = urlsplit(place)
    is_local = is_loopback(parts.hostname or "")
    plain = (
        "" if parts.scheme in ("wss", "https") or is_local else "; the connection is not encrypted"
    )
    return f"{agent} is at {place}, new to you: it is sent your prompts and {does}{plain}"
