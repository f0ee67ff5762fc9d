"""`:Acp agents`: what is here, what could be installed, what the registry has."""

from __future__ import annotations

import os
import shlex
import shutil
import time
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from acp_nvim.agents import PRESETS
from acp_nvim.client.login import OF_A_TERMINAL
from acp_nvim.errors import UserError
from acp_nvim.loopback import is_this_machine
from acp_nvim.registry import installer
from acp_nvim.registry.entry import Archive, Entry, Package
from acp_nvim.registry.installed import Installed, installed, version_of
from acp_nvim.registry.listing import PUBLIC
from acp_nvim.registry.plan import Find, NoWay, Plan, named, plan
from acp_nvim.view.lists.agent_list import AgentRow, RegistryState, agent_list
from acp_nvim.view.op import Replace
from acp_nvim.view.visible import one_line
from acp_nvim.workspace.host import Host
from acp_nvim.workspace.launching import TUTOR, environment_of_python


def listing(host: Host, width: int, opened: tuple[str, ...] = ()) -> dict[str, Any]:
    """Answer the ops that draw the list in so many columns, with the details of the agents that are
    `opened`; the agent of each row, and whether something goes on. The list of a registry that the
    user has set is fetched once by itself."""
    rows, state = tuple(_rows(host)), _state(host)
    shown = agent_list(rows, state, opened, width)
    is_busy = state.is_fetching or bool(host.agents.installer.jobs)
    is_new = host.workspace.options.registry is not None and state.fetched is None
    is_wanted = is_new and not is_busy and not state.problem
    if is_wanted:
        host.tasks.start_soon(_fetch_first, host)
    return {
        "ops": [Replace(0, -1, shown.lines)],
        "names": list(shown.names),
        "here": [row.name for row in rows if row.group == "here"],
        "busy": is_busy or is_wanted,
    }


async def _fetch_first(host: Host) -> None:
    try:
        await fetch(host)
    except UserError as error:
        host.editor.notifier.notice(str(error), warning=True)


async def fetch(host: Host) -> None:
    """Fetch the list of the registry anew, unless that is being done."""
    if not host.agents.registry.is_fetching:
        await host.agents.registry.fetch(address(host))


def address(host: Host) -> str:
    """Return the address of the registry."""
    return host.workspace.options.registry or PUBLIC


def entries(host: Host) -> Mapping[str, Entry]:
    """Return what the registry lists, by the names that agents have here."""
    found = host.agents.registry.listing(address(host))
    by_name = named(found.entries if found else ())
    return {name: it for name, it in by_name.items() if not _is_own(host, name)}


def planned(host: Host, name: str, entry: Entry | None, find: Find = shutil.which) -> Plan:
    """Return how that agent would be installed; raises `UserError` that says why it cannot be.

    `entry`: what the registry has of it; `find`: see `plan`.
    """
    if _is_own(host, name):
        raise UserError(f"{name} is configured in vim.g.acp.agents")
    preset = PRESETS.get(name)
    if entry is None and preset is None:
        raise UserError(f"no agent is called {name!r}: :Acp agents lists them")
    return plan(name, entry, preset, host.workspace.agents_folder(), find)


def _is_own(host: Host, name: str) -> bool:
    """Tell whether the user has said how that agent is started: no registry speaks of it then."""
    own = host.workspace.options.agents.get(name)
    return name == TUTOR or (own is not None and (own.command or own.url) is not None)


def _state(host: Host) -> RegistryState:
    found = host.agents.registry.listing(address(host))
    return RegistryState(
        host=urlsplit(address(host)).netloc,
        count=len(found.entries) if found else 0,
        fetched=max(time.time() - found.fetched, 0.0) if found else None,
        is_fetching=host.agents.registry.is_fetching,
        problem=host.agents.registry.problem,
    )


def _rows(host: Host) -> Iterator[AgentRow]:
    installs = installed(host.workspace.agents_folder())
    listed, known, find = entries(host), set(), cache(shutil.which)
    for row in host.workspace.available():
        name, title = row["name"], row["title"]
        known.add(name)
        if row["found"]:
            yield _here(host, row, installs.get(name), listed.get(name))
        else:
            yield _missing(host, (name, title), listed.get(name), find)
    for name, entry in listed.items():
        if name not in known:
            yield _missing(host, (name, entry.title), entry, find)


def _here(
    host: Host, row: Mapping[str, Any], ours: Installed | None, entry: Entry | None
) -> AgentRow:
    name, client = row["name"], host.workspace.client(row["name"])
    path = shutil.which(os.path.expanduser(row["command"])) or row["command"]
    told = client.info.version if client is not None and client.info is not None else None
    what = "installed by acp.nvim" if ours else _short(path)
    if ours and entry and entry.version not in ("", ours.version):
        what = f"{entry.version} is available: i installs it"
    origin = [("installed from", ours.origin)] if ours else []
    return AgentRow(
        name=name,
        title=row["title"],
        group="here",
        version=told or (ours.version if ours else "") or version_of(path),
        what="" if name == TUTOR else what,
        does=host.agents.installer.jobs.get(name, ""),
        details=(*origin, ("is", _short(path)), *_about(entry)),
    )


def _missing(host: Host, names: tuple[str, str], entry: Entry | None, find: Find) -> AgentRow:
    name, title = names
    does, version = host.agents.installer.jobs.get(name, ""), entry.version if entry else ""
    try:
        found = planned(host, name, entry, find)
    except UserError as error:
        said = error.why if isinstance(error, NoWay) else str(error)
        details = (("it", said), *_about(entry))
        return AgentRow(name, title, "impossible", version, said, does, details)
    runs = "i downloads" if isinstance(found.way, Archive) else "i runs"
    details = ((runs, found.shown), ("starts as", started(found)), *_about(entry))
    return AgentRow(name, title, "possible", version, found.way.origin, does, details)


def started(found: Plan) -> str:
    """Return how an agent will be started, with its variables, as far as that is known before."""
    way = found.way
    command = way.command or (way.name.rpartition("/")[2] if isinstance(way, Package) else "")
    variables = [f"{key}={value}" for key, value in way.env.items()]
    return shlex.join([*variables, command, *way.args])


def _about(entry: Entry | None) -> Iterator[tuple[str, str]]:
    if entry is None:
        return
    told = (("about", entry.about), ("license", entry.license), ("see", entry.website))
    yield from ((heading, text) for heading, text in told if text)


def _short(path: str) -> str:
    """Return a path with ~ for the home directory."""
    home = os.path.expanduser("~")
    return "~" + path[len(home) :] if path.startswith(home + "/") else path


LONGEST = 300
"""Characters of how an agent is started, in a question."""


async def install(host: Host, agent: str) -> None:
    """Install that agent once the user has seen what that runs, and agreed."""
    _must_not_run(host, agent)
    entry = entries(host).get(agent)
    plan = planned(host, agent, entry)
    if not await _is_wanted(host, plan):
        return
    env = {key: it for key, it in environment_of_python().items() if key not in OF_A_TERMINAL}
    local = is_this_machine(urlsplit(address(host)).hostname or "")
    await host.agents.installer.install(plan, entry.title if entry else agent, env, local=local)
    host.editor.notifier.notice(f"{agent} is installed: :Acp start {agent} starts it")


async def remove(host: Host, agent: str) -> None:
    """Remove an agent that was installed by us, once the user agrees."""
    folder = host.workspace.agents_folder()
    found = installed(folder).get(agent)
    if found is None:
        raise UserError(f"{agent} was not installed by acp.nvim: remove it as you installed it")
    _must_not_run(host, agent)
    if await host.agrees(f"Remove {agent}?", f"Yes, remove {found.folder}"):
        await installer.remove(folder, agent)


def cancel(host: Host, agent: str) -> bool:
    """Stop installing that agent; answer whether it was being installed."""
    return host.agents.installer.cancel(agent)


async def _is_wanted(host: Host, plan: Plan) -> bool:
    """Ask; what cannot be seen as a whole is not run."""
    starts = started(plan)
    if len(starts) > LONGEST or not starts.isprintable():
        raise UserError(f"how {plan.agent} is started cannot be shown as it is: refused")
    version = f" {one_line(plan.version, 30)}" if plan.version else ""
    does = "download" if isinstance(plan.way, Archive) else "run"
    title = f"Install {plan.agent}{version}? It is started as: {starts}"
    return await host.agrees(title, f"Yes, {does} {plan.shown}")


def _must_not_run(host: Host, name: str) -> None:
    client = host.workspace.client(name)
    if client is not None and client.state not in ("failed", "closed"):
        raise UserError(f"{name} is running: :Acp stop {name} first")
