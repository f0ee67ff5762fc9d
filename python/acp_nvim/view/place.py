"""Places in files as a reader wants them: relative to the session's directory, safe to show."""

from __future__ import annotations

import re
from urllib.parse import unquote

from acp_nvim.paths import absolute, named
from acp_nvim.patterns import lazy_pattern
from acp_nvim.session.model import Location
from acp_nvim.view.visible import one_line

LIMIT = 200
_SCHEME = lazy_pattern(
    r"[A-Za-z][A-Za-z0-9+.-]*://|(?:data|mailto|urn|about|javascript):", re.IGNORECASE
)
_LINES = lazy_pattern(r"L?(\d{1,9})(?:-L?(\d{1,9}))?$")


def relative(path: str, cwd: str) -> str:
    """Return the path below `cwd` (may be "") if it is there, else as it stands; one line."""
    folder = cwd.rstrip("/") + "/" if cwd else ""
    return one_line(path.removeprefix(folder), LIMIT)


def place(location: Location, cwd: str) -> str:
    """Return `path:line`, or the path alone when no line is said (0 is none: C-171)."""
    path = relative(location.path, cwd)
    return f"{path}:{location.line}" if location.line else path


def mention(uri: str, cwd: str) -> str:
    """Return `@src/foo.py:2-3` for a file, `@diff` for ours, `@uri` for anything else."""
    location = file_of(uri)
    if location is None:
        return "@" + one_line(unquote(uri.removeprefix("acp-nvim://")), LIMIT)
    _, mark, fragment = uri.partition("#")
    lines = _LINES.match(fragment)
    said = ":" + "-".join(dict.fromkeys(filter(None, lines.groups()))) if lines else mark + fragment
    return "@" + relative(location.path, cwd) + one_line(said, 40)


def linked(uri: str, cwd: str) -> Location | None:
    """Return the file that a link of an agent's leads to: it may be relative, and no address."""
    if _SCHEME.match(uri) and file_of(uri) is None:
        return None
    path, line = named(uri)
    return Location(absolute(path, cwd), line) if path else None


def file_of(uri: str) -> Location | None:
    """Return the file, and the first line, that a `file://` uri names; else None."""
    if uri[:5].lower() != "file:":
        return None
    path, line = named(uri)
    return Location(path, line)
