"""All changes of a turn or a session in one buffer, and deciding on them there."""

from __future__ import annotations

import os
from functools import partial
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.aside import aside
from acp_nvim.commands.reviewing import decide_conflict, in_order, wants_found
from acp_nvim.errors import FileProblem, UserError
from acp_nvim.files.live import load
from acp_nvim.history.comment import rows_of
from acp_nvim.history.hunk import ReviewHunk
from acp_nvim.reactions.files import catch_up
from acp_nvim.review.acting import Rows
from acp_nvim.view.place import relative
from acp_nvim.view.review.lists import decided, key_of
from acp_nvim.view.review.marks import FileReview
from acp_nvim.view.review.overview import NONE, WHOLE, overview
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host


class HunkPart(Struct, frozen=True):
    """A hunk that a list has shown at that 1-based line, up to `last`; without a `key` a conflict.

    `offsets` are those of the rows that are meant; none: the whole.
    """

    path: str
    key: str
    line: int
    last: int = 0
    offsets: tuple[int, ...] = ()

    @property
    def is_meant(self) -> bool:
        """Whether anything of it has changed in the rows that are meant."""
        return not self.offsets or any(it != NONE for it in self.offsets)


class DecideParts(Struct, frozen=True):
    """Keep or reject these; `scope`: how they were named; `because`: why, for the agent."""

    verdict: Literal["keep", "reject"]
    parts: tuple[HunkPart, ...]
    scope: Literal["lines", "file", "all"] = "lines"
    because: str = ""


@in_order
async def diff(
    host: Host,
    buffer: int,
    chat: Chat | None = None,
    turn: int | None = None,
    by: str = "",
    path: str = "",
) -> None:
    """Draw what agents have changed, in that buffer.

    Of one turn of the chat's session, of that session, or without one of the project of `path`.
    `by`: what the sub-agent of that name has done.
    """
    await catch_up(host)
    host.workspace.look_around(path)
    found = []
    for name in host.review.presenter.paths():
        review = (await host.review.decisions.look(name, kept=True)).review
        mine = tuple(it for it in review.changes if _is_wanted(chat, turn, by, it))
        if mine:
            shown = replace(review, changes=mine)
            found.append((relative(name, os.getcwd()), shown, await _rows(host, name)))
    whole = await aside(partial(overview, found))
    await host.editor.reviewer.overview(buffer, whole)


async def decide_parts(host: Host, payload: DecideParts) -> str:
    """Keep or reject hunks, or lines of them, as they were shown; answer what became of it.

    What has changed since is left alone. Of a file, or all, what an agent is only supposed to have
    done is asked about at last.
    """
    is_wide = payload.scope in ("file", "all") and payload.verdict == "reject"
    payload = replace(payload, parts=tuple(it for it in payload.parts if it.is_meant))
    if not payload.parts:
        raise UserError("no hunk here that waits")
    done, doubted = await _decide_parts(host, payload, found=not is_wide)
    if doubted and await wants_found(host, sorted({part.path for part in doubted})):
        done += (await _decide_parts(host, replace(payload, parts=doubted), found=True))[0]
    left = sum(len(each.pending) for each in host.review.presenter.reviews())
    return decided(payload.verdict, payload.scope, done, left)


@in_order
async def _decide_parts(
    host: Host, payload: DecideParts, *, found: bool
) -> tuple[int, tuple[HunkPart, ...]]:
    """Decide; return how many hunks, and those that are left without `found`."""
    await host.review.restore()
    done = 0
    failed: list[str] = []
    doubted: list[HunkPart] = []
    for part in payload.parts:
        try:
            count = await _decide(host, payload, part, found=found)
        except UserError as error:
            failed.append(str(error))
            continue
        done += count
        if not (count or found):
            doubted.append(part)
    await host.review.presenter.settled()
    if failed:
        raise UserError("; ".join(dict.fromkeys(failed)))
    return done, tuple(doubted)


async def _decide(host: Host, payload: DecideParts, part: HunkPart, *, found: bool) -> int:
    decisions, is_keep = host.review.decisions, payload.verdict == "keep"
    rows: Rows = partial(_rows_of, part=part)
    count = 0
    if not part.key:
        rows = range(part.line - 1, part.last)
        count = await decide_conflict(host, part.path, rows, keep=is_keep, found=found)
    if is_keep:
        return count or await decisions.keep(part.path, rows)
    return count + await decisions.reject(part.path, rows, found=found, because=payload.because)


def _rows_of(review: FileReview, part: HunkPart) -> range:
    """Return where the part is in the file now; raises `UserError` if it is not there any more."""
    same = [it for it in review.pending if key_of(review.path, it) == part.key]
    if not same:
        raise UserError(f"{os.path.basename(part.path)} has changed since: look again")
    hunk = min(same, key=lambda it: abs(it.first + 1 - part.line))
    first, meant = review.row(hunk), [it for it in part.offsets if it != NONE]
    if not meant or WHOLE in meant:
        return range(first, max(hunk.last, first + 1))
    return range(first + min(meant), first + max(meant) + 1)


def _is_wanted(chat: Chat | None, turn: int | None, by: str, change: ReviewHunk) -> bool:
    if chat is None or chat.session.id is None:
        return turn is None
    sessions = {it.key: it for it in chat.session.state.stretches}
    return any(
        stretch.has(it.turn) and turn in (None, it.turn)
        for it in change.authors
        if by in ("", it.sub_name)
        if (stretch := sessions.get(it.session_key)) is not None
    )


async def _rows(host: Host, path: str) -> list[str]:
    try:
        return rows_of((await load(host.editor.files, path)).for_agent or "")
    except FileProblem:
        return []
