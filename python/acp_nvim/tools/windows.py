"""What is open, selected and listed in the editor; and a place for the user's eyes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from acp_nvim.errors import FileProblem
from acp_nvim.files import disk
from acp_nvim.follow.follow_along import AgentId
from acp_nvim.tools.schema import (
    LINE,
    PAGE,
    PATH,
    flag,
    listing,
    number,
    page,
    paged,
    rows_text,
    table,
    text,
)
from acp_nvim.tools.tool import Arguments, Call, Result, Tool, ToolError
from acp_nvim.view.place import relative
from acp_nvim.view.visible import one_line

MOST_SELECTED = 2_000
"""Lines of a selection."""
MOST_NOTE = 200
"""Characters of a note for the user."""
_NUMBERS = ("line", "column", "first_visible", "last_visible")


async def open_files(call: Call, _arguments: Arguments) -> Result:
    """Return the open files of the session's folders, the one that the user is in first."""
    found = await call.parts.editor.tools.ask("windows.files", {})
    files = sorted(_inside(call, found), key=lambda it: (not it["current"], it["path"]))
    rows = [_file_row(it) for it in files]
    return Result({"files": files}, "\n".join(rows) or "no file of this project is open")


def _inside(call: Call, found: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    roots = call.roots
    return [{**it, "path": call.named(it["path"])} for it in found if roots.has(it["path"])]


def _file_row(file: Mapping[str, Any]) -> str:
    where = f":{file['line']}:{file['column']}" if "line" in file else ""
    marks = ["the user is here"] * file["current"] + ["unsaved"] * file["modified"]
    return f"{file['path']}{where}" + (f" ({', '.join(marks)})" if marks else "")


async def selection(call: Call, _arguments: Arguments) -> Result:
    """Return the last selection, as whole lines."""
    found = await call.parts.editor.surroundings.selection()
    if found is None or found.path is None:
        raise ToolError("nothing is selected: the user has not selected lines of a file")
    path = call.roots.resolve(found.path)
    lines = found.lines[:MOST_SELECTED]
    data = {
        "path": call.named(path),
        "first_line": found.first,
        "last_line": found.first + len(lines) - 1,
        "text": "\n".join(lines),
    }
    head = f"{data['path']}:{data['first_line']}-{data['last_line']}"
    return Result(data, f"{head}\n{data['text']}")


async def quickfix(call: Call, arguments: Arguments) -> Result:
    """Return the entries of a list that are in the session's folders, or in no file."""
    asked = {"list": arguments.get("list", "quickfix")}
    found = await call.parts.editor.tools.ask("windows.list", asked)
    roots = call.roots
    entries = [it for it in found["entries"] if not it["path"] or roots.has(it["path"])]
    entries = [{**it, "path": it["path"] and call.named(it["path"])} for it in entries]
    shown, told = page(entries, arguments)
    rows = [f"{it['path']}:{it['line']}: {it['kind']} {it['text']}" for it in shown]
    data = {"title": found["title"], "entries": list(shown), **told}
    return Result(data, rows_text(rows, told, "the list is empty"))


async def show(call: Call, arguments: Arguments) -> Result:
    """Point the user to a place; their window and cursor stay."""
    path, state = call.resolve(arguments["path"]), call.caller.session.state
    line = arguments.get("line")
    if disk.mode(path) is None:
        raise ToolError(f"{arguments['path']} is not a file")
    follow = call.parts.follow
    try:
        follow.touched(AgentId(state.agent, state.id), path, line)
    except FileProblem as problem:
        raise ToolError(str(problem)) from problem
    place = relative(path, state.cwd) + (f":{line}" if line else "")
    note = one_line(arguments.get("note", ""), MOST_NOTE)
    said = f"{state.agent} shows {one_line(place, MOST_NOTE)}" + (f": {note}" if note else "")
    call.parts.editor.notifier.notice(said)
    is_followed = follow.enabled
    how = "the editor goes there" if is_followed else "the user was told; follow-along is off"
    return Result({"followed": is_followed}, how)


_FILE = table(
    {
        "path": text(),
        "modified": flag("it has unsaved edits"),
        "language": text(),
        "current": flag("the user is in it"),
        **{name: number() for name in _NUMBERS},
    },
    "path",
    "modified",
    "current",
)
_ENTRY = table(
    {"path": text(), "line": number(), "column": number(), "kind": text(), "text": text()},
    "path",
    "line",
    "text",
)

TOOLS = (
    Tool(
        "open_files",
        "The files that the user has open: unsaved or not, cursor, visible lines, which one they "
        "are in.",
        table({}),
        table({"files": listing(_FILE)}, "files"),
        open_files,
    ),
    Tool(
        "selection",
        "The lines that the user has selected last.",
        table({}),
        table(
            {"path": text(), "first_line": number(), "last_line": number(), "text": text()},
            *("path", "first_line", "last_line", "text"),
        ),
        selection,
        needs="read",
    ),
    Tool(
        "quickfix",
        "The user's list of errors, search results or places.",
        table({"list": text("quickfix by default", enum=["quickfix", "location"]), **PAGE}),
        paged("entries", _ENTRY, title=text()),
        quickfix,
    ),
    Tool(
        "show",
        "Point the user to a place in a file, with a short note. Their cursor does not move.",
        table({"path": PATH, "line": LINE, "note": text()}, "path"),
        table({"followed": flag("a window of the editor shows it")}, "followed"),
        show,
    ),
)
