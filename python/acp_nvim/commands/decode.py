"""From what Lua sends to what a handler takes: its parameters say which fields, and of which type.

A field that Lua leaves out, or that is nil, has its default, or None where that is of its type.
Other fields are ignored. Lua cannot tell an empty list from an empty map, so either is both. A
handler whose parameter is called `payload` takes all fields as one record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from inspect import signature
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from msgspec import Struct
from msgspec.structs import fields

from acp_nvim.errors import UserError
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host

P = TypeVar("P")
Fields = Mapping[str, tuple[Any, bool]]
"""Of each field its type, and whether it must be there."""

_NAMES: Mapping[Any, str] = {
    int: "a number",
    str: "a string",
    bool: "true or false",
    bytes: "bytes",
    Chat: "a number",
}


def handle(host: Host, verb: str, handler: Callable[..., Any], raw: object) -> Any:
    """Call the handler of a verb with what came; raises `UserError` that names verb and field.

    A chat comes as the number of its buffer: where the handler takes one it must be there, and
    where it takes `Chat | None` there may be none.
    """
    if (record := _payload(handler)) is not None:
        return handler(host, decode(verb, record, raw))
    wanted = taken(handler)
    given = _given(wanted, raw, verb)
    for name, (kind, _) in wanted.items():
        if kind is Chat:
            given[name] = host.workspace.chat(given[name])
        elif Chat in get_args(kind):
            given[name] = host.workspace.chats.get(given[name] or 0)
    return handler(host, **given)


@cache
def taken(handler: Callable[..., Any]) -> Fields:
    """Return the fields that a handler takes."""
    if (record := _payload(handler)) is not None:
        return _fields(record)
    kinds, parameters = get_type_hints(handler), signature(handler).parameters
    return {
        name: (kinds[name], it.default is it.empty)
        for name, it in parameters.items()
        if name != "host"
    }


@cache
def _payload(handler: Callable[..., Any]) -> type | None:
    """Return the record in which a handler takes all fields; None: it takes them one by one."""
    is_one = "payload" in signature(handler).parameters
    return get_type_hints(handler)["payload"] if is_one else None


def decode(verb: str, record: type[P], raw: object) -> P:
    """Return the record that is the payload of a verb; raises as `handle` does."""
    kind: Any = record
    return record(**_given(_fields(kind), raw, verb))


def _given(wanted: Fields, raw: object, where: str) -> dict[str, Any]:
    """Return the values of the fields that are there."""
    plain = _mapping(raw, where)
    known: dict[str, Any] = {}
    for name, (kind, is_required) in wanted.items():
        value = plain.get(name)
        if value is not None:
            known[name] = _value(kind, value, f"{where}: {name}")
        elif NoneType in get_args(kind):
            known[name] = None
        elif is_required:
            raise UserError(f"{where}: {name} is missing")
    return known


@cache
def _fields(record: Any) -> Fields:
    return {it.name: (it.type, it.required) for it in fields(record)}


def _value(kind: Any, value: Any, where: str) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any:
        return value
    if isinstance(kind, type) and issubclass(kind, Struct):
        return decode(where, kind, value)
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
    if not any(type(value) is (int if it is Chat else it) for it in kinds):
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
