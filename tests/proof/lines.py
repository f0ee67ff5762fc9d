"""Texts as bodies of lines, an agent's edits of them, and what a merge of two edits must hold.

Every line that somebody writes is unique: `u17` is the user's, `g4` an agent's, `b3` was there.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

from msgspec import Struct

from tests.proof.steps import Edit

USERS = re.compile(r"u\d+")
AGENTS = re.compile(r"g\d+")
AMENDED = re.compile(r" g\d+$")
GLUED = re.compile(r"\d[a-z]")


class Form(Struct, frozen=True):
    """How the lines of a text end, and whether its last one does."""

    end: str = "\n"
    ended: bool = True


def split(text: str | None) -> tuple[list[str], Form]:
    """Return the bodies of the lines and their form; none for a text that is not there."""
    if not text:
        return [], Form()
    end = "\r\n" if "\r\n" in text else "\n"
    ended = text.endswith(end)
    return (text[: -len(end)] if ended else text).split(end), Form(end, ended)


def bodies(text: str | None) -> list[str]:
    """Return the lines without their ends, which may be of both kinds: some lines of two files that
    were exchanged, and the others rejected."""
    if text and 0 < text.count("\r\n") < text.count("\n"):
        return rows(re.sub("\r?\n$", "", text))
    return split(text)[0]


def join(lines: Sequence[str], form: Form) -> str:
    """Return the text of these lines."""
    if not lines:
        return ""
    return form.end.join(lines) + (form.end if form.ended else "")


def users(text: str | None) -> set[str]:
    """Return what the user has typed into it."""
    return set(USERS.findall(text or ""))


def agents(text: str | None) -> set[str]:
    """Return what agents have written into it."""
    return set(AGENTS.findall(text or ""))


def glued(text: str | None) -> list[str]:
    """Return lines that were made of two: every word has a space or a line end after it."""
    return [line for line in bodies(text) if GLUED.search(line)]


def edited(text: str, edits: Sequence[Edit], name: Callable[[], str]) -> str:
    """Return the text as the agent wants it; `name` gives words that were never used."""
    lines, form = split(text)
    for edit in edits:
        row = edit.at % (len(lines) + 1)
        if edit.change == "insert" or row == len(lines):
            lines.insert(row, name())
        elif edit.change == "amend":
            lines[row] += f" {name()}"
        elif edit.change == "replace":
            lines[row] = name()
        else:
            del lines[row]
    return join(lines, form)


def without_own(known: str, made: str, merged: str | None) -> set[str]:
    """Return what an agent's own tool has made, without those of its lines that are still there:
    upon these it need not have written, and of the others it has. Also with what they stand for."""
    old, there = bodies(known), set(bodies(merged))
    lines, form = split(made)
    found: list[str] = []
    back: list[str] = []
    changes = SequenceMatcher(None, old, lines, autojunk=False).get_opcodes()
    for tag, start, stop, first, last in changes:
        own = (_unmade(it, set(old)) if it in there else it for it in lines[first:last])
        stays = [it for it in own if it]
        found += stays
        back += stays or (old[start:stop] if tag == "replace" else [])
    return {join(found, form), join(back, form)}


def parts_of_own(known: str, made: str) -> set[str]:
    """Return what has any of the changes by which an agent's own tool has made that: each of them
    it may have known as it wrote, or not."""
    old, (lines, form) = bodies(known), split(made)
    changes = SequenceMatcher(None, old, lines, autojunk=False).get_opcodes()
    places = [at for at, change in enumerate(changes) if change[0] != "equal"][:6]
    found: set[str] = set()
    for chosen in itertools.product((False, True), repeat=len(places)):
        left = {at for at, is_in in zip(places, chosen, strict=True) if not is_in}
        sides = (
            old[start:stop] if at in left else lines[first:last]
            for at, (_, start, stop, first, last) in enumerate(changes)
        )
        found.add(join([line for side in sides for line in side], form))
    return found


def with_own(known: str, made: str) -> str:
    """Return what an agent's own tool has made, with those of its lines that it knows and the user
    has taken out meanwhile."""
    old, (lines, form) = bodies(known), split(made)
    for before, line in zip(["", *old], old, strict=False):
        if AGENTS.search(line) and line not in lines:
            lines.insert(lines.index(before) + 1 if before in lines else 0, line)
    return join(lines, form)


def without_lines(text: str, gone: set[str]) -> str:
    """Return the text without those lines."""
    lines, form = split(text)
    return join([line for line in lines if line not in gone], form)


def without_unread(known: str, text: str) -> str:
    """Return the text without lines of the user's that an agent has not read, and so not changed,
    though its own tool may have left them where they were."""
    unread = users(text) - users(known)
    lines, form = split(text)
    return join([line for line in lines if not users(line) & unread], form)


def _unmade(line: str, old: set[str]) -> str:
    """Return what was there before an agent put words behind it, "" if it is all its own."""
    was = line
    while was not in old and (shorter := AMENDED.sub("", was)) != was:
        was = shorter
    return "" if was not in old and AGENTS.fullmatch(was) else was if was in old else line


def merge_complaint(base: str, ours: str, theirs: str, merged: str | None) -> str:
    """Return why `merged` is no merge of both sides' edits of the base, or "".

    It must hold exactly our lines without what they took out and with what they put in, and both
    sides' order.
    """
    b, o, t, m = (bodies(text) for text in (base, ours, theirs, merged))
    gone, new = Counter(b) - Counter(t), Counter(t) - Counter(b)
    wanted = Counter(o) - gone
    for line, count in new.items():
        wanted[line] = max(wanted[line], count)
    # a line that we moved is one that we put in: theirs took out only what stood there before; of
    # two that we exchanged either may be it
    carried = gone & (Counter(o) - _unmoved(b, o))
    twice = gone & (Counter(b) - Counter(o))  # both took out the same one, of several alike
    # one that we took out, and theirs has moved, they put in
    carried += (Counter(b) - Counter(o)) & (Counter(t) - _unmoved(b, t))
    missing, extra = wanted - Counter(m), Counter(m) - wanted
    if missing or extra - (carried | twice):
        return f"not both sides' lines: missing {sorted(missing)}, too many {sorted(extra)}"
    if any(count > 1 for side in (b, o, t) for count in Counter(side).values()):
        return ""
    for side in (o, t):
        kept = set(side) & set(m)
        if [line for line in side if line in kept] != [line for line in m if line in kept]:
            if moved(b, o):
                return ""
            return f"another order: {m} of {side}"
    return ""


def _unmoved(base: list[str], ours: list[str]) -> Counter[str]:
    """Return the lines that are where they were, whichever of those that were exchanged was it."""
    return _stayed(base, ours) & _stayed(base[::-1], ours[::-1])


def _stayed(base: list[str], ours: list[str]) -> Counter[str]:
    """Return the lines that were not moved, if the first ones of those that could be were not."""
    same = SequenceMatcher(None, base, ours, autojunk=False).get_matching_blocks()
    blocks = [(int(it.b), int(it.size)) for it in same]
    return Counter(line for at, size in blocks for line in ours[at : at + size])


def rows(text: str | None) -> list[str]:
    """Return the lines of a text, however each of them ends."""
    return re.split("\r?\n", text or "")


def moved(base: Sequence[str], ours: Sequence[str]) -> bool:
    """Return whether lines were moved: the order is then of that side alone."""
    common = set(base) & set(ours)
    return [line for line in base if line in common] != [line for line in ours if line in common]
