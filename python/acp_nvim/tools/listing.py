"""The tools of one session as `:Acp tools` shows them."""

from __future__ import annotations

from acp_nvim.tools import own
from acp_nvim.tools.offered import Offered
from acp_nvim.tools.own import TOOLS
from acp_nvim.tools.tool import Tool
from acp_nvim.view.styled import plural
from acp_nvim.view.visible import one_line

WIDTH = 72
"""Characters of a description."""


async def rows(offered: Offered) -> list[str]:
    """Return what the user reads: which tools the agent may call, and how often it did."""
    users = await own.tools(offered.parts.editor.tools)
    agent = offered.caller.session.state.agent
    state = "on" if offered.on else "off: :Acp tools on turns them on again"
    shown = [_row(it, offered) for it in TOOLS]
    if users:
        shown += ["", "Your own", *(_row(it, offered) for it in users)]
    return [f"Tools of the editor for {one_line(agent, WIDTH)}: {state}", "", *shown]


def _row(tool: Tool, offered: Offered) -> str:
    count = offered.counts.get(tool.name, 0)
    mark = " " if offered.has(tool.name, tool.needs) else "–"
    called = f" · {plural(count, 'call')}" if count else ""
    about = one_line(tool.description, WIDTH)
    return f"{mark} {tool.name:<18} {about}{called}"
