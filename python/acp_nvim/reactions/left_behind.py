"""What an agent leaves running: named once, and never ended by itself."""

from __future__ import annotations

from acp_nvim.view.lists.agents import left, process
from acp_nvim.workspace.host import Host

SETTLED = 1.0
"""Seconds after which nothing is there any more that is just being ended with its host."""


async def tell(host: Host, agent: str) -> None:
    """Say what an agent has left running, here or in a host that is gone, if it was not said."""
    marks = host.workspace.marks
    if not await marks.left(agent):
        return
    await host.sleep(SETTLED)
    found = await marks.left(agent)
    new = [it for it in found if host.told.first(f"process {it.key}")]
    if new:
        names = [process(it.command, it.pid, it.count) for it in new]
        said = left(agent, names, f", which :Acp stop {agent} offers to end")
        host.editor.notifier.notice(said, warning=True)
