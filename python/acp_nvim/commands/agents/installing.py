"""Installing an agent, and away with it: by the user's command, and their yes to what is shown."""

from __future__ import annotations

from urllib.parse import urlsplit

from acp_nvim.client.login import OF_A_TERMINAL
from acp_nvim.commands.agents.agent_list import address, entries, planned, started
from acp_nvim.commands.payloads.of_agents import OfName
from acp_nvim.editor import Choice
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


async def install(host: Host, payload: OfName) -> None:
    """Install that agent once the user has seen what that runs, and agreed."""
    name = payload.agent
    _must_not_run(host, name)
    entry = entries(host).get(name)
    plan = planned(host, name, entry)
    if not await _is_wanted(host, plan):
        return
    env = {key: it for key, it in environment_of_python().items() if key not in OF_A_TERMINAL}
    local = is_this_machine(urlsplit(address(host)).hostname or "")
    await host.agents.installer.install(plan, entry.title if entry else name, env, local=local)
    host.editor.notifier.notice(f"{name} is installed: :Acp start {name} starts it")


async def remove(host: Host, payload: OfName) -> None:
    """Remove an agent that was installed by us, once the user agrees."""
    name, folder = payload.agent, host.workspace.agents_folder()
    found = installed(folder).get(name)
    if found is None:
        raise UserError(f"{name} was not installed by acp.nvim: remove it as you installed it")
    _must_not_run(host, name)
    choices = [Choice("No", value=False), Choice(f"Yes, remove {found.folder}", value=True)]
    if await host.editor.chooser.choose(f"Remove {name}?", "acp.confirm", choices):
        await installer.remove(folder, name)


def cancel(host: Host, payload: OfName) -> bool:
    """Stop installing that agent; answer whether it was being installed."""
    return host.agents.installer.cancel(payload.agent)


async def _is_wanted(host: Host, plan: Plan) -> bool:
    """Ask; what cannot be seen as a whole is not run."""
    starts = started(plan)
    if len(starts) > LONGEST or not starts.isprintable():
        raise UserError(f"how {plan.agent} is started cannot be shown as it is: refused")
    version = f" {one_line(plan.version, 30)}" if plan.version else ""
    does = "download" if isinstance(plan.way, Archive) else "run"
    title = f"Install {plan.agent}{version}? It is started as: {starts}"
    choices = [Choice("No", value=False), Choice(f"Yes, {does} {plan.shown}", value=True)]
    return bool(await host.editor.chooser.choose(title, "acp.confirm", choices))


def _must_not_run(host: Host, name: str) -> None:
    client = host.workspace.client(name)
    if client is not None and client.state not in ("failed", "closed"):
        raise UserError(f"{name} is running: :Acp stop {name} first")
