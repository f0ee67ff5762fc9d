"""What the input of an agent's tool says that it would change: the shapes of real agents.

Pure and tolerant: what is not known, or not whole, proposes nothing. A tool that only has a path
and a text may do anything with them, so it must be said to write.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from msgspec.structs import replace

from acp_nvim.patterns import lazy_pattern
from acp_nvim.session.place import PATH_KEYS
from acp_nvim.session.proposal.edit import Edit, Insert, Patch, Proposal, Remove, Replace, Whole
from acp_nvim.session.proposal.patch import ENVELOPE, envelope, unified
from acp_nvim.session.state import ToolCall

Arguments: TypeAlias = Mapping[str, Any]

LIMIT = 8_000_000
"""Characters of an input that are worth reading."""
PATHS = (*PATH_KEYS, "filepath", "file")
OLD = ("old_string", "oldString", "old_str", "oldText", "old_text", "old")
NEW = ("new_string", "newString", "new_str", "newText", "new_text", "new")
ALL = ("replace_all", "replaceAll", "allow_multiple")
TEXT = ("content", "contents", "file_text", "fileText")
DIFFS = ("diff", "patch", "unified_diff", "patchText", "input")
FROM_TO = (
    ("source", "destination"),
    ("old_path", "new_path"),
    ("oldPath", "newPath"),
    ("from", "to"),
    ("source_path", "destination_path"),
)
SPOKEN = frozenset(
    (
        *(*PATHS, *OLD, *NEW, *ALL, *TEXT, *DIFFS),
        *("edits", "edit", "changes", "expected_replacements"),
        *("insert_line", "insert_text", "view_range"),
    )
)
"""Members of an input that its proposals say."""
WRITES = lazy_pattern(r"write|create", re.IGNORECASE)
BLOCK = lazy_pattern(
    r"\s*[<-]{5,9} ?SEARCH>?\r?\n(.*?)\r?\n?={5,9}\r?\n"
    r"(.*?)\r?\n?[>+]{5,9} ?REPLACE>?[ \t]*(?:\r?\n|$)",
    re.DOTALL,
)


def raw_proposals(call: ToolCall) -> tuple[Proposal, ...]:
    """Return what the raw input proposes for each file; paths are as the agent wrote them."""
    if not call.raw_input or len(call.raw_input) > LIMIT:
        return ()
    value = _value(call.raw_input)
    if isinstance(value, str):
        return envelope(value)
    if not isinstance(value, dict):
        return ()
    ways = (_changes(value), _moved(value, call), _removed(value, call), _file(value, call))
    return next((found for found in ways if found), ()) or _patches(value)


def _value(raw_input: str) -> Any:
    try:
        return json.loads(raw_input)
    except (ValueError, RecursionError):
        return raw_input


def _text(arguments: Arguments, names: Iterable[str]) -> str | None:
    """Return the text under the first of these names that has one."""
    return next((it for name in names if isinstance(it := arguments.get(name), str)), None)


# --- one file


def _file(arguments: Arguments, call: ToolCall) -> tuple[Proposal, ...]:
    path = _text(arguments, PATHS)
    edits = _edits(arguments, call) if path else ()
    return (Proposal(path, edits),) if path and edits else ()


def _edits(arguments: Arguments, call: ToolCall) -> tuple[Edit, ...]:
    listed = arguments.get("edits", arguments.get("edit"))
    if isinstance(listed, dict):
        listed = [listed]
    if isinstance(listed, list) and listed:
        several = [_replaced(it) if isinstance(it, dict) else None for it in listed]
        return tuple(it for it in several if it is not None) if all(several) else ()
    command = arguments.get("command")
    if isinstance(command, str):
        return _commanded(command, arguments)
    one = _replaced(arguments)
    return (one,) if one is not None else _written(arguments, call)


def _replaced(arguments: Arguments) -> Replace | None:
    old, new = _text(arguments, OLD), _text(arguments, NEW)
    if old is None or new is None:
        return None
    several = arguments.get("expected_replacements")
    everywhere = any(arguments.get(name) is True for name in ALL)
    return Replace(old, new, everywhere or (isinstance(several, int) and several > 1))


def _commanded(command: str, arguments: Arguments) -> tuple[Edit, ...]:
    """Return the edit of the text editor that models are trained on; `view` and others are none."""
    text, row = _text(arguments, TEXT), arguments.get("insert_line")
    if command == "str_replace":
        # the new text may be left out: the old one is deleted
        one = _replaced({"new_str": "", **arguments})
        return (one,) if one else ()
    if command in ("create", "write") and text is not None:
        return (Whole(text),)
    inserted = _text(arguments, ("insert_text", *NEW))
    if command == "insert" and isinstance(row, int) and row >= 0 and inserted is not None:
        return (Insert(row, inserted),)
    return ()


def _written(arguments: Arguments, call: ToolCall) -> tuple[Edit, ...]:
    """Return the blocks in the text, else the text as the whole of the file."""
    text = _text(arguments, TEXT)
    blocks = _blocks(_text(arguments, ("diff",)) if text is None else text)
    if blocks:
        return blocks
    says_so = call.kind == "edit" or (call.kind == "other" and WRITES.search(call.name or ""))
    # a tool that appends has such a word
    is_whole = arguments.get("mode") in (None, "overwrite", "write", "create")
    is_whole = is_whole and not arguments.get("append")
    return (Whole(text),) if text is not None and says_so and is_whole else ()


def _blocks(text: str | None) -> tuple[Edit, ...]:
    """Return the search-and-replace blocks of a text that is nothing else."""
    edits: list[Edit] = []
    at = 0
    text = (text or "").strip()
    while found := BLOCK.match(text, at):
        edits.append(Replace(found[1], found[2]))
        at = found.end()
    return tuple(edits) if at == len(text) else ()


# --- several files


def _patches(arguments: Arguments) -> tuple[Proposal, ...]:
    """Return what a patch in it proposes: a unified diff, or codex's."""
    text = _text(arguments, DIFFS)
    if text is None:
        return ()
    if text.lstrip().startswith(ENVELOPE):
        return envelope(text.lstrip())
    return unified(text, _text(arguments, PATHS) or "")


def _changes(arguments: Arguments) -> tuple[Proposal, ...]:
    """Return codex's changes: by path, or as a list; all of them, or none."""
    changes = arguments.get("changes")
    rows: list[tuple[object, Arguments]]
    if isinstance(changes, dict):
        rows = [(path, it) for path, it in changes.items() if isinstance(it, dict)]
    elif isinstance(changes, list):
        rows = [(it.get("path"), _unlisted(it)) for it in changes if isinstance(it, dict)]
    else:
        return ()
    made = [_change(path, it) for path, it in rows if isinstance(path, str)]
    whole = [it for it in made if it is not None]
    return tuple(whole) if len(whole) == len(changes) else ()


def _unlisted(change: Arguments) -> Arguments:
    """Return a change of the list in the shape that it has by path."""
    kind, text = change.get("kind"), change.get("diff")
    kind = kind if isinstance(kind, dict) else {"type": kind}
    if isinstance(text, str) and kind.get("move_path"):
        text = text.removesuffix(f"\n\nMoved to: {kind['move_path']}")
    return {**kind, "content": text, "unified_diff": text}


def _change(path: str, change: Arguments) -> Proposal | None:
    kind, body = change.get("type"), change
    if kind is None and len(change) == 1:
        # an older codex: {"update": {…}}
        kind, body = next(iter(change.items()))
        body = body if isinstance(body, dict) else {}
    content, patch = body.get("content"), body.get("unified_diff")
    if kind == "delete":
        return Proposal(path, (Remove(),))
    if kind == "add" and isinstance(content, str):
        return Proposal(path, (Whole(content),))
    found = unified(patch, path) if kind == "update" and isinstance(patch, str) else ()
    moved = body.get("move_path")
    moved = moved if isinstance(moved, str) else ""
    if not found and moved and patch == "":
        return Proposal(path, (Patch(()),), moved_to=moved)
    return replace(found[0], moved_to=moved) if len(found) == 1 else None


def _moved(arguments: Arguments, call: ToolCall) -> tuple[Proposal, ...]:
    if call.kind != "move":
        return ()
    pairs = ((arguments.get(old), arguments.get(new)) for old, new in FROM_TO)
    for old, new in pairs:
        if isinstance(old, str) and isinstance(new, str) and old and new:
            return (Proposal(old, (Patch(()),), moved_to=new),)
    return ()


def _removed(arguments: Arguments, call: ToolCall) -> tuple[Proposal, ...]:
    if call.kind != "delete":
        return ()
    return tuple(Proposal(path, (Remove(),)) for path in _named(arguments))


def _named(arguments: Arguments) -> Iterator[str]:
    listed = arguments.get("paths")
    if isinstance(listed, list):
        yield from (path for path in listed if isinstance(path, str) and path)
    elif path := _text(arguments, PATHS):
        yield path
