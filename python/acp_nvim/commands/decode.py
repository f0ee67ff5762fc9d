"""From what Lua sends to frozen records: their fields say what is taken, and of which type.

A field that Lua leaves out, or that is nil, has its default, or None where that is of its type.
Other fields are ignored. Lua cannot tell an empty list from an empty map, so either is both.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from msgspec import Struct
from msgspec.structs import fields

from acp_nvim.errors import UserError

P = TypeVar("P")

_NAMES = {int: "a number", str: "a string", bool: "true or false", bytes: "bytes"}


def decode(verb: str, record: type[P], raw: object) -> P:
    """Return the payload of a verb; raises `UserError` that names verb and field."""
    found: P = _record(record, raw, verb)
    return found


def _record(record: Any, raw: object, where: str) -> Any:
    plain = _mapping(raw, where)
    known: dict[str, Any] = {}
    for name, (kind, is_required) in _fields(record).items():
        value = plain.get(name)
        if value is not None:
            known[name] = _value(kind, value, f"{where}: {name}")
        elif NoneType in get_args(kind):
            known[name] = None
        elif is_required:
            raise UserError(f"{where}: {name} is missing")
    return record(**known)


@cache
def _fields(record: Any) -> Mapping[str, tuple[Any, bool]]:
    """Return type and whether it must be there of each field."""
    return {it.name: (it.type, it.required) for it in fields(record)}


def _value(kind: Any, value: Any, where: str) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any:
        return value
    if isinstance(kind, type) and issubclass(kind, Struct):
        return _record(kind, value, where)
    if origin is tuple:
        return tuple(_value(inner[0], it, where) for it in _sequence(value, where))
    if origin is Mapping:
        return {key: _value(inner[1], it, where) for key, it in _mapping(value, where).items()}
    if origin is Literal:
        return _one_of(inner, value, where)
    kinds = [it for it in inner if it is not NoneType] if origin in (Union, UnionType) else [kind]
    if len(kinds) == 1 and kinds[0] is not kind:
        return _value(kinds[0], value, where)
    # to Python a truth value is a number, to nobody else
    if not any(type(value) is it for it in kinds):
        raise _wrong(where, " or ".join(_NAMES[it] for it in kinds), value)
    return value


def _mapping(raw: Any, where: str) -> Mapping[str, Any]:
    if isinstance(raw, Mapping):
        return raw
    if raw is None or raw == []:
        return {}
    raise _wrong(where, "a table with names", raw)


def _sequence(raw: Any, where: str) -> list[Any]:
    if isinstance(raw, list | tuple):
        return list(raw)
    if raw == {}:
        return []
    raise _wrong(where, "a list", raw)


def _one_of(known: tuple[Any, ...], value: object, where: str) -> Any:
    if value not in known:
        raise _wrong(where, " or ".join(map(str, known)), value)
    return value


def _wrong(where: str, wanted: str, value: object) -> UserError:
    return UserError(f"{where} must be {wanted}, not {value!r}")
