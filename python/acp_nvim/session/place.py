"""Where in files an agent is: what one update of a tool call tells of it (C-171).

Pure. Agents differ in what they tell: locations, a diff, or only what they gave to their own tool;
the first of these that is there counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.paths import SAME, Paths, absolute
from acp_nvim.paths import named as named_path
from acp_nvim.patterns import lazy_pattern
from acp_nvim.session.content import Diff, FileChange, ToolContent
from acp_nvim.session.event import UNSET, ToolCallUpdated
from acp_nvim.session.model import Location
from acp_nvim.session.state import ToolCall

PATH_KEYS = (
    "path",
    "file_path",
    "filePath",
    "abs_path",
    "absolute_path",
    "filename",
    "notebook_path",
)
"""What tools call the file that they work on."""


MOST_PLACES = 200
"""Files of a tool call that are gone to; the others are found where all is looked at."""
LOOKING = ("read", "search", "think", "fetch", "switch_mode")
"""Kinds of tool calls that change no files."""
MOST_NAME = 4096
"""Characters of a path."""
MOST_WORDS = 100
"""Words of a command that may be files."""
MOST_READ = 20_000
"""Characters of a command in which they are looked for."""
MOST_GIVEN = 200_000
"""Characters of what a tool was given that are read; what a longer one changes is found anyhow."""
WORD = lazy_pattern(r"""'([^']+)'|"([^"]+)"|([^\s'"`;|&<>()\[\]{}=,$]+)""")
"""What may be a file in a command: what is quoted, and what stands between a shell's signs."""


_Part = TypeVar("_Part", bound=ToolContent | Location)


class Place(Struct, frozen=True):
    """A file, and the line in it if one is known; 1-based."""

    path: str
    line: int | None = None
    diff: Diff | None = None
    """A change whose first line is the place; `line_of_change` finds it in the text."""
    guessed: bool = False
    """It may be no file at all: so was an argument of the tool named."""


def places(
    event: ToolCallUpdated, call: ToolCall, cwd: str, paths: Paths = SAME
) -> tuple[Place, ...]:
    """Return where the update says that the agent is; `call` is the call after it.

    A call that is completed says all of it once more: a new file exists only now. What a tool was
    given is in the agent's own words: `paths` has our names of the files there.
    """
    if event.status == "completed":
        event = ToolCallUpdated(
            call.id,
            locations=call.locations,
            content=call.content,
            raw_input=UNSET if call.raw_input is None else call.raw_input,
        )
    if event.locations is not UNSET and event.locations:
        changes = {diff.path: diff for diff in reversed(_diffs(call.content))}
        return tuple(_with_change(it, changes) for it in event.locations[:MOST_PLACES])
    diffs = _diffs((*(() if event.content is UNSET else event.content), *event.more))
    if diffs:
        return tuple(Place(diff.path, None, diff) for diff in diffs[:MOST_PLACES])
    if isinstance(event.raw_input, str) and not call.locations and not _diffs(call.content):
        return _guesses(event.raw_input, cwd, paths)
    return ()


def placed(event: ToolCallUpdated, cwd: str, home: str = "") -> ToolCallUpdated:
    """Return the update with absolute paths: agents name files by their place in the folder."""
    told = {
        name: tuple(_placed(it, cwd, home) for it in parts)
        for name in ("locations", "content", "more")
        if (parts := getattr(event, name)) and parts is not UNSET
    }
    is_placed = all(parts == getattr(event, name) for name, parts in told.items())
    return event if is_placed else replace(event, **told)


def _placed(part: _Part, cwd: str, home: str) -> _Part:
    match part:
        case Location() | Diff():
            path = absolute(part.path, cwd, home)
            return part if path == part.path else replace(part, path=path)
        case FileChange(old_path=old):
            old = old and absolute(old, cwd, home)
            return replace(part, path=absolute(part.path, cwd, home), old_path=old)
        case _:
            return part


def named(call: ToolCall, cwd: str, paths: Paths = SAME) -> tuple[str, ...]:
    """Return the files that a call names, by whatever it has told until now."""
    told = [*(it.path for it in call.locations), *(it.path for it in _diffs(call.content))]
    guessed = () if call.raw_input is None else _guesses(call.raw_input, cwd, paths)
    return (*told[:MOST_PLACES], *(it.path for it in guessed), *commanded(call, cwd, paths))


def commanded(call: ToolCall, cwd: str, paths: Paths = SAME) -> tuple[str, ...]:
    """Return the files that a command line names, as far as its words tell; () for other calls."""
    if call.kind != "execute" and not call.terminals:
        return ()
    lines = [it.command for it in call.terminals]
    lines += _texts(call.raw_input) if call.raw_input else [call.title]
    words = _words("\n".join(lines)[:MOST_READ])
    # a quoted part may be a command itself, as in `sh -c "…"`
    parts = (part for word in words for part in {word: 0, **dict.fromkeys(_words(word))})
    names = dict.fromkeys(part for part in parts if _may_be_name(part))
    return tuple(_absolute(it, cwd, paths) for it in tuple(names)[:MOST_WORDS])


def line_of_change(text: str, diff: Diff) -> int | None:
    """Return the first changed line of a diff, which may be a fragment, in the file's text.

    The text is that before the change or after it; None if neither is to be found in it.
    """
    old, new = diff.old_text or "", diff.new_text
    change = first_change(old, new)
    if change is None:
        return None
    # The longer one first: the other may be a part of it, and stand in other places too.
    for fragment in sorted((new, old), key=len, reverse=True):
        position = text.find(fragment)
        if fragment and position >= 0:
            return text.count("\n", 0, position) + change
    return None


def first_change(old: str, new: str) -> int | None:
    """Return the first line in which the texts differ, None if they do not."""
    if old == new:
        return None
    # Halves are compared, which is a thousand times as fast as lines.
    same, end = 0, min(len(old), len(new))
    while same < end:
        middle = (same + end + 1) // 2
        if old[same:middle] == new[same:middle]:
            same = middle
        else:
            end = middle - 1
    goes_on = "\n" in (old[same : same + 1], new[same : same + 1]) and same in (len(old), len(new))
    return old.count("\n", 0, same) + 1 + goes_on


def _with_change(location: Location, changes: Mapping[str, Diff]) -> Place:
    if location.line is not None:
        return Place(location.path, location.line)
    return Place(location.path, None, changes.get(location.path))


def _diffs(content: tuple[object, ...]) -> list[Diff]:
    return [item for item in content if isinstance(item, Diff)]


def _texts(raw_input: str) -> list[str]:
    """Return all texts in what the tool was given."""
    given = _given(raw_input)
    if given is None:
        return [raw_input[:MOST_READ]]
    found: list[object] = [given]
    texts: list[str] = []
    for it in found:  # grows meanwhile
        if isinstance(it, str):
            texts.append(it)
        elif isinstance(it, dict | list):
            found += it.values() if isinstance(it, dict) else it
    return texts


def _given(raw_input: str) -> object:
    """Return what the tool was given; None if it is no JSON, or too much of it."""
    try:
        return json.loads(raw_input) if len(raw_input) <= MOST_GIVEN else None
    except (ValueError, RecursionError):
        return None


def _words(text: str) -> Iterator[str]:
    return (it[1] or it[2] or it[3] for it in WORD.finditer(text))


def _may_be_name(word: str) -> bool:
    return not word.startswith("-") and len(word) <= MOST_NAME and "\0" not in word


def _absolute(path: str, cwd: str, paths: Paths) -> str:
    path, _ = named_path(path)
    return paths.shown_here(path) if path.startswith("/") else f"{cwd}/{path}"


def _guesses(raw_input: str, cwd: str, paths: Paths) -> tuple[Place, ...]:
    arguments = _given(raw_input)
    if not isinstance(arguments, dict):
        return ()
    for key in PATH_KEYS:
        path = arguments.get(key)
        if isinstance(path, str) and path:
            return (Place(_absolute(path, cwd, paths), guessed=True),)
    return ()
