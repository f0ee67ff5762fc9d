"""Parameters and results as JSON schemas, and arguments held against them.

Only what our own schemas use is known here: types, required and known members, least and most, a
list of values. The sentence on what is wrong is for the agent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

from acp_nvim.errors import suggest
from acp_nvim.tools.tool import Arguments, Schema, ToolError

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (dict,),
}


LARGEST = (1 << 53) - 1
"""Number that JSON, Python and the editor all have."""


def table(properties: Mapping[str, Schema], *required: str) -> Schema:
    """Return the schema of an object with these members and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def listing(items: Schema) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": items}


def text(description: str = "", **more: Any) -> Schema:
    """Return the schema of a string."""
    return {"type": "string", **({"description": description} if description else {}), **more}


def number(description: str = "", least: int | None = None, **more: Any) -> Schema:
    """Return the schema of a whole number."""
    told = {"description": description} if description else {}
    return {"type": "integer", **told, **({} if least is None else {"minimum": least}), **more}


def flag(description: str = "") -> Schema:
    """Return the schema of a boolean."""
    return {"type": "boolean", **({"description": description} if description else {})}


def checked(schema: Schema, arguments: object) -> Arguments:
    """Return the arguments of a call, which may be left out; raises `ToolError`."""
    given = {} if arguments is None else arguments
    if not isinstance(given, dict):
        raise ToolError("the arguments must be an object")
    # null is as good as absent: many models write all members
    given = {key: it for key, it in given.items() if it is not None}
    _check(schema, given, "")
    return given


def _check(schema: Schema, value: Any, name: str) -> None:
    schema = schema if isinstance(schema, Mapping) else {}  # an empty table of Lua may be a list
    kind = schema.get("type")
    if isinstance(value, int) and abs(value) > LARGEST:
        raise ToolError(f"{name} is too large a number")
    wrong = isinstance(value, bool) and kind != "boolean"
    if isinstance(kind, str) and (wrong or not isinstance(value, _TYPES.get(kind, (object,)))):
        raise ToolError(f"{name or 'the arguments'} must be of type {kind}, not {value!r:.60}")
    if "enum" in schema and value not in schema["enum"]:
        raise ToolError(f"{name} must be one of {', '.join(map(str, schema['enum']))}")
    least, most = schema.get("minimum", value), schema.get("maximum", value)
    if kind == "integer" and not least <= value <= most:
        raise ToolError(
            f"{name} must be at least {least}" + f" and at most {most}" * (value > most)
        )
    if isinstance(value, Mapping):
        _check_members(schema, value, name)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for index, item in enumerate(value):
            _check(schema.get("items", {}), item, f"{name}[{index}]")


def _check_members(schema: Schema, value: Mapping[str, Any], name: str) -> None:
    known, prefix = schema.get("properties", {}), f"{name}." if name else ""
    for key in schema.get("required", ()):
        if key not in value:
            raise ToolError(f"{prefix}{key} is missing")
    for key, item in value.items():
        if key in known:
            _check(known[key], item, f"{prefix}{key}")
        elif schema.get("additionalProperties") is False:
            hint = suggest(str(key), list(known)) if known else "it takes no arguments"
            raise ToolError(f"{prefix}{key:.60} is unknown: {hint}")


T = TypeVar("T")

MOST_ITEMS: Final = 500
ITEMS: Final = 100
MOST_DIGITS: Final = 12

PATH: Final = text("absolute path")
LINE: Final = number("from 1", least=1)
AT: Final[Mapping[str, Schema]] = {
    "path": PATH,
    "line": LINE,
    "symbol": text("the name, as it stands on that line"),
    "column": number("where it stands several times on the line: which, from 1", least=1),
}
PAGE: Final[Mapping[str, Schema]] = {
    "limit": number(f"at most so many, {ITEMS} by default", least=1, maximum=MOST_ITEMS),
    "cursor": text("next_cursor of the answer before"),
}
PLACE: Final = table(
    {
        "path": text(),
        "line": number(),
        "column": number(),
        "end_line": number(),
        "end_column": number(),
        "text": text("of the line"),
        "name": text(),
        "kind": text(),
        "outside": flag("it is outside of the session's folders: it cannot be read here"),
    },
    "path",
    "line",
)


def paged(name: str, item: Schema, **more: Schema) -> Schema:
    """Return the schema of one page of items."""
    members = {name: listing(item), "total": number(), "next_cursor": text(), **more}
    return table(members, name, "total", *more)


def page(items: Sequence[T], arguments: Arguments) -> tuple[Sequence[T], dict[str, Any]]:
    """Return the items that are asked for, and how to go on; raises `ToolError`."""
    cursor = arguments.get("cursor", "0")
    if not cursor.isdecimal() or len(cursor) > MOST_DIGITS:
        raise ToolError("cursor is not one that this tool has given: leave it out")
    start, limit = int(cursor), arguments.get("limit", ITEMS)
    told: dict[str, Any] = {"total": len(items)}
    if start + limit < len(items):
        told["next_cursor"] = str(start + limit)
    return items[start : start + limit], told


def rows_text(rows: Sequence[str], told: Mapping[str, Any], none: str) -> str:
    """Return rows to be read, and how to get the rest."""
    if not rows:
        return none
    more = told.get("next_cursor")
    rest = [f"… {told['total']} in all: go on with cursor {more}"] if more else []
    return "\n".join([*rows, *rest])
