"""What several tools take, and give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

from acp_nvim.tools.schema import flag, listing, number, table, text
from acp_nvim.tools.tool import Arguments, Schema, ToolError

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
