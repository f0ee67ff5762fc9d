"""The review by the user's commands: show it, keep, reject, take a turn back, return it."""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar

from acp_nvim.commands.doubting import wants_found
from acp_nvim.errors import UserError
from acp_nvim.ledger.conflict import Conflict
from acp_nvim.ledger.delta import Author, SessionKey
from acp_nvim.review.decisions import Undone
from acp_nvim.review.log import Turn
from acp_nvim.view.place import relative
from acp_nvim.view.question.comparison import Comparison, Side
from acp_nvim.view.review.lists import announcement, decided, quickfix, turn_key
from acp_nvim.view.review.marks import FileReview
from acp_nvim.view.review.rewound import rewound
from acp_nvim.workspace.workspace import Desk

P = ParamSpec("P")
T = TypeVar("T")
Act: TypeAlias = Callable[Concatenate[Desk, P], Coroutine[Any, Any, T]]

BOTH_SIDES = "do takes a change, :Acp keep the agent's text, :Acp reject leaves yours"


def in_order(act: Act[P, T]) -> Act[P, T]:
    """Have an act begin when those that were asked for before it are over."""

    @wraps(act)
    async def begin(desk: Desk, /, *args: P.args, **options: P.kwargs) -> T:
        async with desk.ground.review.acts:
            return await act(desk, *args, **options)

    return begin


@in_order
async def review(desk: Desk, payload: Mapping[str, Any]) -> None:
    """Show what agents have changed, of one turn or of all, and go to the nearest hunk."""
    board, edits = desk.ground.board, desk.ground.edits
    await desk.ground.caught_up()
    if payload.get("off"):
        board.show(everything=False)
        return
    desk.look_around(str(payload.get("path") or ""))
    here = payload.get("path")
    if isinstance(here, str):
        await desk.ground.review.look(here)  # the user may have ended a conflict by hand
    conflict = edits.conflict(here) if isinstance(here, str) else None
    if conflict is not None:
        await _compare(desk, conflict)
        return
    board.show(everything=True)
    await board.settled()
    turn = payload.get("turn")
    reviews = board.reviews()
    if turn is not None:
        reviews = _of_turn(desk, reviews, _session(desk, payload), int(turn))
    conflicts = edits.conflicts() if turn is None else ()
    await desk.ground.reviewer.lists(quickfix(reviews, conflicts), make=True)
    if place := _nearest(reviews, here, int(payload.get("line") or 1)):
        await desk.ground.reviewer.go(*place)
    desk.ground.notifier.notice(_said(desk, reviews, conflicts))


def edited(desk: Desk, payload: Mapping[str, Any]) -> None:
    """A file with hunks was opened, or the user has changed it: its marks may be wrong."""
    path = str(payload.get("path"))
    if path in desk.ground.edits.paths():
        desk.ground.board.touch(path)


def met(desk: Desk, payload: Mapping[str, Any]) -> None:
    """The user has opened or saved a file: look at it now, if an agent's turn may change it."""
    desk.ground.met(str(payload.get("path")))


async def decide(desk: Desk, payload: Mapping[str, Any]) -> str:
    """Keep or reject lines, a file or all; answer what became of it, in a sentence.

    Of a file, or all, what an agent is only supposed to have put there is asked about at last.
    """
    is_wide = payload.get("scope") != "lines" and payload.get("verdict") == "reject"
    done, doubtful = await _decide(desk, payload, found=not is_wide)
    if is_wide and doubtful and await _wants_found(desk, doubtful):
        more, _ = await _decide(desk, payload, found=True)
        done += more
    left = sum(len(each.pending) for each in desk.ground.board.reviews())
    return decided(str(payload["verdict"]), str(payload["scope"]), done, left)


@in_order
async def _decide(
    desk: Desk, payload: Mapping[str, Any], *, found: bool
) -> tuple[int, Sequence[str]]:
    """Decide; return how many hunks, and the files with hunks that are left without `found`."""
    board, ground = desk.ground.board, desk.ground
    is_all = payload.get("scope") == "all"
    await (ground.caught_up() if is_all else ground.restore())
    paths = board.paths() if is_all else (str(payload.get("path")),)
    rows = None
    if payload.get("scope") == "lines":
        rows = range(int(payload["first"]) - 1, int(payload["last"]))
    is_keep = payload.get("verdict") == "keep"
    act = ground.review.keep if is_keep else partial(ground.review.reject, found=found)
    done = 0
    failed: list[str] = []
    for path in paths:
        try:
            places = await _decide_conflict(desk, path, rows, keep=is_keep)
            count = await act(path, rows)
            # what was taken of the agent's is among the hunks that were kept
            done += max(places, count) if is_keep else places + count
        except UserError as error:
            failed.append(str(error))
    await board.settled()
    if failed:
        raise UserError("; ".join(failed))
    return done, [path for path in paths if any(it.doubtful for it in ground.edits.changes(path))]


async def undo(desk: Desk, payload: Mapping[str, Any]) -> None:
    """Take back a turn: the one of that number, else the last one that has something to take.

    What is only supposed to be the agent's is asked about then.
    """
    turn, outcome = await _undo(desk, payload)
    if not outcome.found:
        return
    wanted = await _wants_found(desk, outcome.found)
    if wanted is False:
        desk.ground.review.left.add(turn.key)
    if not wanted:
        return
    async with desk.ground.review.acts:
        rest = replace(turn, paths=outcome.found)
        _tell(desk, "undo", await desk.ground.review.undo(rest, batch=outcome.batch))


@in_order
async def _undo(desk: Desk, payload: Mapping[str, Any]) -> tuple[Turn, Undone]:
    """Take back what is surely the agent's."""
    await desk.ground.caught_up()
    number = payload.get("turn")
    turns = _turns(desk, payload)
    if number is not None:
        turns = [turn for turn in turns if turn.author.turn == int(number)]
    if not turns:
        changed = "no turn has" if number is None else f"turn {number} has not"
        raise UserError(f"{changed} changed anything that could be taken back")
    asked = desk.ground.review.left if number is None else ()
    turn = next((it for it in reversed(turns) if it.key not in asked), turns[-1])
    outcome = await desk.ground.review.undo(turn, found=False)
    if outcome.paths or outcome.left or outcome.failed or not outcome.found:
        _tell(desk, "undo", outcome)
    return turn, outcome


@in_order
async def redo(desk: Desk, payload: Mapping[str, Any]) -> None:
    """Return what was taken back last."""
    await desk.ground.restore()
    desk.ground.review.left.clear()
    key = _session(desk, payload) or _last_undone(desk)
    outcome = None if key is None else await desk.ground.review.redo(key)
    if outcome is None:
        raise UserError("there is nothing to return: :Acp undo has taken nothing back")
    _tell(desk, "redo", outcome)


# --- the parts


async def _wants_found(desk: Desk, paths: Sequence[str]) -> bool | None:
    agents = {it.agent for path in paths for it in _authors(desk, path) if it.how == "found"}
    return await wants_found(desk.ground.chooser, sorted(agents), paths)


def _turns(desk: Desk, payload: Mapping[str, Any]) -> list[Turn]:
    """Return the turns of the chat's session; of all, when the chat is of a host that is gone."""
    edits = desk.ground.edits
    key = _session(desk, payload)
    if key is not None:
        return list(edits.turns(key))
    desk.look_around(str(payload.get("path") or ""))
    here = set(desk.ground.board.paths())
    keys = {author.turn_key[:2] for path in here for author in _authors(desk, path)}
    found = [turn for each in keys for turn in edits.turns(each) if here & {*turn.paths}]
    return sorted(found, key=lambda turn: turn.author.began)


def _authors(desk: Desk, path: str) -> list[Author]:
    ledger = desk.ground.edits.ledger(path)
    return [] if ledger is None else [delta.author for delta in ledger.deltas]


def _last_undone(desk: Desk) -> SessionKey | None:
    """Return the session whose turn was taken back last."""
    found = [
        (delta.at, delta.author.turn_key[:2])
        for path in desk.ground.edits.paths()
        for delta in desk.ground.edits.undone(path)
    ]
    return max(found)[1] if found else None


def _session(desk: Desk, payload: Mapping[str, Any]) -> SessionKey | None:
    chat = desk.chats.get(payload.get("chat") or 0)
    if chat is None or chat.session.id is None:
        return None
    return chat.session.state.agent, chat.session.id


def _of_turn(
    desk: Desk, reviews: Sequence[FileReview], session: SessionKey | None, number: int
) -> tuple[FileReview, ...]:
    """Return the reviews with only the hunks that the turn had a hand in."""
    turns = () if session is None else desk.ground.edits.turns(session)
    turn = {it.author.turn: it for it in turns}.get(number)
    if turn is None:
        raise UserError(f"turn {number} has changed nothing that is still there")
    return tuple(
        FileReview(each.path, each.count, tuple(it for it in each.pending if _is_of(it, turn)))
        for each in reviews
    )


def _is_of(change: Any, turn: Turn) -> bool:
    return any(turn_key(author) == turn_key(turn.author) for author in change.authors)


def _nearest(reviews: Sequence[FileReview], path: object, line: int) -> tuple[str, int] | None:
    """Return where to go: the next hunk in the file where the user is, else the first of all."""
    waiting = [each for each in reviews if each.pending]
    here = next((each for each in waiting if each.path == path), None)
    if here is not None:
        below = [it for it in here.pending if max(it.last, it.first + 1) >= line]
        return here.path, here.row((below or here.pending)[0]) + 1
    if not waiting:
        return None
    return waiting[0].path, waiting[0].row(waiting[0].pending[0]) + 1


def _said(desk: Desk, reviews: Sequence[FileReview], conflicts: Sequence[Conflict]) -> str:
    if not conflicts:
        return announcement(reviews)
    where = relative(conflicts[0].path, os.getcwd())
    return f"conflict in {where}: :Acp review in it shows both sides; {announcement(reviews)}"


async def _compare(desk: Desk, conflict: Conflict) -> None:
    """Show both sides of a conflict: the user's live text, and what the agent wants."""
    name = os.path.basename(conflict.path)
    lines = tuple(conflict.theirs.removesuffix("\n").split("\n"))
    comparison = Comparison(
        left=Side(f"{name} (yours)", path=conflict.path),
        right=Side(f"{name} ({conflict.author.agent})", lines),
        title=f"conflict: {name}",
        focus="left",
        line=conflict.places[0][0] + 1,
    )
    await desk.ground.comparer.open(f"conflict:{conflict.path}", comparison)
    desk.ground.notifier.notice(BOTH_SIDES)


async def _decide_conflict(desk: Desk, path: str, rows: range | None, *, keep: bool) -> int:
    """Decide on the conflict in these rows, if there is one; return how many places it has."""
    conflict = desk.ground.edits.conflict(path)
    if conflict is None:
        return 0
    meant = rows is None or any(
        first < rows.stop and rows.start < max(last, first + 1) for first, last in conflict.places
    )
    if not meant:
        return 0
    await desk.ground.review.resolve(conflict, take=keep)
    await desk.ground.comparer.close(f"conflict:{path}")
    return len(conflict.places)


def _tell(desk: Desk, verb: str, outcome: Undone) -> None:
    text = rewound(
        verb,
        outcome.author,
        [relative(path, os.getcwd()) for path in outcome.paths],
        [(relative(path, os.getcwd()), row) for path, row in outcome.left],
        [relative(path, os.getcwd()) for path in outcome.unsaved],
        outcome.failed,
    )
    desk.ground.notifier.notice(text, warning=bool(outcome.failed or outcome.left))
