"""Which worktree of the user's project a command means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from acp_nvim.editor import Choice
from acp_nvim.errors import UserError, suggest
from acp_nvim.session.saved import title_of
from acp_nvim.view.visible import one_line
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host
from acp_nvim.workspace.root import find_root
from acp_nvim.worktrees.records import Worktree

NONE = "there is no worktree of this project: :Acp worktree makes one"


class OfWorktree(Struct, frozen=True):
    """What is done with a worktree of that project: the one of that name, else of the chat, else
    the one that the user picks; a `new` one is for that agent."""

    action: Literal["new", "merge", "commit", "remove"]
    file: str
    cwd: str
    agent: str = ""
    name: str = ""
    chat: int | None = None


def project(host: Host, payload: OfWorktree) -> str:
    """Return the user's project in which the command was given, also from within a worktree."""
    chat = host.workspace.chats.get(payload.chat or 0)
    folder = find_root(payload.file, payload.cwd) if chat is None else chat.session.state.cwd
    return host.workspace.worktrees.home(folder)


async def meant(host: Host, payload: OfWorktree, title: str) -> Worktree | None:
    """Return the worktree of that name, that of the chat or of the file, else the only one, else
    the one that the user picks; None: none. Raises `UserError` where there is none to pick."""
    records, home = host.workspace.worktrees, project(host, payload)
    here = records.of(home)
    if payload.name:
        name = payload.name.removeprefix("acp/")
        found = next((it for it in here if name in (it.name, titled(host, it))), None)
        if found is None:
            known = [it.name for it in here]
            raise UserError(
                f"no worktree is called {name}: {suggest(name, known) if known else NONE}"
            )
        return found
    chat = host.workspace.chats.get(payload.chat or 0)
    place = find_root(payload.file, payload.cwd) if chat is None else chat.session.state.cwd
    if found := records.at(place):
        return found
    if len(here) > 1:
        choices = [Choice(_label(host, it), it) for it in here]
        picked: Worktree | None = await host.editor.chooser.choose(title, "acp.worktree", choices)
        return picked
    if not here:
        raise UserError(NONE)
    return here[0]


def chats_in(host: Host, worktree: Worktree) -> list[Chat]:
    """Return the chats that work in it, the last one first."""
    chats: Sequence[Chat] = [*host.workspace.chats.values()]
    return [it for it in reversed(chats) if it.session.state.cwd == worktree.folder]


def titled(host: Host, worktree: Worktree) -> str | None:
    """Return the title of its session, the last one; None for none."""
    open_ones = (title_of(it.session.state) for it in chats_in(host, worktree))
    kept = (it.title for it in host.store.heads() if it.cwd == worktree.folder)
    return next(open_ones, None) or next(kept, None)


def _label(host: Host, worktree: Worktree) -> str:
    parts = (worktree.name, worktree.agent, one_line(titled(host, worktree) or "", 60))
    return " · ".join(filter(None, (*parts, "" if worktree.is_made else "not whole")))
