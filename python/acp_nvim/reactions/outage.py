"""What follows when the connection to a remote agent is lost: it is tried again until it is back.

Its sessions wait meanwhile, and prompts in them. Nothing that may have run is sent again but by the
user. Called by `clients`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from acp_nvim.client.client import Client
from acp_nvim.client.registry import close_waiting
from acp_nvim.client.session import Session
from acp_nvim.errors import UserError
from acp_nvim.reactions.reopening import reopen
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host

LONGEST = 30.0
"""Seconds between two attempts at most."""

StartAnew: TypeAlias = Callable[[Host, Client, Sequence[Chat]], Client]


def pauses() -> Iterator[float]:
    """Yield the seconds before each attempt: 1, 2, 4, … up to `LONGEST`."""
    pause = 1.0
    while True:
        yield pause
        pause = min(2 * pause, LONGEST)


async def have_back(host: Host, lost: Client, start_anew: StartAnew) -> None:
    """Connect again and open the sessions of a lost connection; the user may end that."""
    chats = [chat for chat in host.workspace.chats.values() if chat.session in lost.left]
    with lost.retrying:
        client = await _connected(host, lost, chats, start_anew)
        if client is None:
            return
        for chat in chats:
            host.tasks.start_soon(_reopen, host, client, chat.session)


async def _connected(
    host: Host, lost: Client, chats: Sequence[Chat], start_anew: StartAnew
) -> Client | None:
    """Return the client that is connected again; None if there is no use in going on."""
    current = lost
    # one that answers, and is lost before it has opened a session, is not asked each second
    left = lost.pauses or pauses()
    for pause in left:
        await host.sleep(pause)
        try:
            client = host.workspace.client(lost.name)
            # the user may have started it
            current = start_anew(host, current, chats) if client in (current, None) else client
        except UserError as error:
            close_waiting(lost.waiting, str(error))
            return None
        current.waiting, current.retrying = lost.waiting, lost.retrying
        current.pauses = left
        if await current.begun():
            return current
        if current.hopeless:
            close_waiting(lost.waiting, current.error)
            return None
    return None


async def _reopen(host: Host, client: Client, session: Session) -> None:
    if session.state.status == "loading":
        await reopen(host, client, session, session.id)
    if session.state.status == "idle":
        client.pauses = None
