"""A command line as a tree: what bash would make of it before it runs anything."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct


class Plain(Struct, frozen=True):
    """Text as it is written; without quotes its braces, `*` and `~` mean something."""

    text: str
    is_quoted: bool = False


class Variable(Struct, frozen=True):
    """The value of a variable."""

    name: str


class Output(Struct, frozen=True):
    """What commands print: `$(…)`, or a file of it, `<(…)`."""

    body: Body


class Unread(Struct, frozen=True):
    """Text that nobody knows before it runs: arithmetic, `${a:-b}`; `within` is in it."""

    within: tuple[Piece, ...] = ()


Piece: TypeAlias = Plain | Variable | Output | Unread


class Word(Struct, frozen=True):
    """One word; `raw` is how it is written."""

    pieces: tuple[Piece, ...]
    raw: str


class Redirect(Struct, frozen=True):
    """`> file` and its like; of `<<` the word is the text itself."""

    sign: str
    word: Word


class Simple(Struct, frozen=True):
    """One command with its words."""

    words: tuple[Word, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    assigned: tuple[tuple[str, Word], ...] = ()


class Group(Struct, frozen=True):
    """Commands between `(` and `)`, `{` and `}`, `do` and `done`, …; words of its head before."""

    body: Body
    redirects: tuple[Redirect, ...] = ()
    is_subshell: bool = False
    loop: tuple[str, tuple[Word, ...]] | None = None
    """The variable of a `for`, and the words that it goes through."""


Pipeline: TypeAlias = tuple[Simple | Group, ...]
Body: TypeAlias = tuple[Pipeline, ...]
