"""Installing an agent, and away with it: by the user's command, and their yes to what is shown."""

from __future__ import annotations

from urllib.parse import urlsplit

from acp_nvim.client.login import OF_A_TERMINAL
from acp_nvim.commands.agents.agent_list import address, entries, planned, started
from acp_nvim.errors import UserError
from acp_nvim.loopback import is_this_machine
from acp_nvim.registry import installer
from acp_nvim.registry.entry import Archive
from acp_nvim.registry.installed import installed
from acp_nvim.registry.plan import Plan
from acp_nvim.view.visible import one_line
from acp_nvim.workspace.host import Host
from acp_nvim.workspace.launching import environment_of_python

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
