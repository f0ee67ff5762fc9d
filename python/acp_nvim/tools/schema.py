"""Parameters and results as JSON schemas, and arguments held against them.

Only what our own schemas use is known here: types, required and known members, least and most, a
list of values. The sentence on what is wrong is for the agent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

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
