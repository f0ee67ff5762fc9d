"""The words that a program gets: options, their values and operands; and what comes of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

Deed: TypeAlias = Literal[
    "removes",
    "overwrites",
    "appends to",
    "changes permissions",
    "leaves the project",
    "pushes",
    "pipes from the network",
    "runs as another user",
    "ends programs",
    "cannot be read",
]


class Arg(Struct, frozen=True):
    """A word as the program gets it; "\\0" in it stands for what nobody knows."""

    text: str
    raw: str
    from_network: bool = False
    is_pattern: bool = False
    """It has a `*`, `?` or `[` without quotes."""


class Does(Struct, frozen=True):
    """It does that, to what its words say."""

    deed: Deed
    what: str


class Changes(Struct, frozen=True):
    """It does that to a file, or to a folder."""

    deed: Deed
    path: Arg


class Runs(Struct, frozen=True):
    """It runs another program."""

    args: tuple[Arg, ...]


class RunsText(Struct, frozen=True):
    """It has a shell run that text."""

    text: Arg


Found: TypeAlias = Does | Changes | Runs | RunsText
Args: TypeAlias = Sequence[Arg]


def operands(args: Args, valued: str = "") -> list[Arg]:
    """Return the arguments that are no options, nor values of the short options `valued`."""
    found, at, is_over = list[Arg](), 0, False
    while at < len(args):
        text = args[at].text
        if is_over or not text.startswith("-") or text == "-":
            found.append(args[at])
        elif text == "--":
            is_over = True
        elif len(text) == 2 and text[1] in valued:
            at += 1
        at += 1
    return found


def flags(args: Args) -> str:
    """Return the letters of all short options."""
    return "".join(
        it.text[1:] for it in args if it.text.startswith("-") and not it.text.startswith("--")
    )


def value(args: Args, *names: str) -> Arg | None:
    """Return what stands behind an option, as a word of its own or in the same."""
    signs = [f"{it}=" if it.startswith("--") else it for it in names]
    for at, arg in enumerate(args):
        if arg.text in names and at + 1 < len(args):
            return args[at + 1]
        for sign in signs:
            if arg.text.startswith(sign) and len(arg.text) > len(sign):
                return Arg(arg.text[len(sign) :], arg.raw, arg.from_network)
    return None


def short(args: Args, valued: str) -> Iterator[tuple[str, Arg | None]]:
    """Yield the letters of short options, with the values of those that take one."""
    for at, arg in enumerate(args):
        if not re.match(r"-[^-]", arg.text):
            continue
        end = next((it for it, sign in enumerate(arg.text) if sign in valued), None)
        yield from ((sign, None) for sign in arg.text[1:end])
        if end is not None:
            here = Arg(arg.text[end + 1 :], arg.raw, arg.from_network)
            after = args[at + 1] if at + 1 < len(args) else None
            yield arg.text[end], here if here.text else after


def commands_in(args: Args, options: Sequence[str]) -> Iterator[Found]:
    """Yield the commands that are the values of these options."""
    letters = [it[1] for it in options if len(it) == 2]
    given = dict(short(args, "".join(letters)))
    texts = (value(args, *options), *map(given.get, letters))
    yield from (RunsText(it) for it in dict.fromkeys(filter(None, texts)))
