"""Files as `fs/*` serves them: the seam to `files.service`, which merges, guards and attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from acp_nvim.hunks import split_lines
from acp_nvim.session.request import FileRead, ReadFileRequest, WriteFileRequest
from acp_nvim.tools.schema import LINE, PATH, flag, listing, number, table, text
from acp_nvim.tools.text_positions import lines_of
from acp_nvim.tools.tool import Arguments, Call, Result, Tool, ToolError

MOST_LINES: Final = 2_000
MOST_TEXT: Final = 100_000
"""Characters of one answer: as JSON and as text they are in it twice."""


async def text_of(call: Call, path: str, line: int | None = None) -> str:
    """Return the text of a file as the user sees it, from that line; the agent knows it then.

    Raises `RequestFailed`.
    """
    request = ReadFileRequest(call.caller.session.id or "", path, line)
    answer = await call.caller.files(request)
    assert isinstance(answer, FileRead)
    return answer.content


async def put(call: Call, path: str, content: str) -> None:
    """Make that the text of a file, as an agent's write. Raises `RequestFailed`."""
    await call.caller.files(WriteFileRequest(call.caller.session.id or "", path, content))


async def read_file(call: Call, arguments: Arguments) -> Result:
    """Return lines of a file."""
    path, line = call.here(arguments["path"]), arguments.get("line", 1)
    rest = split_lines(await text_of(call, path, line))
    shown, size = list[str](), 0
    for row in rest[: arguments.get("limit", MOST_LINES)]:
        size += len(row)
        if size > MOST_TEXT and shown:
            break
        shown.append(row[:MOST_TEXT])
    data: dict[str, Any] = {"first_line": line, "content": "".join(shown)}
    more = ""
    if len(shown) < len(rest):
        data["next_line"] = line + len(shown)
        more = f"\n… {len(rest) - len(shown)} more lines: go on with line {data['next_line']}"
    return Result(data, data["content"] + more)


async def edit_file(call: Call, arguments: Arguments) -> Result:
    """Replace parts of a file, or all of it."""
    path, edits, content = call.here(arguments["path"]), arguments.get("edits"), None
    if "content" in arguments:
        content = arguments["content"]
    if (content is None) == (edits is None):
        raise ToolError("edit_file takes either edits or content")
    first = 1
    async with call.parts.holding((call.resolve(arguments["path"]),)):
        if edits is not None:
            before = await text_of(call, path)
            content = before
            for number_, edit in enumerate(edits, 1):
                content = _replaced(content, edit, f"edit {number_}", arguments["path"])
            first = _first_changed(before, content)
        await put(call, path, content or "")
    data = {"path": arguments["path"], "line": first}
    return Result(
        data, f"{arguments['path']} is written, from line {first} on: the user reviews it"
    )


def _replaced(text_: str, edit: Mapping[str, Any], which: str, path: str) -> str:
    old, new = edit["old_text"], edit["new_text"]
    if old and old not in text_ and "\r\n" in text_:
        old, new = (it.replace("\r\n", "\n").replace("\n", "\r\n") for it in (old, new))
    count = text_.count(old) if old else 0
    if count == 0:
        raise ToolError(
            f"the old_text of {which} does not stand in {path} as it is now: nothing was written; "
            "read the file again"
        )
    if count > 1 and not edit.get("all"):
        raise ToolError(
            f"the old_text of {which} stands {count} times in {path}: nothing was written; give "
            "more of the lines around it, or all = true"
        )
    return text_.replace(old, new)


def _first_changed(before: str, after: str) -> int:
    pairs = zip(lines_of(before), lines_of(after), strict=False)
    row = next((row for row, (old, new) in enumerate(pairs) if old != new), None)
    return min(before.count("\n"), after.count("\n")) + 1 if row is None else row + 1


_EDIT = table(
    {
        "old_text": text("stands once in the file, as it is"),
        "new_text": text(),
        "all": flag("replace each place where it stands"),
    },
    "old_text",
    "new_text",
)

TOOLS = (
    Tool(
        "read_file",
        "The text of a file as the user sees it, with edits that are not saved yet.",
        table({"path": PATH, "line": LINE, "limit": number("of lines", least=1)}, "path"),
        table(
            {"first_line": number(), "content": text(), "next_line": number("if there is more")},
            *("first_line", "content"),
        ),
        read_file,
        needs="read",
    ),
    Tool(
        "edit_file",
        "Change a file, or make one. What the user has changed meanwhile is merged; they review "
        "the change and can undo it. Takes either edits or content.",
        table(
            {"path": PATH, "edits": listing(_EDIT), "content": text("the whole new text")}, "path"
        ),
        table({"path": text(), "line": number("the first that has changed")}, "path", "line"),
        edit_file,
        writes=True,
        repeats=False,
        needs="write",
        patience=None,
    ),
)
