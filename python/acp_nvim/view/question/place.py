"""Where the window of the questions goes and how large it is, by what the editor sees.

Over the lower part of its chat if that is on screen, never over a prompt, nor the line that the
cursor is in. It is made in all forms that it could need before the editor is asked again: the
cursor beside it, the cursor in it, and folded.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.view.block import VirtualText
from acp_nvim.view.question.fit import GOOD, Fit, fit, folded
from acp_nvim.view.question.menu import Menu
from acp_nvim.view.question.rows import Cells, Row, Rows

BORDER = 2
READABLE, NARROW, WIDEST = 60, 30, 100
LEAST = 16
"""Cells of a row in which words can be read."""
PARTS = 6
"""So many free parts of an area are tried."""
PERMIT = ":Acp permit"


class Area(Struct, frozen=True):
    """Cells of the screen, counted from 0."""

    row: int
    column: int
    width: int
    height: int


class Look(Struct, frozen=True, omit_defaults=True):
    """What the editor sees: of the screen what floats may cover."""

    screen: Area
    way: str
    """What goes to the question from where the user is."""
    cells: str
    """The settings by which texts have their widths."""
    chat: Area | None = None
    """The window of the chat that the question belongs to."""
    prompts: tuple[Area, ...] = ()
    cursor: Area | None = None
    """The line in which the user is, outside of the question and of prompts."""
    is_away: bool = False
    """The user works in a window that is none of ours."""


class Form(Struct, frozen=True):
    """The window as it is drawn; without a title it has no border."""

    row: int
    column: int
    width: int
    height: int
    rows: tuple[Row, ...]
    title: str = ""
    footers: tuple[str, ...] = ()
    """By how many rows are above its first; the last one for more."""
    bar: str = ""


class Forms(NamedTuple):
    """All of its forms."""

    outside: Form
    inside: Form
    folded: Form
    clear: Area | None
    """A cursor line that does not touch this changes nothing; None: any may."""


def forms(menu: Menu, cells: Cells, look: Look) -> Forms:
    """Return the window of a question for the screen as it is."""
    cells.begin()
    inside = _Placing(menu, cells, replace(look, cursor=None, is_away=False), is_inside=True)
    outside = _Placing(menu, cells, look, is_inside=False)
    (form, is_alone), (entered, stays_alone) = outside.window(), inside.window()
    clear = inside.chat if is_alone and stays_alone else None
    return Forms(form, entered, outside.folded(), clear)


class _Placing(Struct, frozen=True):
    menu: Menu
    cells: Cells
    look: Look
    is_inside: bool

    @property
    def chat(self) -> Area | None:
        """The area of its chat; a narrow one gets some of what is beside it, but little of a window
        in which the user works."""
        if (found := self.look.chat) is None:
            return None
        least = (NARROW if self.look.is_away else READABLE) + BORDER
        width = max(found.width, min(least, self.look.screen.width))
        return replace(found, column=max(found.column + found.width - width, 0), width=width)

    def window(self) -> tuple[Form, bool]:
        """Return it in the best free part, and whether only those of its chat were tried: as long
        as the options are whole there."""
        screen, chat = self.look.screen, self.chat
        found = _best(self._tried(chat)) if chat else None
        if found is not None and found[0] <= GOOD:
            return self._form(*found[1:], is_chat=True), True
        other = _best(self._tried(screen))
        if other is None and found is None:  # no room beside the cursor at all
            other = next(self._fitted([screen]))
        if other is None or (found is not None and found[0] <= other[0]):
            assert found is not None
            return self._form(*found[1:], is_chat=True), False
        return self._form(*other[1:], is_chat=False), False

    def folded(self) -> Form:
        """Return the one row of a folded question, at the lower edge of its chat."""
        base = self.chat or self.look.screen
        part = next(iter(_free(base, self._holes())), base)
        width = max(min(part.width, READABLE), 1)
        shown = folded(self.menu, self.cells, width, self.look.way)
        return Form(max(part.row + part.height - 1, 0), part.column, width, 1, (shown,))

    def _holes(self) -> list[Area]:
        cursor = self.look.cursor
        return [*self.look.prompts, *([cursor] if cursor else [])]

    def _tried(self, base: Area) -> Iterator[_Tried]:
        return self._fitted(_free(base, self._holes()))

    def _fitted(self, parts: list[Area]) -> Iterator[_Tried]:
        """Yield what fits into parts, and how bad that is."""
        for part in parts:
            width = self._width(min(part.width - BORDER, WIDEST))
            room = part.height - BORDER
            made = fit(self.menu, self.cells, width, room, is_inside=self.is_inside)
            yield made.level + max(LEAST - (part.width - BORDER), 0), part, made, width

    def _width(self, most: int) -> int:
        """Return how wide its lines want it to be."""
        menu, width = self.menu, 1
        hint = " · " + _more(99, "below") if menu.kind == "form" else ""
        for text in (self._title(), "  " + " · ".join(self._words()) + hint):
            width = max(width, min(self.cells.of(text), most) + 2)
        for line in menu.lines:
            if len(line.text) > 4 * most:
                return max(most, 1)
            taken = self.cells.of(line.text)
            width = max(width, min(taken, most) + 2)
            for mark in line.marks:
                if isinstance(mark, VirtualText):
                    beside = (self.cells.of(text) for text, _ in mark.chunks)
                    width = max(width, *(taken + it + 2 for it in beside))
        return max(min(width, most), 1)

    def _form(self, part: Area, made: Fit, width: int, *, is_chat: bool) -> Form:
        count = len(made.rows) + (1 if made.bar else 0)
        height = max(min(count, part.height - BORDER), 1)
        row, column = part.row, part.column + part.width - width - BORDER
        if is_chat:
            row, column = part.row + part.height - height - BORDER, part.column
        return Form(
            row=max(row, 0),
            column=max(column, 0),
            width=width,
            height=height,
            rows=made.rows,
            title=Rows(self.cells, width).cut(self._title()),
            footers=tuple(self._footers(width, count - height)),
            bar=made.bar,
        )

    def _title(self) -> str:
        number, count = self.menu.position
        return f" {number} of {count} ·{self.menu.title}" if count > 1 else self.menu.title

    def _words(self) -> list[str]:
        """Return the keys that work where the user is, the most important first."""
        menu, count = self.menu, len(self.menu.option_ids)
        numbers = f"1-{min(count, 9)}" if count > 1 else "1"
        others = ["q fold", *(["]q next"] if menu.position[1] > 1 else [])]
        if not self.is_inside:
            if self.look.way == PERMIT:  # both would not fit beside each other
                return [f"{PERMIT} {numbers} answers" if count else f"{PERMIT} goes here"]
            return [f"{self.look.way} goes here", *([f"{PERMIT} {numbers}"] if count else [])]
        if menu.kind == "permission":
            return [numbers, *(["d diff"] if menu.comparable else []), "D all", *others]
        if menu.kind == "link":
            return ["o open", "x decline", "D all", "<C-c> cancel", *others]
        return ["<CR> change", "a accept", "x decline", "<C-c> cancel", *others]

    def _footers(self, width: int, hidden: int) -> Iterator[str]:
        """Yield its footer; of a form that scrolls one for each first row, its last rows end it."""
        words = self._words()
        for above in range(max(hidden, 0) + 1):
            below = hidden - above
            said = _more(below, "below") if below > 0 else _more(above, "above")
            yield self._footer([*words[:1], said, *words[1:]] if hidden > 0 else words, width)

    def _footer(self, words: list[str], width: int) -> str:
        """Return as many of the words as fit."""
        text = ""
        for word in words:
            longer = f"{text} · {word}" if text else word
            text = longer if self.cells.of(longer) + 2 <= width else text
        return f" {text} " if text else ""


_Tried = tuple[int, Area, Fit, int]


def _best(tried: Iterator[_Tried]) -> _Tried | None:
    return min(tried, key=lambda it: it[0], default=None)


def _more(count: int, where: str) -> str:
    return f"… {count} more {where}"


def overlap(one: Area, other: Area) -> bool:
    """Tell whether they have a cell in common."""
    return (
        one.row < other.row + other.height
        and other.row < one.row + one.height
        and one.column < other.column + other.width
        and other.column < one.column + one.width
    )


def _around(whole: Area, hole: Area) -> list[Area]:
    """Return what is left of an area around something in it."""
    bottom, right = whole.row + whole.height, whole.column + whole.width
    under, behind = hole.row + hole.height, hole.column + hole.width
    sides = (
        replace(whole, height=hole.row - whole.row),
        replace(whole, row=under, height=bottom - under),
        replace(whole, width=hole.column - whole.column),
        replace(whole, column=behind, width=right - behind),
    )
    return [it for it in sides if it.width > BORDER and it.height > BORDER]


def _free(whole: Area, holes: list[Area]) -> list[Area]:
    """Return the free parts of an area, the largest first."""
    found = [whole]
    for hole in holes:
        left = [_around(part, hole) if overlap(part, hole) else [part] for part in found]
        found = [part for parts in left for part in parts]
    return sorted(found, key=lambda it: (-it.width * it.height, -it.row))[:PARTS]
