"""What a registry of agents says: its JSON made into records. All of it is somebody else's text.

What is wrong in one agent's entry costs that entry, or one way to install it, and nothing else.
What could be taken for an option, a path or another program is refused here, once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias
from urllib.parse import urlsplit

from msgspec import Struct, field

from acp_nvim.errors import UserError
from acp_nvim.patterns import lazy_pattern
from acp_nvim.session.environment import is_dangerous
from acp_nvim.view.visible import one_line

MOST_ENTRIES = 1_000
MOST_ARGUMENTS = 64
MOST_OF_NAME, MOST_OF_TEXT, MOST_OF_ADDRESS = 40, 300, 1_000
"""Characters of a name, a description or an argument, an address."""

_ID = lazy_pattern(r"[a-z0-9][a-z0-9_-]{0,63}")
_NPM = lazy_pattern(
    r"(?P<name>(@[a-z0-9][a-z0-9._~-]*/)?[A-Za-z0-9][A-Za-z0-9._~-]*)"
    r"(@(?P<version>[0-9A-Za-z][0-9A-Za-z.+-]*))?"
)
_PYPI = lazy_pattern(
    r"(?P<name>[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?(\[[A-Za-z0-9._,-]+\])?)"
    r"((==|@)(?P<version>[0-9A-Za-z][0-9A-Za-z.!+-]*))?"
)
_COMMAND = lazy_pattern(r"[A-Za-z0-9_][A-Za-z0-9._-]*")
_ADDRESS = lazy_pattern(r"https?://[A-Za-z0-9.:\[\]-]+(/[!-~]*)?")


class Package(Struct, frozen=True):
    """A way to install an agent: a package of npm or PyPI.

    `command` is the program in it, "" for the one that it is known by; `version` "" for the newest.
    """

    source: Literal["npm", "pypi"]
    name: str
    version: str = ""
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)

    @property
    def origin(self) -> str:
        """Where it comes from, in a few words."""
        return f"{'npm' if self.source == 'npm' else 'PyPI'}: {self.name}"


class Archive(Struct, frozen=True):
    """A way to install an agent: an archive, or the program itself, to be downloaded.

    `command` is the program's path in it; `sha256` in lower case, "" where nobody tells it.
    """

    url: str
    command: str
    sha256: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)

    @property
    def origin(self) -> str:
        """Where it comes from, in a few words."""
        checked = "" if self.sha256 else ", without a checksum"
        return f"download from {urlsplit(self.url).hostname}{checked}"


Way: TypeAlias = Package | Archive


class Entry(Struct, frozen=True):
    """An agent of the registry; its texts are safe to show and cut."""

    id: str
    title: str
    version: str = ""
    about: str = ""
    website: str = ""
    license: str = ""
    ways: tuple[Way, ...] = ()
    is_elsewhere: bool = False
    """There are programs of it, but none for this machine."""


Row: TypeAlias = Mapping[str, Any]


def parse(text: str, platform: str) -> tuple[Entry, ...]:
    """Return the agents that a registry lists, for a machine like "linux-x86_64".

    Raises `UserError`, without its subject, for what is no registry.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError("answers with something that is not JSON") from error
    rows = document.get("agents") if isinstance(document, dict) else None
    if not isinstance(rows, list):
        raise UserError("answers with JSON that is not a list of agents")
    found: dict[str, Entry] = {}
    for row in rows[:MOST_ENTRIES]:
        entry = _entry(row, platform)
        if entry is not None:
            found.setdefault(entry.id, entry)
    return tuple(found.values())


def _entry(row: object, platform: str) -> Entry | None:
    told = _mapping(row)
    agent, title, ways = _text(told, "id"), _text(told, "name"), _mapping(told.get("distribution"))
    if not _ID.fullmatch(agent) or not title.strip():
        return None
    targets = _mapping(ways.get("binary"))
    found = (
        _archive(_mapping(targets.get(platform))),
        _from(npm, _mapping(ways.get("npx"))),
        _from(pypi, _mapping(ways.get("uvx"))),
    )
    return Entry(
        id=agent,
        title=one_line(title, MOST_OF_NAME),
        version=one_line(_text(told, "version"), MOST_OF_NAME),
        about=one_line(_text(told, "description"), MOST_OF_TEXT),
        website=_address(_text(told, "website")) or _address(_text(told, "repository")),
        license=one_line(_text(told, "license"), MOST_OF_NAME),
        ways=tuple(way for way in found if way is not None),
        is_elsewhere=bool(targets) and platform not in targets,
    )


def npm(spec: str, command: str, args: tuple[str, ...], env: Mapping[str, str]) -> Package | None:
    """Return a package of npm, as "@scope/name@1.2.3"; None for anything else npm would take."""
    return _package("npm", _NPM, spec, (command, args, env))


def pypi(spec: str, command: str, args: tuple[str, ...], env: Mapping[str, str]) -> Package | None:
    """Return a package of PyPI, as "name==1.2.3" or "name@1.2.3"; None for anything else."""
    return _package("pypi", _PYPI, spec, (command, args, env))


def _package(
    source: Literal["npm", "pypi"],
    form: re.Pattern[str],
    spec: str,
    started: tuple[str, tuple[str, ...], Mapping[str, str]],
) -> Package | None:
    found = form.fullmatch(spec)
    command, args, env = started
    if found is None or (command and not _COMMAND.fullmatch(command)):
        return None
    version = found["version"] or ""
    return Package(
        source, found["name"], "" if version == "latest" else version, command, args, env
    )


def _from(make: Callable[..., Package | None], row: Row) -> Package | None:
    started = _started(row)
    return None if started is None else make(_text(row, "package"), _text(row, "cmd"), *started)


def _archive(row: Row) -> Archive | None:
    """Return the program for this machine, if it is told where it is and what it is called."""
    url, sha256 = _address(_text(row, "archive")), _text(row, "sha256").lower()
    command, started = _text(row, "cmd").removeprefix("./"), _started(row)
    is_sound = url and all(_COMMAND.fullmatch(part) for part in command.split("/"))
    # a checksum that is none must not count as "nobody tells it"
    is_checked = row.get("sha256") is None or re.fullmatch(r"[0-9a-f]{64}", sha256)
    if started is None or not is_sound or not is_checked:
        return None
    return Archive(url, command, sha256, *started)


def _started(row: Row) -> tuple[tuple[str, ...], Mapping[str, str]] | None:
    """Return arguments and variables, if they can be shown and typed; else None."""
    args, env = row.get("args") or [], row.get("env") or {}
    if not isinstance(args, list) or not isinstance(env, dict):
        return None
    told = [*args, *env.values()]
    is_sound = len(told) <= MOST_ARGUMENTS and not any(map(is_dangerous, env))
    if not is_sound or not all(_can_be_typed(it) for it in told):
        return None
    return tuple(args), dict(env)


def _can_be_typed(value: object) -> bool:
    return isinstance(value, str) and value.isprintable() and len(value) <= MOST_OF_TEXT


def _address(text: str) -> str:
    """Return an address that can be opened, else ""."""
    if len(text) > MOST_OF_ADDRESS or not _ADDRESS.fullmatch(text):
        return ""
    try:
        _ = urlsplit(text).port
    except ValueError:
        return ""
    return text


def _text(row: Row, key: str) -> str:
    value = row.get(key)
    return value if isinstance(value, str) else ""


def _mapping(value: object) -> Row:
    return value if isinstance(value, dict) else {}
