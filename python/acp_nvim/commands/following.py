"""Follow-along by the user's wish: on, off, and off by itself when the user moves."""

from __future__ import annotations

from acp_nvim.commands.payloads import Follow
from acp_nvim.workspace.host import Host

MOVED = "follow is off, for you moved in its window: :Acp follow turns it on again"


async def follow(host: Host, payload: Follow) -> None:
    """Turn it on or off; `moved` when the user moved in the window."""
    along = host.follow
    if payload.moved:
        if along.enabled:
            along.switch(enabled=False)
            host.editor.notifier.notice(MOVED)
        return
    enabled = not along.enabled if payload.to == "toggle" else payload.to == "on"
    if enabled:
        await along.find_window()
    along.switch(enabled=enabled)
    host.editor.notifier.notice(f"follow is {'on' if enabled else 'off'}")
