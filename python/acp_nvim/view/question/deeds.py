"""The row that says what a command does beyond reading; it is no part of what is decided."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from acp_nvim.session.shell import effects
from acp_nvim.session.state import ToolCall
from acp_nvim.view.block import Line
from acp_nvim.view.chat import raw
from acp_nvim.view.question.stake import named
from acp_nvim.view.styled import pieces
from acp_nvim.view.visible import one_line

SHELL = frozenset({"cmd", "commandLine", "command_line", "shell_command", "shellCommand", "script"})
"""Members of an input that are commands of a shell, if they are any."""
NAMED = 2
"""So many things are named for each word."""
WIDE = 40
"""Characters of such a thing."""
LONGEST = 160
"""Characters of a row that names things; a longer one has the words only."""
ORDER = (
    *("runs as another user", "pipes from the network", "removes", "overwrites", "pushes"),
    *("leaves the project", "ends programs", "changes permissions", "appends to", "cannot be read"),
)


class Project(Struct, frozen=True):
    """The folders of a session, and the user's own."""

    roots: tuple[str, ...]
    home: str = ""


def beyond_reading(tool: ToolCall, cwd: str, project: Project) -> tuple[Line, ...]:
    """Return the row; none for a command that only reads, and for what is no command."""
    found: dict[str, dict[str, None]] = {}
    for command, folder in _commands(tool, cwd):
        for it in effects.understood(command, folder, project.roots, project.home):
            found.setdefault(it.deed, {})[one_line(it.what, WIDE)] = None
    if not found:
        return ()
    words = sorted(found, key=ORDER.index)
    parts = [(word, _things(tuple(found[word]))) for word in words]
    if sum(len(word) + len(things) + 3 for word, things in parts) > LONGEST:
        parts = [(word, "") for word in words]
    return (_row(parts),)


def _commands(tool: ToolCall, cwd: str) -> Iterator[tuple[str, str]]:
    """Yield what is run, and where."""
    leaves = raw.beside(tool.raw_input)
    folder = next((text for name, text in leaves if name in raw.FOLDERS), "")
    here = _joined(folder, cwd)
    known = (raw.command(tool.raw_input), *(it.command for it in tool.terminals))
    ran = [*dict.fromkeys(filter(None, known)), *(it for name, it in leaves if name in SHELL)]
    is_named = tool.kind == "execute" and not ran and not leaves and bool(tool.title)
    for command in (*ran, *((named(tool),) if is_named else ())):
        places = {it.cwd for it in tool.terminals if it.command == command and it.cwd}
        for place in sorted(places) or (here,):
            yield command, place


def _joined(folder: str, cwd: str) -> str:
    return folder if folder.startswith("/") else f"{cwd}/{folder}" if folder else cwd


def _things(names: tuple[str, ...]) -> str:
    left = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f", … {left} more" if left > 0 else "")


def _row(parts: list[tuple[str, str]]) -> Line:
    found = [("! ", "AcpEffect")]
    for number, (word, things) in enumerate(parts):
        found += [
            (" · " if number else "", ""),
            (word, "AcpEffect"),
            (f": {things}" if things else "", ""),
        ]
    return pieces(found)
