"""What became of the agent's changes, and who wrote a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from acp_nvim.history.hunk import ReviewHunk
from acp_nvim.tools.schema import (
    LINE,
    PAGE,
    PATH,
    listing,
    number,
    page,
    paged,
    rows_text,
    table,
    text,
)
from acp_nvim.tools.tool import Arguments, Call, Result, Tool, ToolError

MOST_NOTE = 20_000
"""Characters of what the user says."""


async def review(call: Call, arguments: Arguments) -> Result:
    """Return the hunks of this session, and what the user says of them: with the last prompt, and
    since."""
    parts, state, roots = call.parts, call.caller.session.state, call.roots
    await parts.restore()
    await parts.decisions.catch_up(parts.log.paths())
    rows = [
        _hunk(call.named(path), it)
        for path in parts.log.paths()
        if roots.has(path)
        for it in (*parts.log.changes(path), *parts.log.changes(path, "kept"))
        if any(author.session_key == state.key for author in it.authors)
    ]
    shown, told = page(sorted(rows, key=lambda it: (it["path"], it["line"])), arguments)
    draft = await parts.notes.draft(state.key, roots)
    said = (*parts.notes.last_sent(state.key), *draft.notes)
    notes = [{"about": it.key, "text": it.text[:MOST_NOTE]} for it in said]
    texts = [_row(it) for it in shown]
    whole = "\n\n".join([rows_text(texts, told, "nothing of yours waits"), *_texts(notes)])
    return Result({"hunks": list(shown), "notes": notes, **told}, whole)


def _hunk(path: str, hunk: ReviewHunk) -> dict[str, Any]:
    return {
        "path": path,
        "line": hunk.first + 1,
        "added": len(hunk.added),
        "removed": len(hunk.removed),
        "state": hunk.state,
    }


def _row(row: dict[str, Any]) -> str:
    return f"{row['path']}:{row['line']}: +{row['added']} -{row['removed']} {row['state']}"


def _texts(notes: list[dict[str, str]]) -> Iterator[str]:
    for it in notes:
        yield it["text"]


async def why(call: Call, arguments: Arguments) -> Result:
    """Return which agent, turn and prompt wrote a line."""
    path, parts = call.resolve(arguments["path"]), call.parts
    await parts.restore()
    await parts.decisions.look(path)
    found = parts.log.written_by(path, arguments["line"] - 1)
    if found is None:
        raise ToolError(
            f"no agent wrote line {arguments['line']} of {arguments['path']}, as far as is known"
        )
    fact, state = found
    author = fact.author
    data = {
        "agent": author.agent,
        "session": author.session,
        "turn": author.turn,
        "prompt": author.prompt,
        "tool_call": author.title or author.tool_call,
        "certain": "yes" if author.how == "named" else "no",
        "state": state,
    }
    said = f"{author.agent}, turn {author.turn} ({state}): {author.prompt}"
    return Result(data, said)


_HUNK = table(
    {
        "path": text(),
        "line": number(),
        "added": number("lines"),
        "removed": number("lines"),
        "state": text("pending: the user has not decided; kept"),
    },
    *("path", "line", "added", "removed", "state"),
)
_NOTE = table({"about": text("comments, rejected or changed"), "text": text()}, "about", "text")

TOOLS = (
    Tool(
        "review",
        "What became of your changes: which hunks wait for the user, which they kept, what they "
        "rejected or changed, and why; and their comments on the code.",
        table(PAGE),
        paged("hunks", _HUNK, notes=listing(_NOTE)),
        review,
    ),
    Tool(
        "why",
        "Which agent wrote a line, in which turn, for which prompt.",
        table({"path": PATH, "line": LINE}, "path", "line"),
        table(
            {
                **{it: text() for it in ("agent", "session", "prompt", "tool_call", "state")},
                "turn": number(),
                "certain": text("no: it is only supposed", enum=["yes", "no"]),
            },
            *("agent", "session", "turn", "prompt", "tool_call", "certain", "state"),
        ),
        why,
    ),
)
