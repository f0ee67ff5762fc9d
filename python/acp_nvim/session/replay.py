"""What an agent replays of a session, beside what was kept of it: nothing that was seen is gone.

Pure; called by `client.opening`. What an agent tells of a turn that was over is what counts; but
some replay texts only, some do not know the turn in which they were killed, and none knows what was
said before in another session.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TypeAlias

from msgspec.structs import replace

from acp_nvim.session.content import Text
from acp_nvim.session.saved import CUT_OFF
from acp_nvim.session.state import Ending, Entry, Message, Notice, ToolCall

Turn: TypeAlias = tuple[Entry, ...]
"""The entries of one turn."""

REACH = 50
"""Kept turns that are compared with one that was replayed, at most."""


def with_kept(replayed: Sequence[Entry], kept: Sequence[Entry]) -> Sequence[Entry]:
    """Return what an agent has replayed, and what it lacks; the very same if that is nothing."""
    earlier, kept = _parted(kept)
    whole = with_cut_off(with_endings(with_calls(replayed, kept), kept), kept)
    if not earlier:
        return whole
    last = max(entry.turn for entry in earlier)
    return (*earlier, *(replace(entry, turn=entry.turn + last) for entry in whole))


def _parted(kept: Sequence[Entry]) -> tuple[Sequence[Entry], Sequence[Entry]]:
    """Return what was said in other sessions, and what in this one."""
    marks = (place for place, it in enumerate(kept) if isinstance(it, Notice) and it.mark == "anew")
    first = max(marks, default=-1) + 1
    return kept[:first], kept[first:]


# --- a turn that was cut off


def with_cut_off(replayed: Sequence[Entry], kept: Sequence[Entry]) -> Sequence[Entry]:
    """Return what an agent has replayed, with the turn that was cut off as far as we have more.

    An agent may not know the prompt that ran, or only a part of its answer.
    """
    ours, theirs = _last_turn(kept), _last_turn(replayed)
    if not any(_cuts_off(entry) for entry in ours):
        return replayed
    before = replayed[: len(replayed) - len(theirs)]
    if not _said(ours, "user") or _said(ours, "user") not in _said(theirs, "user"):
        turn = max((entry.turn for entry in replayed), default=0) + 1
        return (*replayed, *_in_turn(turn, ours))
    turn = theirs[0].turn
    if _is_more(ours, theirs):
        return (*before, *_in_turn(turn, ours))
    return (*replayed, *_in_turn(turn, (it for it in ours if isinstance(it, Notice))))


def _cuts_off(entry: Entry) -> bool:
    return isinstance(entry, Notice) and (entry.mark == "cut_off" or entry.text == CUT_OFF)


def _last_turn(entries: Sequence[Entry]) -> Turn:
    turn = max((entry.turn for entry in entries), default=0)
    return tuple(entry for entry in entries if entry.turn == turn)


def _is_more(ours: Turn, theirs: Turn) -> bool:
    """Return whether we know more of what the agent has said and done."""

    def known(entries: Turn) -> tuple[int, int]:
        calls = sum(isinstance(entry, ToolCall) for entry in entries)
        return calls, len(_said(entries, "agent"))

    return all(our >= their for our, their in zip(known(ours), known(theirs), strict=True))


# --- a replay of texts only


def with_calls(replayed: Sequence[Entry], kept: Sequence[Entry]) -> Sequence[Entry]:
    """Return what an agent has replayed, with the tool calls that were kept and it does not tell.

    Which turn is which the user's words say.
    """
    if not any(isinstance(entry, ToolCall) for entry in kept):
        return replayed
    theirs, ours = _turns(replayed), _turns(kept)
    same = _same_turns(theirs, ours)
    whole = [_whole(turn, same.get(number, ())) for number, turn in enumerate(theirs)]
    if all(new is old for new, old in zip(whole, theirs, strict=True)):
        return replayed
    return tuple(entry for turn in whole for entry in turn)


def with_endings(replayed: Sequence[Entry], kept: Sequence[Entry]) -> Sequence[Entry]:
    """Return what an agent has replayed, with the rows below turns, of which it knows nothing."""
    if not any(isinstance(entry, Ending) for entry in kept):
        return replayed
    theirs, ours = _turns(replayed), _turns(kept)
    same = _same_turns(theirs, ours)
    whole = [_ended(turn, same.get(number, ())) for number, turn in enumerate(theirs)]
    return tuple(entry for turn in whole for entry in turn)


def _ended(theirs: Turn, ours: Turn) -> Turn:
    known = any(isinstance(entry, Ending) for entry in theirs)
    rows = () if known else (entry for entry in ours if isinstance(entry, Ending))
    return (*theirs, *_in_turn(theirs[0].turn, rows))


def _turns(entries: Sequence[Entry]) -> list[Turn]:
    return [tuple(turn) for _, turn in groupby(entries, lambda entry: entry.turn)]


def _same_turns(theirs: Sequence[Turn], ours: Sequence[Turn]) -> dict[int, Turn]:
    """Return what we have of turns that were replayed; the last ones are the surest."""
    told, known = ([_said(turn, "user") for turn in turns] for turns in (theirs, ours))
    same: dict[int, Turn] = {}
    end = len(ours)
    for number in reversed(range(len(theirs))):
        places = reversed(range(max(0, end - REACH), end))
        found = next((it for it in places if _is_same(told[number], known[it])), None)
        if found is not None:
            same[number], end = ours[found], found
    return same


def _is_same(told: str, known: str) -> bool:
    """Tell whether a prompt is one that was kept; agents put notes before or behind the words."""
    if not told or not known:
        return False
    long, short = (told, known) if len(told) > len(known) else (known, told)
    return long.startswith(short) or long.endswith(short)


def _whole(theirs: Turn, ours: Turn) -> Turn:
    """Return a turn as it was replayed, with the tool calls of ours that it lacks."""
    told = {entry.id: entry.key for entry in theirs if isinstance(entry, ToolCall)}
    ids = {entry.key: entry.id for entry in ours if isinstance(entry, ToolCall)}
    known = set(ids.values())
    if known <= told.keys() or (told and not known & told.keys()):
        return theirs  # it tells them all, or calls them by other names
    turn = theirs[0].turn
    if told.keys() <= known and _said(theirs, "agent") in _said(ours, "agent"):
        return tuple(_in_turn(turn, ours))
    missing = [
        (at, replace(call, parent=told.get(ids.get(call.parent, ""), call.parent)))
        for at, call in _placed(ours)
        if call.id not in told
    ]
    return tuple(_in_turn(turn, _interleaved(theirs, missing)))


def _placed(turn: Turn) -> Iterator[tuple[int, ToolCall]]:
    """Yield each tool call, and how much the agent had said before it."""
    said = 0
    for entry in turn:
        if isinstance(entry, ToolCall):
            yield said, entry
        said += len(_said((entry,), "agent"))


def _interleaved(theirs: Turn, calls: Sequence[tuple[int, ToolCall]]) -> Iterator[Entry]:
    waiting, said = list(calls), 0
    for entry in theirs:
        length = len(_said((entry,), "agent"))
        while length and waiting and waiting[0][0] <= said:
            yield waiting.pop(0)[1]
        said += length
        yield entry
    yield from (call for _, call in waiting)


def _in_turn(turn: int, entries: Iterable[Entry]) -> Iterator[Entry]:
    return (entry if entry.turn == turn else replace(entry, turn=turn) for entry in entries)


def _said(entries: Iterable[Entry], role: str) -> str:
    """Return what was said, in single spaces."""
    messages = (it for it in entries if isinstance(it, Message) and it.role == role)
    texts = (block.text for it in messages for block in it.content if isinstance(block, Text))
    return " ".join(" ".join(texts).split())
