"""The sessions that were open when the last Neovim of a project ended: brought back by the next."""

from __future__ import annotations

from functools import partial

from acp_nvim.commands.payloads.of_sessions import OfProject
from acp_nvim.workspace.host import Host
from acp_nvim.workspace.root import find_root


def left_open(host: Host, payload: OfProject) -> list[dict[str, str]]:
    """Answer agent and id of each that is to be brought back; they are this host's from now on."""
    if not host.workspace.options.restore:
        return []
    root = find_root(payload.file, payload.cwd)
    kept = {(head.agent, head.id) for head in host.store.heads()}
    shown = {chat.session.state.key for chat in host.workspace.chats.values()}
    taken = host.left_open.take(partial(host.workspace.worktrees.is_of, root))
    return [{"agent": key[0], "session": key[1]} for key in taken if key in kept - shown]
