"""What turns, and their tool calls, have changed in files, however it came: the chat says so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from acp_nvim.client.session import Session
from acp_nvim.files.event import DiskChanged, FileWritten
from acp_nvim.history.hunk import ReviewHunk
from acp_nvim.session.event import CallChangedFile, TurnEnded, TurnMeasured
from acp_nvim.session.model import LineCount
from acp_nvim.session.origin import Stretch
from acp_nvim.session.place import LOOKING
from acp_nvim.session.state import SessionState
from acp_nvim.workspace.host import Host


def count(host: Host, event: FileWritten | DiskChanged) -> None:
    """Count what was changed to the tool call that has done so; a call that only looks has not."""
    author = event.author
    session = None if author is None else host.workspace.session(*author.reader_key)
    if author is None or session is None or event.before == event.after:
        return
    call = session.state.tool_call(author.tool_call)
    counts = host.review.log.counts(event.path, author)
    if call is not None and call.kind not in LOOKING and counts:
        session.apply(CallChangedFile(call.id, LineCount(event.path, *counts[-1])))


def ended(host: Host, session: Session, before: SessionState, _event: TurnEnded) -> None:
    """Say below the turn what it has changed, as soon as all of that is known."""
    if before.is_running:
        host.tasks.start_soon(_measure, host, session, before.turn)


async def _measure(host: Host, session: Session, turn: int) -> None:
    await host.review.sync.drain()
    await host.review.presenter.settled()
    changes = tuple(_changes(host, session.state, turn))
    if changes:
        session.apply(TurnMeasured(turn, changes))


def _changes(host: Host, state: SessionState, turn: int) -> Iterator[LineCount]:
    """Yield what the turn has changed in each file, without what it has changed back."""
    log = host.review.log
    for it in log.turns(Stretch(state.key, turn, turn)):
        for path in it.paths:
            hunks = [*log.changes(path), *log.changes(path, "kept")]
            mine = [hunk for hunk in hunks if it.key in {who.turn_key for who in hunk.authors}]
            if mine:  # in a hunk of several turns are others' lines, too
                written = _sum(log.counts(path, it.author))
                found = _sum(map(_size, mine))
                added, removed = (min(pair) for pair in zip(written, found, strict=True))
                yield LineCount(path, added, removed)


def _size(hunk: ReviewHunk) -> tuple[int, int]:
    return len(hunk.added), len(hunk.removed)


def _sum(counts: Iterable[tuple[int, int]]) -> tuple[int, int]:
    known = tuple(counts)
    return sum(added for added, _ in known), sum(removed for _, removed in known)
