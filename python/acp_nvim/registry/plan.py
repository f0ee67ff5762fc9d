"""How an agent would be installed here: the exact command, or the download; nothing is done yet.

Each goes into a folder of its own below ours: nothing of the user's is changed, no rights are
needed, and what has failed leaves nothing.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import count
from typing import TypeAlias

from msgspec import Struct

from acp_nvim.agents import PRESETS, Preset
from acp_nvim.errors import UserError
from acp_nvim.registry.entry import Archive, Entry, Package, Way, npm, pypi
from acp_nvim.registry.listing import this_machine

Find: TypeAlias = Callable[[str], str | None]

MOST_SHOWN = 600
"""Characters of a command: what cannot be seen as a whole is not run."""


class NoWay(UserError):
    """An agent cannot be installed here; `why` is the sentence without its subject."""

    def __init__(self, agent: str, why: str) -> None:
        super().__init__(f"{agent} {why}")
        self.why = why


class Plan(Struct, frozen=True):
    """What the user is asked to agree to; `argv` is empty for a download."""

    agent: str
    way: Way
    version: str
    folder: str
    argv: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """The command as it could be typed; of a download the address and what it is held to."""
        if not isinstance(self.way, Archive):
            return shlex.join(self.argv)
        checked = f"sha256 {self.way.sha256}" if self.way.sha256 else "no checksum is told of it"
        return f"{self.way.url} ({checked}) into {self.folder}"


def ways(entry: Entry | None, preset: Preset | None) -> tuple[Way, ...]:
    """Return all ways to install an agent, the best one first, whether or not they work here.

    Best is what has a checksum, worst is a program without one.
    """
    found = list(entry.ways) if entry is not None else []
    if preset is not None and (own := _of_preset(preset)) is not None:
        found.append(own)
    unchecked = [it for it in found if isinstance(it, Archive) and not it.sha256]
    return (*(it for it in found if it not in unchecked), *unchecked)


def named(entries: Iterable[Entry]) -> Mapping[str, Entry]:
    """Return entries by the names that agents have here.

    An entry with the name, or the package, of a preset is the same agent.
    """
    found: dict[str, Entry] = {}
    for entry in entries:
        of_preset = (_presets_by_package().get(it) for it in _packages(entry.ways))
        same = next((name for name in of_preset if name is not None), entry.id)
        found.setdefault(entry.id if entry.id in PRESETS else same, entry)
    return found


@cache
def _presets_by_package() -> Mapping[tuple[str, str], str]:
    return {key: it.name for it in PRESETS.values() for key in _packages(ways(None, it))}


def _packages(found: Iterable[Way]) -> list[tuple[str, str]]:
    return [(it.source, it.name) for it in found if isinstance(it, Package)]


def _of_preset(preset: Preset) -> Package | None:
    """Return the package that a preset's command installs; None for a script."""
    started = (preset.command, preset.args, dict(preset.env))
    match shlex.split(preset.install):
        case ["npm", "install", "-g", spec]:
            return npm(spec, *started)
        case ["uv", "tool", "install", spec]:
            return pypi(spec, *started)
    return None


def plan(
    agent: str,
    entry: Entry | None,
    preset: Preset | None,
    folder: str,
    find: Find = shutil.which,
) -> Plan:
    """Return how to install it below that folder; raises `NoWay` if it cannot be.

    `find` tells where a program is on the PATH.
    """
    possible = ways(entry, preset)
    for way in possible:
        place = _free(os.path.join(folder, agent))
        argv = _argv(way, place, find)
        if argv is not None:
            version = entry.version if entry is not None and way in entry.ways else ""
            return _checked(Plan(agent, way, version, place, argv))
    raise NoWay(agent, _why_not(entry, preset, possible))


def _free(path: str) -> str:
    """Return the path of a folder that is not there yet."""
    return next(it for n in count(1) if not os.path.lexists(it := f"{path}-{n}"))


def needs(way: Way) -> str:
    """Return what a way needs here: "npm", "uv or pipx", "" for a download."""
    if isinstance(way, Archive):
        return ""
    return "npm" if way.source == "npm" else "uv or pipx"


def _checked(made: Plan) -> Plan:
    if len(made.shown) > MOST_SHOWN or not made.shown.isprintable():
        raise NoWay(made.agent, "is refused: what installs it cannot be shown as it is")
    return made


def _argv(way: Way, folder: str, find: Find) -> tuple[str, ...] | None:
    """Return the command, empty for a download; None if its program is not here."""
    if isinstance(way, Archive):
        return ()
    spec = way.name + (("@" if way.source == "npm" else "==") + way.version if way.version else "")
    for program in ("npm",) if way.source == "npm" else ("uv", "pipx"):
        path = find(program)
        if path is not None:
            return tuple(_command(program, path, folder, spec))
    return None


def _command(program: str, path: str, folder: str, spec: str) -> Sequence[str]:
    if program == "npm":
        return [path, "install", "--prefix", folder, "--no-audit", "--no-fund", spec]
    places = {
        "uv": (f"UV_TOOL_DIR={folder}/tools", f"UV_TOOL_BIN_DIR={folder}/bin"),
        "pipx": (f"PIPX_HOME={folder}/tools", f"PIPX_BIN_DIR={folder}/bin"),
    }
    return ["env", *places[program], path, *(["tool"] if program == "uv" else []), "install", spec]


def _why_not(entry: Entry | None, preset: Preset | None, possible: Sequence[Way]) -> str:
    wanted = list(dict.fromkeys(needs(way) for way in possible))
    if wanted:
        return f"needs {', or '.join(wanted)}, not found here"
    if preset is not None and re.search(r"[|;&]", preset.install):
        return f"is installed by a script, run it yourself: {preset.install}"
    if entry is not None and entry.is_elsewhere:
        return f"is not there for {this_machine()}"
    return "does not say how it is installed"
