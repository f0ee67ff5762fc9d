"""Asking the language servers of a file: where a symbol stands, who can answer, what they say."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import unquote

from msgspec import Struct

from acp_nvim.errors import FileProblem
from acp_nvim.files.live import LiveFile, load
from acp_nvim.patterns import lazy_pattern
from acp_nvim.tools.text_positions import characters, lines_of, occurrences, offsets
from acp_nvim.tools.told import range_of, rows_of, words_of
from acp_nvim.tools.tool import Arguments, Call, ToolError

ATTEMPTS = 3
"""How often is asked while the user types."""
MOST_READ = 60
"""Files of which lines are read for one answer."""
SHOWN = 300
"""Characters of a line that is shown."""


class Answer(Struct, frozen=True):
    """What one server says; columns are counted in its `encoding`."""

    server: int
    name: str
    encoding: str
    result: Any


class Answers(Struct, frozen=True):
    """What all servers say, and the changedticks of the open files when they were asked."""

    all: tuple[Answer, ...]
    ticks: Mapping[str, int]


class Spot(Struct, frozen=True):
    """A place in a file that a request is about: the row from 0, and the character in it."""

    row: int
    line: str
    at: int


async def loaded(call: Call, path: str) -> tuple[LiveFile, list[str]]:
    """Return a file with its lines as the user sees them. Raises `ToolError`, `FileProblem`."""
    live = await load(call.parts.editor.files, path)
    text = live.for_agent
    if text is None:
        raise ToolError(f"{call.named(path)} does not exist")
    return live, lines_of(text)


def spot(lines: Sequence[str], arguments: Arguments) -> Spot:
    """Return where the symbol of a call stands; raises `ToolError` with what to do."""
    number, symbol = arguments["line"], arguments["symbol"]
    line = line_at(lines, number)
    found = occurrences(line, symbol)
    column = arguments.get("column")
    if column is not None and column - 1 in found:
        return Spot(number - 1, line, column - 1)
    columns = ", ".join(str(it + 1) for it in found)
    if not found:
        near = _near(lines, number, symbol)
        raise ToolError(f"{symbol!r} does not stand on line {number}: {line.strip()!r:.200}{near}")
    if column is not None or len(found) > 1:
        raise ToolError(f"{symbol!r} stands on line {number} at column {columns}: say which")
    return Spot(number - 1, line, found[0])


def at(row: int, line: str, character: int) -> dict[str, Any]:
    """Return that place as a request has it, by encoding."""
    counted = offsets(line, character).items()
    return {it: {"position": {"line": row, "character": count}} for it, count in counted}


def line_at(lines: Sequence[str], number: int) -> str:
    """Return the line of that number, from 1; raises `ToolError`."""
    if number > len(lines):
        raise ToolError(f"there is no line {number}: the file has {len(lines)} lines")
    return lines[number - 1]


def _near(lines: Sequence[str], number: int, symbol: str) -> str:
    rows = sorted(range(len(lines)), key=lambda row: abs(row + 1 - number))[:2_000]
    near = next((row + 1 for row in rows if occurrences(lines[row], symbol)), None)
    return f"; it stands on line {near}" if near is not None else "; nor near it"


async def ask(
    call: Call, path: str, method: str, arguments: Arguments | None = None, **question: Any
) -> Answers:
    """Return what the servers of that file say, about the symbol of the arguments if there is one.

    Raises `ToolError` if none says anything, with the reason.
    """
    for _ in range(ATTEMPTS):
        live, lines = await loaded(call, path)
        asked: dict[str, Any] = {"path": path, "method": method, "params": {}, **question}
        if arguments is not None:
            found = spot(lines, arguments)
            asked["places"] = at(found.row, found.line, found.at)
        if live.buffer is not None:
            asked["tick"] = live.buffer.changedtick
        told = await call.parts.editor.tools.ask("language.request", asked)
        if told.get("problem") != "changed":
            return _understood(call, path, method, told)
    raise ToolError(f"{call.named(path)} keeps changing, the user types in it: try again")


async def ask_all(call: Call, method: str, params: Mapping[str, Any]) -> Answers:
    """Return what all servers say that work in the session's folders. Raises `ToolError`."""
    asked = {"roots": call.roots.folders(), "method": method, "params": params}
    told = await call.parts.editor.tools.ask("language.workspace", asked)
    return _understood(call, "this project", method, told)


def _understood(call: Call, path: str, method: str, told: Mapping[str, Any]) -> Answers:
    name = call.named(path) if path.startswith("/") else path
    match told.get("problem"):
        case "unloaded":
            raise ToolError(
                f"the editor cannot open {name} now (another editor or a plugin has it, or it is "
                "too large): read it, and search"
            )
        case "none":
            raise ToolError(no_server(name, told.get("servers") or ()))
    answers = told.get("answers") or ()
    good = [it for it in answers if it.get("error") is None]
    if not good:
        why = "; ".join(f"{it['name']}: {it['error']}" for it in answers)
        raise ToolError(f"{method.rpartition('/')[2]} has failed. {why}")
    found = (Answer(it["id"], it["name"], it["encoding"], it.get("result")) for it in good)
    return Answers(tuple(found), told.get("ticks") or {})


def no_server(name: str, servers: Sequence[str]) -> str:
    """Return the sentence for a file that nobody can answer for."""
    if servers:
        return f"{', '.join(servers)}, attached to {name}, cannot do that: search the text instead"
    return f"no language server is attached to {name}: search the text instead"


def path_of(uri: object) -> str:
    """Return the path that an address means; another address than that of a file here as it is."""
    text = str(uri)
    found = _FILE.fullmatch(text)
    return text if found is None else unquote(found[1])


_FILE = lazy_pattern(r"file:(?://(?:localhost)?)?(/(?!/)[^?#]*).*", re.IGNORECASE | re.DOTALL)


class Found(Struct, frozen=True):
    """A place that a server has told, and what stands there."""

    uri: str
    range: Mapping[str, Any]
    encoding: str
    name: str = ""
    kind: str = ""


def locations(answers: Answers) -> list[Found]:
    """Return the places of answers that are `Location`, `Location[]` or `LocationLink[]`."""
    found = []
    for answer in answers.all:
        for it in rows_of(answer.result):
            uri = words_of(it.get("uri")) or words_of(it.get("targetUri"))
            ranges = (it.get(name) for name in ("range", "targetSelectionRange", "targetRange"))
            range_ = range_of(*ranges)
            if uri and range_:
                found.append(Found(uri, range_, answer.encoding))
    return found


async def places(call: Call, found: Sequence[Found]) -> list[dict[str, Any]]:
    """Return places by path and line, each once, with the line that stands there."""
    texts = dict[str, list[str]]()
    rows = dict[tuple[Any, ...], dict[str, Any]]()
    ordered = sorted(found, key=lambda it: (path_of(it.uri), it.range["start"]["line"]))
    for it in ordered:
        path = path_of(it.uri)
        is_inside = path.startswith("/") and _is_inside(call, path)
        if is_inside and path not in texts:
            texts[path] = await _lines(call, path) if len(texts) < MOST_READ else []
        row = _place(it, call.named(path), texts.get(path, []))
        if not is_inside:
            row["outside"] = True
        rows.setdefault((row["path"], row["line"], row.get("column"), it.name), row)
    return sorted(rows.values(), key=lambda it: (it["path"], it["line"], it.get("column", 0)))


def _is_inside(call: Call, path: str) -> bool:
    with suppress(FileProblem):
        call.roots.resolve(path)
        return True
    return False


async def _lines(call: Call, path: str) -> list[str]:
    with suppress(FileProblem):
        live = await load(call.parts.editor.files, call.roots.resolve(path))
        return lines_of(live.for_agent or "")
    return []


def _place(it: Found, path: str, lines: Sequence[str]) -> dict[str, Any]:
    start, end = it.range["start"], it.range["end"]
    row: dict[str, Any] = {
        "path": path,
        "line": start["line"] + 1,
        "column": _column(start, lines, it.encoding),
        "end_line": end["line"] + 1,
        "end_column": _column(end, lines, it.encoding),
    }
    if start["line"] < len(lines):
        row["text"] = lines[start["line"]].strip()[:SHOWN]
    named = {"name": it.name, "kind": it.kind}
    return row | {key: value for key, value in named.items() if value}


def _column(position: Mapping[str, Any], lines: Sequence[str], encoding: str) -> int:
    row, count = position["line"], int(position["character"])
    return (characters(lines[row], count, encoding) if row < len(lines) else count) + 1


def place_row(row: Mapping[str, Any]) -> str:
    """Return a place as one line to be read."""
    what = " ".join(filter(None, (row.get("kind"), row.get("name"))))
    told = " · ".join(filter(None, (what, row.get("text"))))
    return f"{row['path']}:{row['line']}:{row.get('column', 1)}: {told}".rstrip(": ")
