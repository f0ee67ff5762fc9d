"""From a name to something that can be started: presets, configuration, environment."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from acp_nvim.agents import PRESETS, Preset
from acp_nvim.client.launch import Launch, Remote
from acp_nvim.config import AgentOptions, Options
from acp_nvim.errors import UserError, suggest
from acp_nvim.paths import SAME, Paths
from acp_nvim.patterns import lazy_pattern
from acp_nvim.registry.installed import Installed
from acp_nvim.transport import remote as elsewhere
from acp_nvim.transport.child import spawn
from acp_nvim.transport.door import door
from acp_nvim.transport.link import Link
from acp_nvim.transport.stdio import Stdio

TUTOR = "tutor"
_RUN_TUTOR = (
    "import runpy, sys; sys.path.insert(0, sys.argv.pop()); "
    "runpy.run_module('acp_tutor', run_name='__main__', alter_sys=True)"
)
"""It needs no packages: whatever the user's shell says to Pythons is not for it."""

PRIVATE = (
    "NVIM",
    "NVIM_LISTEN_ADDRESS",
    "NVIM_LOG_FILE",
    "VIM",
    "VIMRUNTIME",
    "MYVIMRC",
    "PYDANTIC_DISABLE_PLUGINS",
)
"""Variables that an agent does not get: with $NVIM it could command the editor past the client."""


Installs: TypeAlias = Mapping[str, Installed]
"""The agents that were installed by us, by name."""


def launch(
    name: str, options: Options, *, root: str, cwd: str, installs: Installs = MappingProxyType({})
) -> Launch:
    """Return how to start that agent in `cwd`; `root` is the plugin's own folder.

    Raises `UserError`, with the nearest name, for an agent that is not known.
    """
    preset, own = _preset(name, root, installs), options.agents.get(name)
    if own is not None and own.url is not None:
        return _remote(name, own.url, own, options)
    if preset is None and (own is None or own.command is None):
        raise UserError(_unknown(name, options, installs))
    own = own or AgentOptions()
    return Launch(
        name=name,
        command=own.command or (preset.command if preset else ""),
        args=own.args if own.args is not None else (preset.args if preset else ()),
        env={**environment(), **(dict(preset.env) if preset else {}), **own.env},
        cwd=own.cwd or cwd,
        install=preset.install if preset else "",
        quirks=preset.quirks if preset else frozenset(),
        mcp_servers=tuple(options.mcp_servers),
        additional_directories=tuple(options.additional_directories),
        read_files=options.fs.read,
        write_files=options.fs.write,
        guard=tuple(options.fs.guard),
        terminals=options.terminal.enabled,
        paths=paths(name, options),
        protocol=own.protocol,
    )


def _remote(name: str, url: str, own: AgentOptions, options: Options) -> Launch:
    """Return how to reach an agent elsewhere: it may do here what it is let do by name."""
    preset = PRESETS.get(name)
    return Launch(
        name=name,
        command="",
        quirks=preset.quirks if preset else frozenset(),
        mcp_servers=tuple(options.mcp_servers),
        additional_directories=tuple(options.additional_directories),
        read_files=own.fs and options.fs.read,
        write_files=own.fs and options.fs.write,
        guard=tuple(options.fs.guard),
        terminals=own.terminal and options.terminal.enabled,
        remote=Remote(url),
        paths=paths(name, options),
        protocol=own.protocol,
    )


def editor_tools(name: str, options: Options) -> bool | tuple[str, ...]:
    """Return the tools of the editor that an agent may call: all, none, or those of these names.

    One that runs elsewhere has none that are not named.
    """
    own = options.agents.get(name) or AgentOptions()
    return own.url is None if own.editor is None else own.editor


def paths(name: str, options: Options) -> Paths:
    """Return the files that an agent knows by other names than we."""
    own = options.agents.get(name)
    if own is None or not own.paths:
        return SAME
    return Paths.of(name, own.paths, os.path.realpath)


async def start(launch: Launch, on_group: Callable[[int, bool], None]) -> Link:
    """Start the agent's program, or connect to it; `on_group` is told of its processes."""
    if launch.remote is not None:
        return await _connect(launch.name, launch.remote)
    command, *args = launch.argv
    child = await spawn(
        command,
        args,
        env=launch.env if launch.env is not None else os.environ,
        cwd=launch.cwd,
        on_group=on_group,
        install=launch.install,
    )
    return Stdio(child)


async def _connect(name: str, remote: Remote) -> Link:
    door(elsewhere, name)
    return await elsewhere.connect(name, remote.url, await remote.headers())


def available(
    options: Options, *, root: str, installs: Installs = MappingProxyType({})
) -> list[dict[str, Any]]:
    """Return all agents for the picker: found ones, then the tutor, then missing ones."""
    names = dict.fromkeys([*options.agents, *PRESETS, *installs])
    rows = [_row(name, options, _preset(name, root, installs)) for name in names if name != TUTOR]
    found = [row for row in rows if row["found"]]
    missing = [row for row in rows if not row["found"]]
    return [*found, _row(TUTOR, options, _preset(TUTOR, root, installs)), *missing]


def _row(name: str, options: Options, preset: Preset | None) -> dict[str, Any]:
    own = options.agents.get(name) or AgentOptions()
    if own.url is not None:
        where = own.url.partition("?")[0]
        return {"name": name, "title": name, "command": where, "found": True, "install": ""}
    command = own.command or (preset.command if preset else "")
    path = own.env.get("PATH", os.environ.get("PATH"))
    return {
        "name": name,
        "title": preset.title if preset else name,
        "command": command,
        "found": bool(command) and shutil.which(os.path.expanduser(command), path=path) is not None,
        "install": preset.install if preset else "",
    }


def _preset(name: str, root: str, installs: Installs) -> Preset | None:
    """Return what is known of that agent; as it was installed by us, if it was."""
    if name != TUTOR:
        return _as_installed(PRESETS.get(name), installs.get(name))
    return Preset(
        name=TUTOR,
        title="The built-in tutorial",
        command=sys.executable,
        args=("-I", "-c", _RUN_TUTOR, os.path.join(root, "python")),
        install="",
    )


def _as_installed(preset: Preset | None, found: Installed | None) -> Preset | None:
    if found is None:
        return preset
    return Preset(
        name=found.name,
        title=preset.title if preset else found.title,
        command=found.command,
        args=found.args,
        install="",
        env=tuple((name, it) for name, it in found.env.items() if name not in PRIVATE),
        quirks=preset.quirks if preset else frozenset(),
    )


def environment() -> dict[str, str]:
    """Return what programs get of ours."""
    return {key: value for key, value in os.environ.items() if key not in PRIVATE}


def environment_of_python() -> dict[str, str]:
    """Return what a program gets that is Python's, and is ours to start: nothing that the user's
    shell says to Pythons, nor to pip and uv of where packages go."""
    return {key: value for key, value in environment().items() if not _SAID.match(key)}


_SAID = lazy_pattern(
    r"PYTHON.|VIRTUAL_ENV|__PYVENV_LAUNCHER__$|PIP_(USER|TARGET|PREFIX|ROOT|PYTHON|REQUIRE_|"
    r"CONSTRAINT|NO_DEPS|NO_BINARY|DRY_RUN)|UV_(TARGET|PREFIX|SYSTEM_PYTHON|PYTHON$|CONSTRAINT|"
    r"OVERRIDE|REQUIRE_HASHES|NO_BINARY)"
)


def _unknown(name: str, options: Options, installs: Installs) -> str:
    if name in options.agents:
        own = f"vim.g.acp.agents.{name}"
        return f"{own} names no program: command = '…' is one, args = {{ … }} its arguments"
    known = [*PRESETS, TUTOR, *options.agents, *installs]
    hint = suggest(name, known)
    more = ":Acp agents installs others, vim.g.acp.agents names more"
    return f"no agent is called {name!r}: {hint} ({more})"
