"""The review by the user's commands: show it, keep, reject, take a turn back, return it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Coroutine, Iterable, Sequence
from functools import partial, wraps
from typing import Any, Concatenate, Literal, ParamSpec, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.editor import Choice
from acp_nvim.errors import UserError
from acp_nvim.history import switch
from acp_nvim.history.author import MERGED, Author, DoerKey, SessionKey
from acp_nvim.history.conflict import Conflict
from acp_nvim.history.hunk import ReviewHunk
from acp_nvim.reactions import questions
from acp_nvim.reactions.files import catch_up, look_at
from acp_nvim.reactions.notes import key_of, refresh
from acp_nvim.review.acting import Place, Rows
from acp_nvim.review.conflicts import is_restorable
from acp_nvim.review.log import EditLog, Turn, within
from acp_nvim.review.outcome import Undone, together, unrecoverable
from acp_nvim.session.origin import Stretch
from acp_nvim.session.state import Message
from acp_nvim.view.chat.transcript import row_of
from acp_nvim.view.op import Replace
from acp_nvim.view.place import relative
from acp_nvim.view.question.comparison import Comparison, Side
from acp_nvim.view.review.lists import LEAVE, TAKE, announcement, decided, doubt, quickfix, rewound
from acp_nvim.view.review.marks import FileReview
from acp_nvim.view.review.why import why as why_lines
from acp_nvim.view.snapshot import edits_snapshot
from acp_nvim.view.styled import plural
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host

P = ParamSpec("P")
T = TypeVar("T")
Act: TypeAlias = Callable[Concatenate[Host, P], Coroutine[Any, Any, T]]

BOTH_SIDES = "do takes one change; :Acp keep takes the agent's text, :Acp reject keeps yours"


class Decide(Struct, frozen=True):
    """Keep or reject: lines of a file (first and last, inclusive), the file, or all."""

    verdict: Literal["keep", "reject"]
    scope: Literal["lines", "file", "all"]
    path: str = ""
    first: int = 0
    last: int = 0
    hunk: bool = False
    """The lines are those of one hunk."""
    chat: int | None = None
    """In which `all` was given; else `path` is where that was."""
    because: str = ""
    """Why, for the agent."""
    buffer: int = 0
    """Of which a `mark` goes along with the lines; 0: they are where they were."""
    mark: int = 0
    by: str = ""
    """Of all only what the sub-agent of that name has done, in the session of `chat`."""


def in_order(act: Act[P, T]) -> Act[P, T]:
    """Have an act begin when those that were asked for before it are over."""

    @wraps(act)
    async def begin(host: Host, /, *args: P.args, **options: P.kwargs) -> T:
        async with host.review.decisions.acts:
            return await act(host, *args, **options)

    return begin


@in_order
async def review(
    host: Host,
    chat: Chat | None = None,
    turn: int | None = None,
    by: str = "",
    off: bool = False,
    path: str | None = None,
    line: int = 1,
) -> None:
    """Show what agents have changed, of one turn or of all, and go to the hunk nearest to `path`
    and `line`; `off`: show it no longer, `by`: what that sub-agent has done.

    Once it is shown, open the list of its hunks instead.
    """
    board = host.review.presenter
    await catch_up(host)
    if off:
        board.show(everything=False)
        return
    was_shown = board.shown
    reviews = await _reviews(host, chat, turn, by, path)
    if reviews is None:
        return
    _check(reviews, turn, by)
    is_here, is_part = host.place(path, chat), turn is not None or bool(by)
    conflicts = tuple(it for it in board.conflicts() if not is_part and is_here(it.path))
    place = None if was_shown and any(it.pending for it in reviews) else (path, line)
    await _show(host, reviews, conflicts, place)


async def _reviews(
    host: Host, chat: Chat | None, turn: int | None, by: str, path: str | None
) -> tuple[FileReview, ...] | None:
    """Show the signs of all; return what has changed there. None: both sides of a conflict that
    `path` has are shown."""
    board = host.review.presenter
    host.workspace.look_around(path or "")
    if path is not None:
        await host.review.decisions.look(path)  # the user may have ended a conflict by hand
        if conflict := host.review.log.conflict(path):
            await _compare(host, conflict)
            return None
    board.show(everything=True)
    await board.settled()
    is_here = host.place(path, chat)
    reviews = tuple(it for it in board.reviews() if is_here(it.path))
    is_part = turn is not None or bool(by)
    return _of_turn(host, reviews, chat, turn, by) if is_part else reviews


@in_order
async def waiting(host: Host, chat: Chat, turn: int, path: str) -> int:
    """Show the signs of all; return how many hunks of that turn wait in the file."""
    await catch_up(host)
    reviews = await _reviews(host, chat, turn, "", path) or ()
    return sum(len(it.pending) for it in reviews if it.path == path)


async def _show(
    host: Host,
    reviews: tuple[FileReview, ...],
    conflicts: tuple[Conflict, ...],
    near: tuple[str | None, int] | None,
) -> None:
    """List the hunks, and go to the one nearest to that place; without one open the list."""
    reviewer = host.editor.reviewer
    await reviewer.update_lists(quickfix(reviews, conflicts), make=True)
    if near is None:
        await reviewer.open_list()
    elif place := _nearest(reviews, *near):
        await reviewer.go(*place)
    host.editor.notifier.notice(_said(host, reviews, conflicts))


def edited(host: Host, path: str) -> None:
    """A file with hunks was opened, or the user has changed it: its marks may be wrong."""
    if path in (*host.review.log.paths(), *host.review.comments.paths()):
        host.review.presenter.touch(path)
    questions.edited(host, path)
    for chat in host.workspace.chats.values():
        if host.review.notes.was_rejected(key_of(chat), path):  # `u` may have brought it back
            refresh(host, chat)


def met(host: Host, path: str, saved: str = "") -> None:
    """The user has opened or saved a file, of which `saved` is the stamp then: look at it now, if
    an agent's turn may change it."""
    if saved:
        host.review.store.journal.saved(path, saved)
    look_at(host, path)
    if path in host.review.sync.deferred:  # Neovim may have read it anew
        host.review.sync.free()


async def writes(host: Host, path: str) -> None:
    """The user is about to write a file that has changed on disk: what an agent did comes first."""
    space = host.workspace
    if any(space.roots(session).has(path) for session in space.sessions()):
        look_at(host, path)
        await host.review.sync.follow_now(path)


def free(host: Host) -> None:
    """A command of the user's is over, for whose end edits have waited."""
    host.review.sync.free()


async def decide(host: Host, payload: Decide) -> str:
    """Keep or reject lines, a file or all; answer what became of it, in a sentence.

    Of a file, or all, what an agent is only supposed to have done is asked about at last.
    """
    is_wide = payload.scope != "lines" and payload.verdict == "reject"
    done, doubtful, failed = await _decide(host, payload, found=not is_wide)
    if is_wide and doubtful and await wants_found(host, doubtful):
        more, _, failed = await _decide(host, payload, found=True)
        done += more
    if failed:
        raise UserError("; ".join(failed))
    is_here = _is_here(host, payload)
    reviews = host.review.presenter.reviews()
    left = sum(len(each.pending) for each in reviews if is_here(each.path))
    if payload.by and not done:
        raise UserError(
            f"no change of {payload.by} waits: file, all, or the name of a sub-agent is wanted"
        )
    return decided(payload.verdict, payload.scope, done, left)


@in_order
async def _decide(
    host: Host, payload: Decide, *, found: bool
) -> tuple[int, Sequence[str], Sequence[str]]:
    """Decide; return how many hunks, the files with hunks that are left without `found`, and what
    could not be done, in sentences."""
    board, decisions = host.review.presenter, host.review.decisions
    is_all = payload.scope == "all"
    await (catch_up(host) if is_all else host.review.restore())
    host.workspace.look_around(payload.path)
    is_here = _is_here(host, payload)
    paths = tuple(filter(is_here, board.paths())) if is_all else (payload.path,)
    place = _place(host, payload) if payload.scope == "lines" else None
    is_keep = payload.verdict == "keep"
    reject = partial(decisions.reject, found=found, because=payload.because)
    act = decisions.keep if is_keep else reject
    done = 0
    failed: list[str] = []
    for path in paths:
        try:
            if payload.by:
                doers = _doers(host, payload, path)
                done += await act(path, by=doers) if doers else 0
                continue
            places = await decide_conflict(host, path, place, keep=is_keep, found=found)
            done += places if is_keep and places else places + await act(path, place)
        except UserError as error:
            failed.append(str(error))
    await board.settled()
    log, by = host.review.log, payload.by
    return done, [it for it in paths if _is_doubtful(log, it, by)], failed


def _is_here(host: Host, payload: Decide) -> Callable[[str], bool]:
    """Return what tells whether a file is where the command was given."""
    return host.place(payload.path or None, host.workspace.chats.get(payload.chat or 0))


def _is_doubtful(log: EditLog, path: str, by: str) -> bool:
    """Return whether something that waits there is only supposed to be an agent's."""
    conflict = log.conflict(path)
    authors = [it for hunk in log.changes(path) for it in hunk.authors]
    authors += [conflict.author] if conflict else []
    return any(it.how == "found" and by in ("", it.sub_name) for it in authors)


def _doers(host: Host, payload: Decide, path: str) -> tuple[DoerKey, ...]:
    """Return who has changed the file of the sub-agents of that name, in the chat if there is."""
    stretches = _stretches(host.workspace.chats.get(payload.chat or 0))
    is_meant = within(stretches)
    known = host.review.log.doers(path, payload.by)
    return tuple(it.doer_key for it in known if not stretches or is_meant(it))


async def undo(
    host: Host, chat: Chat | None = None, turn: int | None = None, by: str = "", path: str = ""
) -> None:
    """Take back a turn: the one of that number, else the last one that has something to take; of
    `by` only what the sub-agent of that name has done, and without a chat of the project of `path`.

    What is only supposed to be the agent's is asked about then.
    """
    meant, outcome = await _undo(host, chat, turn, by, path)
    decisions = host.review.decisions
    if outcome is None:
        if not await _wants_rest(host, meant):
            return
        async with decisions.acts:
            outcome = await _undo_sure(host, meant)
    if not outcome.found:
        return
    await host.review.presenter.settled()
    wanted = await wants_found(host, outcome.found)
    if wanted is False:
        decisions.left.add(meant.key)
    if wanted:
        async with decisions.acts:
            rest = replace(meant, paths=tuple(sorted({*outcome.found, *outcome.stuck})))
            outcome = together(outcome, await decisions.undo(rest, batch=outcome.batch))
    else:
        left = [it for it in decisions.on_disk(meant) if it.path in outcome.found]
        outcome = replace(outcome, failed=(*outcome.failed, *await decisions.stands(left)))
    # not before the question, which would cover it
    if wanted or outcome.paths or outcome.left or outcome.failed:
        _tell(host, "undo", outcome)


async def _wants_rest(host: Host, turn: Turn) -> bool:
    """Ask whether the other files of a turn are undone; name first what cannot be. Raises
    `UserError` if there are no others."""
    lost = host.review.decisions.lost_of(turn)
    cannot = f"Of turn {turn.author.turn} {'; '.join(here(unrecoverable(lost)))}"
    if lost.keys() >= {*turn.paths}:
        raise UserError(cannot)
    rest = plural(len({*turn.paths} - lost.keys()), "other file")
    return await host.agrees(f"{cannot}. Undo its {rest}?", f"Yes, undo {rest}")


@in_order
async def _undo(
    host: Host, chat: Chat | None, number: int | None, by: str, path: str
) -> tuple[Turn, Undone | None]:
    """Undo what is surely the agent's; None: nothing is done, for a part of it cannot be undone.

    Raises `UserError` if there is no such turn.
    """
    await catch_up(host)
    turns = _turns(host, chat, path, by)
    if number is not None:
        turns = [turn for turn in turns if turn.author.turn == number]
    decisions = host.review.decisions
    if not turns:
        raise UserError(await _nothing(host, chat, number, by))
    asked = decisions.left if number is None else ()
    turn = next((it for it in reversed(turns) if it.key not in asked), turns[-1])
    return turn, None if decisions.lost_of(turn) else await _undo_sure(host, turn)


async def _undo_sure(host: Host, turn: Turn) -> Undone:
    """Undo what is surely the agent's, and say so, unless something is to be asked first."""
    outcome = await host.review.decisions.undo(turn, found=False)
    if not outcome.found:
        _tell(host, "undo", outcome)
    return outcome


async def _nothing(host: Host, chat: Chat | None, number: int | None, by: str) -> str:
    """Say that there is nothing to take back, and what cannot be."""
    stretches = _stretches(chat)
    whose = f"{by} of " if by else ""
    changed = f"{whose}no turn has" if number is None else f"{whose}turn {number} has not"
    said = f"{changed} changed anything that can be undone"
    if not stretches:
        return said
    decisions = host.review.decisions
    if number is not None:
        stretches = tuple(Stretch(it.key, number, number) for it in stretches if it.has(number))
    is_within = within(stretches)

    def is_meant(author: Author) -> bool:
        return is_within(author) and by in ("", author.sub_name)

    if unsaved := await decisions.unsaved(is_meant):
        more = f" and {len(unsaved) - 1} more" if len(unsaved) > 1 else ""
        return f"already undone in {os.path.basename(unsaved[0])}{more}, but not saved: :write"
    lost = unrecoverable(decisions.lost.of(is_meant))
    return "; ".join([said, *here([*lost, *decisions.waiting(is_meant)])])


@in_order
async def redo(host: Host, chat: Chat | None) -> None:
    """Return what was taken back last."""
    await host.review.restore()
    host.review.decisions.left.clear()
    stretches = _stretches(chat)
    if chat is not None and stretches:
        merged, _ = _sessions_at(host, chat.session.state.cwd, _is_merged)
        stretches += tuple(Stretch(it) for it in sorted(merged - {it.key for it in stretches}))
    batch = host.review.log.last_undo(stretches or None)
    outcome = None if batch is None else await host.review.decisions.redo(batch)
    if outcome is None:
        raise UserError("nothing to redo: no undo or rewind is left")
    _tell(host, "redo", outcome)
    for each in host.workspace.chats.values():
        refresh(host, each)


# --- the parts


def _turns(host: Host, chat: Chat | None, path: str, by: str) -> list[Turn]:
    """Return the turns of the chat; of the project, when the chat is of a host that is gone."""
    edits, stretches = host.review.log, _stretches(chat)
    if chat is None or not stretches:
        host.workspace.look_around(path)
        return _turns_at(host, path, lambda _: True, by)
    merged = _turns_at(host, chat.session.state.cwd, _is_merged, by)
    found = {it.author.doer_key: it for it in (*edits.turns(*stretches, by=by), *merged)}
    return sorted(found.values(), key=lambda turn: turn.author.began)


def _is_merged(author: Author) -> bool:
    return author.title.startswith(MERGED)


def _turns_at(
    host: Host, place: str, is_meant: Callable[[Author], bool], by: str = ""
) -> list[Turn]:
    """Return the turns that have changed files where that place is: in a worktree, or in none."""
    sessions, here = _sessions_at(host, place, is_meant)
    turns = host.review.log.turns(*map(Stretch, sessions), by=by) if sessions else ()
    found = (it for it in turns if is_meant(it.author) and here & {*it.paths})
    return sorted(found, key=lambda turn: turn.author.began)


def _sessions_at(
    host: Host, place: str, is_meant: Callable[[Author], bool]
) -> tuple[set[SessionKey], set[str]]:
    """Return the sessions that have changed files there so, whether or not that is undone, and
    which files are there."""
    trees = host.workspace.worktrees
    at = trees.at(place)
    here = {it for it in host.review.presenter.paths() if trees.at(it) == at}
    every = (it for path in here for it in authors(host, path))
    return {it.session_key for it in every if is_meant(it)}, here


def _stretches(chat: Chat | None) -> tuple[Stretch, ...]:
    """Return which session had which turns of the chat; () if there is no such chat."""
    return () if chat is None or chat.session.id is None else chat.session.state.stretches


def _of_turn(
    host: Host, reviews: Sequence[FileReview], chat: Chat | None, number: int | None, by: str
) -> tuple[FileReview, ...]:
    """Return the reviews with only the hunks that the turn, or that sub-agent, had a hand in; () if
    it had in none."""
    turns = host.review.log.turns(*_stretches(chat), by=by)
    meant = [it.author for it in turns if number in (None, it.author.turn)]

    def is_of(change: ReviewHunk) -> bool:
        return any(it.has(author) for it in meant for author in change.authors)

    if not meant:
        return ()
    return tuple(
        FileReview(each.path, each.count, tuple(filter(is_of, each.pending))) for each in reviews
    )


def _check(reviews: Sequence[FileReview], number: int | None, by: str) -> None:
    who = [by] if by else []
    who += [] if number is None else [f"turn {number}"]
    if who and not reviews:
        raise UserError(f"{' of '.join(who)} has changed nothing that is still there")


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


def _said(host: Host, reviews: Sequence[FileReview], conflicts: Sequence[Conflict]) -> str:
    if not conflicts:
        return announcement(reviews)
    where = relative(conflicts[0].path, os.getcwd())
    where += f" and {len(conflicts) - 1} more" if len(conflicts) > 1 else ""
    return f"conflict in {where}: :Acp review there shows both sides; {announcement(reviews)}"


async def _compare(host: Host, conflict: Conflict) -> None:
    """Show both sides of a conflict: the user's live text, and what the agent wants."""
    name = os.path.basename(conflict.path)
    theirs = await host.review.decisions.theirs(conflict)
    lines = tuple(theirs.removesuffix("\n").split("\n"))
    comparison = Comparison(
        left=Side(f"{name} (yours)", path=conflict.path),
        right=Side(f"{name} ({conflict.author.agent})", lines),
        title=f"conflict: {name}",
        focus="left",
        line=conflict.places[0][0] + 1,
    )
    await host.editor.comparer.open(f"conflict:{conflict.path}", comparison)
    host.editor.notifier.notice(BOTH_SIDES)


def _place(host: Host, payload: Decide) -> Rows:
    """Return the lines that are meant."""
    rows = range(payload.first - 1, payload.last)
    held = partial(host.editor.reviewer.held, payload.buffer, payload.mark)
    return Place(rows, payload.buffer, held) if payload.buffer else rows


async def decide_conflict(host: Host, path: str, place: Rows, *, keep: bool, found: bool) -> int:
    """Decide on the conflict in these rows, if there is one. Without `found` none is rejected that
    is only supposed to be an agent's.

    Return how many hunks were kept, with all in these rows, or left as the user has them.
    """
    conflict = await host.review.decisions.conflict(path, place)
    if conflict is None or (not keep and not found and conflict.author.how == "found"):
        return 0
    count = 0
    if keep:
        count = await host.review.decisions.take(conflict, place)
    else:
        await host.review.decisions.resolve(conflict, take=False)
    await host.editor.comparer.close(f"conflict:{path}")
    return max(count, len(conflict.places))


def here(sentences: Iterable[str]) -> list[str]:
    """Return sentences with names as they are seen from the working directory."""
    return [it.replace(f"{os.getcwd()}/", "") for it in sentences]


def _tell(host: Host, verb: str, outcome: Undone) -> None:
    text = rewound(
        verb,
        outcome.author,
        [relative(path, os.getcwd()) for path in outcome.paths],
        [(relative(path, os.getcwd()), row) for path, row in outcome.left],
        [relative(path, os.getcwd()) for path in outcome.unsaved],
        here(outcome.failed),
    )
    host.editor.notifier.notice(text, warning=bool(outcome.failed or outcome.left))


async def wants_found(host: Host, paths: Sequence[str]) -> bool | None:
    """Ask about these files; None: no answer."""
    agents = {it.agent for path in paths for it in authors(host, path) if it.how == "found"}
    title = doubt(sorted(agents), [relative(path, os.getcwd()) for path in paths])
    rows = [Choice(LEAVE, False), Choice(TAKE, True)]
    wanted: bool | None = await host.editor.chooser.choose(title, "acp.found", rows)
    return wanted


def doubtful(host: Host, turn: Turn) -> list[str]:
    """Return the files of a turn in which there is something to take back of that kind."""
    files = ((path, host.review.log.file(path)) for path in turn.paths)
    return [
        path
        for path, file in files
        if file and switch.undo(file, turn.author, "", 0.0, found=False).doubtful
    ]


def authors(host: Host, path: str) -> list[Author]:
    """Return who has changed that file, one for each change, or has on the disk what
    stands against unsaved text."""
    file, conflict = host.review.log.file(path), host.review.log.conflict(path)
    found = [it.author for it in file.changes] if file else []
    return [*found, conflict.author] if conflict and is_restorable(conflict) else found


async def why(host: Host, path: str, line: int) -> dict[str, Any] | None:
    """Answer what the float says of a line, and its place in the chat; None: no agent's line."""
    log = host.review.log
    await host.review.restore()
    await host.review.decisions.look(path)
    found = log.written_by(path, line - 1)
    if found is None:
        return None
    change, state = found
    chat = _chat_of(host, change.author)
    place = None if chat is None else _row_of(chat, change.author)
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(change.at))
    lines = why_lines(change.author, state, when, in_chat=place is not None)
    answer: dict[str, Any] = {"ops": [Replace(0, -1, lines)]}
    if chat is not None and place is not None:
        answer |= {"chat": chat.number, "row": place}
    return answer


def edits(host: Host) -> list[dict[str, Any]]:
    """Return `edits` of the snapshot (`:help acp-inspect`)."""
    log = host.review.log
    return [
        plain
        for path in log.paths()
        for plain in edits_snapshot(path, (*log.changes(path), *log.changes(path, "kept")))
    ]


def _chat_of(host: Host, author: Author) -> Chat | None:
    """Return the chat of the sub-agent that did it, if it has one, else of its agent."""
    space = host.workspace
    sessions = (space.session(*key) for key in (author.reader_key, author.session_key))
    chats = (space.chat_of(it) for it in sessions if it is not None)
    return next((it for it in chats if it is not None), None)


def _row_of(chat: Chat, author: Author) -> int | None:
    """Return the row of the tool call in the chat, else of the sub-agent, or the turn's prompt."""
    names = (f"tool:{author.tool_call}", f"sub:{author.turn}:{author.sub_agent}")
    rows = (row_of(chat.transcript, it) for it in names)
    row = next((it for it in rows if it is not None), None)
    if row is not None:
        return row
    for entry in chat.session.state.entries:
        if entry.turn == author.turn and isinstance(entry, Message) and entry.role == "user":
            return row_of(chat.transcript, entry.key)
    return None
