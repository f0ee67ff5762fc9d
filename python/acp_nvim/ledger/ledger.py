"""The ledger of one file: its weave and the deltas that the weave names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from acp_nvim.ledger.delta import Author, Delta, Kind, TurnKey
from acp_nvim.ledger.ends import as_users, exact, of_users, uniform
from acp_nvim.ledger.span import (
    FILE,
    NOBODY,
    Span,
    Weave,
    alive_lines,
    exploded,
    lines_of,
    marked,
    packed,
    split_lines,
    text_of,
)
from acp_nvim.ledger.weave import Place, Verdict, is_untouched, rewoven


@dataclass(frozen=True, slots=True)
class FileAttributes:
    """How a file was on disk besides its text."""

    mode: int = 0
    """Its permission bits before it went, or an agent gave it others; 0: not known."""
    encoding: str = ""
    """Of a ledger that an earlier version has kept: what its lines, as they are read, were written
    in. Since then lines are exact, and this is ""."""
    inode: int = 0
    """Which file it was before an agent first changed it; 0: not known, `NO_FILE`: there was none.
    Another one that has other names, too, is another file: it is not written into."""
    given: int = 0
    """The permission bits that an agent's tool has given it instead; 0: none."""

    def then(self, left: FileAttributes, *, gone: bool) -> FileAttributes:
        """Return it after an agent has found the file like `left`, where `given` is what it has
        now, and has changed it, or removed it."""
        form = replace(self, inode=self.inode or left.inode)
        if not (gone or left.given):
            return form
        is_known = self.mode and left.mode in (0, self.given)
        mode = self.mode if is_known else left.mode
        given = left.given if mode and not gone else 0
        return replace(form, mode=mode, given=given if given != mode else 0)


NO_FILE: Final = -1
UNKNOWN_ATTRIBUTES: Final = FileAttributes()
AMENDED: Final = 100
"""So many lines at most are looked for in a text that has none of them as it was."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """One file, from the moment before an agent first changed it."""

    weave: Weave = ()
    deltas: tuple[Delta, ...] = ()
    """By their numbers, which count from 1."""
    form: FileAttributes = UNKNOWN_ATTRIBUTES
    """How the file was, for when it comes back."""
    mark: str = ""
    """What stands before the first line, whichever that is: it is the file's. "" where an agent has
    changed it: then it is a part of the lines, as any other change."""

    ends: str = ""
    """How the user's lines end; "" if not all in one way, or not known."""

    @property
    def text(self) -> str | None:
        """The text as it was last seen; None: there was no file."""
        text = text_of(self.weave)
        return self.mark + text if text and self.mark else text

    def delta(self, number: int) -> Delta | None:
        """Return the delta of that number, None for `NOBODY`."""
        return self.deltas[number - 1] if number != NOBODY else None

    @property
    def agents(self) -> frozenset[int]:
        """The numbers of all that agents have done."""
        return frozenset(delta.number for delta in self.deltas if delta.kind == "agent")

    def of_turn(self, key: TurnKey) -> frozenset[int]:
        """Return the numbers of what the agent did in that turn."""
        return frozenset(
            delta.number
            for delta in self.deltas
            if delta.kind == "agent" and delta.author.turn_key == key
        )

    def found(self, numbers: frozenset[int]) -> frozenset[int]:
        """Return those of the deltas that are only supposed to be the agent's."""
        return frozenset(it for it in numbers if self.deltas[it - 1].author.how == "found")

    def over(self, numbers: frozenset[int]) -> frozenset[int]:
        """Return the numbers of the other deltas that were made upon these."""
        return (
            frozenset(
                delta.number
                for delta in self.deltas
                if delta.kind in ("agent", "joined") and delta.over & numbers
            )
            - numbers
        )

    def taken_back(self) -> dict[int, int]:
        """Return, by the number of what an agent has done, that of the undo that has taken it
        back."""
        undos: dict[TurnKey, Delta] = {}
        for delta in self.deltas:
            if delta.kind == "undo" and delta.batch:
                undos[delta.author.turn_key] = delta
        found: dict[int, int] = {}
        for delta in self.deltas if undos else ():
            by = undos.get(delta.author.turn_key) if delta.kind == "agent" else None
            if by is None or by.number < delta.number:
                continue
            if by.author.how == "found" or delta.author.how == "named":
                found[delta.number] = by.number
        return found


def begin(text: str | None) -> Ledger:
    """Return the ledger of a file that no agent has changed yet; None: there is no file."""
    mark, text = marked(text)
    lines = lines_of(text)
    return Ledger(packed([Span(lines)]), mark=mark, ends=uniform(lines))


def wrote(ledger: Ledger, text: str | None, author: Author, at: float) -> Ledger:
    """Return the ledger after the agent has made this text of the one that it knows."""
    mark, rest = marked(text)
    if rest and mark != ledger.mark:
        ledger = _in_lines(ledger)
    else:
        text = rest
    deltas = list(ledger.deltas)

    def judge(place: Place) -> Verdict:
        over = _over(deltas, (*place.killed, *place.revived, *place.again))
        return Verdict(_new(deltas, "agent", author, at, over))

    def may_return(span: Span) -> bool:
        # Only within one turn, and before the user has decided: each is reviewed by itself.
        delta = deltas[span.died - 1] if span.died else None
        return delta is not None and _is_of(delta, author) and not span.kept_death

    lines = lines_of(text)
    weave = rewoven(ledger.weave, lines, judge, may_return, is_users=False)
    if alive_lines(weave) != [*lines]:
        deltas = list(ledger.deltas)
        weave = rewoven(ledger.weave, lines, judge, may_return, is_users=False, key=exact)
    return replace(ledger, weave=weave, deltas=tuple(deltas))


def saw(ledger: Ledger, text: str | None, at: float) -> Ledger:
    """Return the ledger after the user has made this text of the one that it knows.

    What the user changed in an agent's lines belongs to the agent's hunk from then on; everything
    else is nobody's to review.
    """
    went = _as_it_went(ledger) if text else None
    if not text or went is None:
        return _seen(ledger, text, at)
    if _goes_on(went, text):
        ledger = _seen(ledger, went, at)  # a buffer has kept it
        return _seen(ledger, text, at)
    return _seen(ledger, text, at, is_another=True)


def _seen(ledger: Ledger, text: str | None, at: float, *, is_another: bool = False) -> Ledger:
    """See `saw`; of `is_another` no line has been there before."""
    mark, rest = marked(text)
    if rest and (mark or ledger.mark) and not _has_in_lines(ledger):
        ledger, text = replace(ledger, mark=mark), rest
    deltas = list(ledger.deltas)

    def judge(place: Place) -> Verdict:
        touched = _touched(place)
        over = _over(deltas, touched)
        if not over:
            return Verdict(NOBODY)
        kept = all(map(_is_settled, touched))
        author = deltas[max(over) - 1].author
        births = {span.born for span in place.revived} - {NOBODY} if place.revived else set()
        again = _with_below(deltas, births) if births else frozenset()
        return Verdict(_new(deltas, "joined", author, at, over), kept, again)

    def may_return(span: Span) -> bool:
        return not is_another or span.lines == (FILE,)

    lines = lines_of(text)
    weave = rewoven(ledger.weave, lines, judge, may_return, is_users=True)
    weave = _with_reverted(weave, deltas, len(ledger.deltas))
    ends = of_users(ledger.ends, ledger.weave, ledger.agents, lines)
    return replace(ledger, weave=weave, deltas=tuple(deltas), ends=ends)


def _with_reverted(weave: Weave, deltas: Sequence[Delta], last: int) -> Weave:
    """Return the weave with what is `reverted` by the deltas after the last one: no line that a
    write had put in is there, and what it had taken out is, as by `u`."""
    back = {it.was for it in weave if it.was and it.alive and it.undone is None}
    if not back or len(deltas) == last:
        return weave
    writes = {it.number: (it.author.turn_key, it.at) for it in deltas}
    stay = {writes.get(it.born if it.alive else it.died or NOBODY) for it in weave}
    whole = {writes[it] for it in back} - stay
    return tuple(
        replace(it, was=it.born)
        if (it.died or NOBODY) > last and writes.get(it.born) in whole
        else it
        for it in weave
    )


def with_ends_of_user(ledger: Ledger) -> Ledger:
    """Return the ledger after its last delta has taken back what agents have done.

    What the user has written while an agent had converted all line ends has them as the user's.
    """
    weave = as_users(ledger.weave, ledger.agents, ledger.ends, len(ledger.deltas))
    return replace(ledger, weave=weave)


def _as_it_went(ledger: Ledger) -> str | None:
    """Return the text that an agent has taken away with the file, None if none has."""
    file = next(iter(ledger.weave), None)
    by = ledger.delta(file.died or NOBODY) if file is not None and not file.alive else None
    if file is None or file.lines[0] != FILE or by is None or by.kind != "agent":
        return None
    there = (replace(it, died=None) for it in ledger.weave if it.died == file.died)
    return replace(ledger, weave=tuple(there)).text


def _goes_on(old: str, new: str) -> bool:
    """Tell whether a text was made of the other: it has a line of its, as it was or amended."""
    lines = dict.fromkeys(line.strip() for line in split_lines(old) if line.strip())
    is_there = any(line.strip() in lines for line in split_lines(new))
    return is_there or any(line in new for line in islice(lines, AMENDED))


def _in_lines(ledger: Ledger) -> Ledger:
    """Return the ledger with its mark as a part of what comes first, or would if it were back."""
    if not ledger.mark:
        return ledger
    spans: list[Span] = []
    done = False
    for span in (one for each in ledger.weave for one in exploded(each)):
        is_first = not done and span.lines != (FILE,)
        done = done or (is_first and span.alive)
        lines = tuple(ledger.mark + line for line in span.lines)
        spans.append(replace(span, lines=lines, has_mark=True) if is_first else span)
    return replace(ledger, weave=packed(spans), mark="")


def _has_in_lines(ledger: Ledger) -> bool:
    return any(marked(line)[0] for span in ledger.weave for line in span.lines)


def added(ledger: Ledger, kind: Kind, author: Author, at: float, batch: str = "") -> Ledger:
    """Return the ledger with one more delta, the last of its deltas."""
    delta = Delta(len(ledger.deltas) + 1, kind, author, at, batch=batch)
    return replace(ledger, deltas=(*ledger.deltas, delta))


def _touched(place: Place) -> tuple[Span, ...]:
    """Return the lines of agents that a hunk of the user's changes, or stands in the midst of."""
    moved = (*place.killed, *(span for span in place.revived if span.lines != (FILE,)))
    touched = tuple(span for span in moved if not is_untouched(span) or span.died)
    around = tuple(it for it in (place.before, place.after) if it is not None and it.born)
    if touched or place.killed or len(around) < 2 or any(it.kept_birth for it in around):
        return touched
    return around


def _is_settled(span: Span) -> bool:
    """Tell whether there is nothing to review of these lines, or will not be once they are back."""
    if span.born != NOBODY:
        return span.kept_birth
    return span.alive or span.kept_death


def _over(deltas: list[Delta], spans: Iterable[Span]) -> frozenset[int]:
    """Return the deltas that these lines came from, left by or came back by, and what is below."""
    return _with_below(
        deltas, {it for span in spans for it in (span.born, span.died, span.undone) if it}
    )


def _with_below(deltas: list[Delta], numbers: set[int]) -> frozenset[int]:
    return frozenset(numbers).union(*(deltas[number - 1].over for number in numbers))


def _new(deltas: list[Delta], kind: Kind, author: Author, at: float, over: frozenset[int]) -> int:
    number = len(deltas) + 1
    deltas.append(Delta(number, kind, author, at, over))
    return number


def _is_of(delta: Delta, author: Author) -> bool:
    return delta.kind in ("agent", "joined") and delta.author.turn_key == author.turn_key
