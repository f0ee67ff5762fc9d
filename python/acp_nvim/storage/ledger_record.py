"""A ledger as it is kept on disk: two lines of JSON, the first says what the second holds.

Reading is tolerant: what another version wrote, or a crash has cut off, is no ledger.
"""

from __future__ import annotations

import json
from dataclasses import astuple, dataclass
from typing import Any, TypeAlias

from acp_nvim.ledger.delta import Author, Delta
from acp_nvim.ledger.ledger import FileAttributes, Ledger
from acp_nvim.ledger.review import changes
from acp_nvim.ledger.rewind import undone
from acp_nvim.ledger.span import Span

VERSION = 1

Value: TypeAlias = Any
"""A JSON value."""


@dataclass(frozen=True, slots=True)
class Head:
    """What is known of a kept ledger without reading it whole."""

    path: str
    """Of the file, resolved."""
    updated: float
    """Seconds since 1970."""
    waits: bool
    """Something in it waits for the user: a hunk, or an undo that can be returned."""


def to_text(path: str, ledger: Ledger, updated: float) -> str:
    """Return the ledger of that file as text."""
    head = {
        "acp_edits": VERSION,
        "path": path,
        "updated": updated,
        "waits": bool(changes(ledger) or undone(ledger)),
    }
    authors = list(dict.fromkeys(delta.author for delta in ledger.deltas))
    place = {author: number for number, author in enumerate(authors)}
    body = {
        "authors": [astuple(author) for author in authors],
        "deeds": [
            [delta.kind, place[delta.author], delta.at, sorted(delta.over), delta.batch]
            for delta in ledger.deltas
        ],
        "weave": [_plain(span) for span in ledger.weave],
        "form": astuple(ledger.form),
    }
    # ASCII, so that a lone surrogate survives, and no line end can be in it
    return "\n".join(json.dumps(part, separators=(",", ":")) for part in (head, body)) + "\n"


def head_of(line: str) -> Head | None:
    """Return what the first line says, None if it is none."""
    head = _load(line)
    if not isinstance(head, dict) or head.get("acp_edits") != VERSION:
        return None
    path, updated = head.get("path"), head.get("updated")
    if not isinstance(path, str) or not isinstance(updated, int | float):
        return None
    return Head(path, float(updated), bool(head.get("waits")))


def ledger_of(line: str) -> Ledger | None:
    """Return the ledger that the second line holds, None if it holds none."""
    body = _load(line)
    try:
        authors = [_author(fields) for fields in body["authors"]]
        deltas = tuple(
            Delta(number, kind, authors[author], float(at), frozenset(over), str(batch))
            for number, (kind, author, at, over, batch) in enumerate(body["deeds"], 1)
        )
        weave = tuple(_span(fields) for fields in body["weave"])
        named = {it for span in weave for it in (span.born, span.died, span.undone, span.was) if it}
        over = {it for delta in deltas for it in delta.over}
        is_whole = all(1 <= it <= len(deltas) for it in named | over)
        mode, encoding = body.get("form", (0, ""))
        form = FileAttributes(int(mode), str(encoding))
    except (TypeError, ValueError, KeyError, IndexError):
        return None
    return Ledger(weave, deltas, form) if is_whole else None


def _author(fields: list[Value]) -> Author:
    agent, session, turn, began, *texts = fields
    return Author(str(agent), str(session), int(turn), float(began), *map(str, texts))


def _plain(span: Span) -> list[Value]:
    flags = 2 * span.kept_birth + span.kept_death
    return [list(span.lines), span.born, span.died, flags, span.undone, span.was]


def _span(fields: list[Value]) -> Span:
    lines, born, died, flags, undone_by, was = fields
    if not all(isinstance(line, str) for line in lines):
        raise ValueError(lines)
    return Span(
        tuple(lines), int(born), died, bool(flags & 2), bool(flags & 1), undone=undone_by, was=was
    )


def _load(line: str) -> Value:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
