"""The history of a file as JSON: its facts, from which it is made anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import cache
from typing import Annotated, Any, Final, TypeAlias

from pydantic import PlainSerializer, PlainValidator, TypeAdapter

from acp_nvim.history.facts import (
    Began,
    Fact,
    Had,
    Kept,
    Off,
    On,
    Recoded,
    Rejected,
    Saw,
    Wrote,
)
from acp_nvim.history.file import File
from acp_nvim.history.fold import fold
from acp_nvim.storage.record import Value, dumped, dumped_text

ALL: Final = (Began, Wrote, Saw, Off, On, Rejected, Kept, Recoded, Had)
KINDS: Final = {it.__name__: it for it in ALL}
PORTION: Final = 2_000
"""Hunks that are made JSON of at once: more would hold the interpreter, and so the loop."""


@cache
def _adapter(name: str) -> TypeAdapter[Any]:
    return TypeAdapter(KINDS[name])


def _plain(file: File) -> list[Value]:
    return [[type(it).__name__, _plain_fact(it)] for it in file.facts]


def _plain_fact(fact: Fact) -> Value:
    return _adapter(type(fact).__name__).dump_python(fact, exclude_defaults=True)


def _file(rows: Value) -> File:
    """Return the file of these facts. Raises `ValueError` if they are none."""
    if isinstance(rows, File):
        return rows
    try:
        facts = [_adapter(name).validate_python(fact) for name, fact in rows]
        if not facts or not isinstance(facts[0], Began):
            raise ValueError("no history")
        return fold(facts)
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise ValueError(str(error)) from error


def texts(file: File) -> Iterator[str]:
    """Yield each fact as JSON, which takes long for none of them at a time."""
    for fact in file.facts:
        name = type(fact).__name__
        if isinstance(fact, Began) and fact.text is not None:
            yield f'["{name}",{{"text":{dumped_text(fact.text)}}}]'
        elif isinstance(fact, Wrote | Saw) and len(fact.hunks) > PORTION:
            yield f'["{name}",{_long_change(fact)}]'
        else:
            yield dumped([name, _plain_fact(fact)])


def _long_change(fact: Wrote | Saw) -> str:
    rest = dumped(_plain_fact(replace(fact, hunks=())))
    starts = range(0, len(fact.hunks), PORTION)
    portions = (fact.hunks[start : start + PORTION] for start in starts)
    hunks = ",".join(dumped([asdict(it) for it in portion])[1:-1] for portion in portions)
    return rest.replace('"hunks":[]', f'"hunks":[{hunks}]', 1)


KeptFile: TypeAlias = Annotated[File, PlainSerializer(_plain), PlainValidator(_file)]
"""A file as it is kept."""
