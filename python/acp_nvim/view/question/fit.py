"""What of a question is to be seen in a window of so many cells and rows.

First what is asked, then the options. Parts give way in an order, the question itself never.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import islice
from typing import Literal

from msgspec import Struct

from acp_nvim.view.block import Highlight, Line
from acp_nvim.view.question.menu import Menu
from acp_nvim.view.question.rows import Cells, Row, Rows, guess, row
from acp_nvim.view.styled import coloured

COUNTED = 20_000
"""Letters whose rows are counted to the row; of a text with others each counts as `DEAR`."""
DEAR = 4
SHORT = 40
"""Cells in which there is no room for more than what would be done."""
ALL = 1_000_000


class Fit(Struct, frozen=True):
    """What is shown."""

    rows: tuple[Row, ...]
    level: int
    """How much had to give way; 1 for nothing."""
    bar: str = ""
    """What is asked, above rows that scroll."""


class Level(Struct, frozen=True):
    """How each part gives way."""

    head: int
    """Rows that it may have."""
    body: int
    """Rows that it must have."""
    options: Literal["whole", "short", "count", "none"]
    """All rows, one row each, counted only."""
    notes: int = ALL
    more: bool = False
    """What else is known is there as well."""


LEVELS = (
    Level(ALL, ALL, "whole", more=True),
    Level(4, 8, "whole", 4),
    Level(2, 5, "whole", 3),
    Level(2, 4, "short", 2),
    Level(2, 3, "count", 2),
    Level(1, 1, "count", 1),
    Level(1, 1, "none", 0),
)
GOOD = 3
"""The last level at which the options are whole."""


def fit(menu: Menu, cells: Cells, width: int, room: int, *, is_inside: bool) -> Fit:
    """Return what fits; `is_inside`: the cursor is in its window."""
    fitting = _Fitting(menu, Rows(cells, width), room, is_inside)
    for number, level in enumerate(LEVELS, 1):
        if (found := fitting.at_level(level)) is not None:
            return Fit(tuple(found), number)
        if menu.kind == "form":
            return fitting.scrolling()
    return Fit((fitting.only(),), len(LEVELS) + 1)


def folded(menu: Menu, cells: Cells, width: int, key: str) -> Row:
    """Return the one row of a folded question; the key brings it back."""
    number, count = menu.position
    behind = (f" {number} of {count}" if count > 1 else "") + f" · {key} "
    room = Rows(cells, width - cells.of(behind))
    return row(room.middle_cut(f"? {menu.subject}") + behind, "AcpWarning")


class _Fitting(Struct, frozen=True):
    menu: Menu
    rows: Rows
    room: int
    is_inside: bool

    def at_level(self, level: Level) -> list[Row] | None:
        """Return what is shown at a level; None if even that is too much."""
        menu, rows = self.menu, self.rows
        notes = self._middle_cut(menu.notes, level.notes) if level.notes else []
        choices = self._options(level.options)
        about = rows.of(menu.about) if level.more else []
        gap = [Row("")] if level.more and choices else []
        left = self.room - len(notes) - len(choices) - len(about) - len(gap)
        hint = ": D shows all" if level.options == "whole" else ""
        most = level.head if menu.body else max(level.head, left)
        title = menu.head if level.notes else self._marked()
        head = self._middle_cut(title, min(most, self.room), hint=hint)
        left -= len(head)
        if left < (1 if menu.body else 0):
            return None
        body = self._ends(menu.body, left + 1, item=0)
        if menu.omitted or len(body) > left:
            if left < level.body:
                return None
            body = self._shortened(left)
        return [*head, *notes, *body, *about, *gap, *choices]

    def scrolling(self) -> Fit:
        """A form that is higher than its window scrolls below its question, which stands above."""
        head = _one(self.menu.head)
        bar = self.rows.middle_cut(head)
        parts = (
            *([] if bar == head else self.rows.of(self.menu.head)),
            *self.rows.of(self.menu.notes),
            *self.rows.of(self.menu.body, 0),
            *self._options("whole"),
        )
        return Fit(parts, GOOD, bar if bar == head or self.is_inside else "")

    def only(self) -> Row:
        """Return the one row for which there is room."""
        body, title = self.menu.body, _one(self._marked())
        first = body[0].text if body else ""
        sign = "! " if self.menu.notes else ""
        text = sign + first if self.rows.width < SHORT else f"{title}: {first}"
        last = body[-1].text if body else ""
        return row(self.rows.middle_cut(text if body else title, last), "AcpToolTitle")

    def _marked(self) -> tuple[Line, ...]:
        """Return the head where there is no room for notes: that there are some is to be seen."""
        if not self.menu.notes:
            return self.menu.head
        return (coloured(f"! {_one(self.menu.head)}", "AcpWarning"),)

    def _options(self, way: Literal["whole", "short", "count", "none"]) -> list[Row]:
        count = len(self.menu.options)
        if way == "none" or not count:
            return []
        if way == "count":
            key = "D" if self.is_inside else "<Tab>"
            text = f"{count} option{'' if count == 1 else 's'}: {key}"
            return [row(self.rows.middle_cut(text), "AcpSelected")]
        whole = self.rows.of(self.menu.options, len(self.menu.body))
        if way == "whole":
            return whole
        found = list[Row]()
        for each in whole:
            if found and found[-1].item == each.item:
                found[-1] = self.rows.joined(found[-1], each)
            else:
                found.append(each)
        return found

    def _shortened(self, most: int) -> list[Row]:
        """Return the rows of a body that does not fit as a whole."""
        menu, hint = self.menu, ": D shows all"
        changes = menu.changes
        left = len(menu.body) - len(changes) if changes else 0
        if menu.omitted or not left or most < 4:
            return self._middle_cut(menu.body, most, omitted=menu.omitted, hint=hint, item=0)
        found = self._ends(changes, most)
        if len(found) == most:
            return self._middle_cut(changes, most, omitted=left, hint=hint)
        return [*found, row(self.rows.middle_cut(f"… {left} unchanged{hint}"), "AcpDim")]

    def _middle_cut(
        self,
        lines: Sequence[Line],
        most: int,
        *,
        omitted: int = 0,
        hint: str = "",
        item: int = -1,
    ) -> list[Row]:
        """Return the rows, the middle left out where there are too many."""
        if not lines:
            return []
        whole = self._ends(lines, most + 1, item=item) if not omitted else []
        if whole and len(whole) <= most:
            return whole
        if most <= 2:
            return self._first_and_last(lines, most)
        limit = len(lines) // 2 if omitted else len(lines)
        above = self._ends(lines, math.ceil((most - 1) / 2), limit, item=item)
        below = self._ends(lines, most - 1 - len(above), limit, item=item, from_end=True)
        hidden = max(self._height(lines) - len(above) - len(below), 1) + omitted
        gap = f"… {hidden} {'row' if hidden == 1 else 'rows'} more{hint}"
        gap = f"… {hidden} more{hint}" if self.rows.cells.of(gap) > self.rows.width else gap
        return [*above, row(self.rows.middle_cut(gap), "AcpWarning"), *below]

    def _first_and_last(self, lines: Sequence[Line], most: int) -> list[Row]:
        """Return one row of both ends, or one for each."""
        first, last = self._ends(lines, 1)[0], self._ends(lines, 1, from_end=True)[0]
        mark = first.marks[0] if first.marks else None
        group = mark.group if isinstance(mark, Highlight) else "AcpCode"
        if most == 2:
            return [first, row(self.rows.middle_cut(f"… {last.text}"), group)]
        return [row(self.rows.middle_cut(first.text, last.text), group)]

    def _ends(
        self,
        lines: Sequence[Line],
        most: int,
        limit: int = ALL,
        *,
        item: int = -1,
        from_end: bool = False,
    ) -> list[Row]:
        """Return rows of one end, no more than are wanted, of so many lines."""
        numbers = range(len(lines))
        found = list[Row]()
        for number in islice(reversed(numbers) if from_end else numbers, limit):
            if len(found) >= most:
                break
            rows = self.rows.of_line(lines[number], -1 if item < 0 else item + number)
            found += reversed(rows) if from_end else rows
        return found[:most][::-1] if from_end else found[:most]

    def _height(self, lines: Sequence[Line]) -> int:
        """Return how many rows they take; of endless ones nearly, by their cells."""
        count, left = 0, COUNTED
        for line in lines:
            left -= len(line.text) * (1 if line.text.isascii() else DEAR)
            nearly = max(math.ceil(guess(line.text) / self.rows.width), 1)
            count += len(self.rows.of_line(line)) if left > 0 else nearly
        return count


def _one(lines: Sequence[Line]) -> str:
    return " ".join(line.text for line in lines)
