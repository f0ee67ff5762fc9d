"""Agents: start, stop, restart, list, log."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Mapping
from typing import Any

from acp_nvim.client.client import GRACE, Client
from acp_nvim.commands.roots import let_in
from acp_nvim.commands.sessions.stayed import go_on, waiting
from acp_nvim.config import parse
from acp_nvim.editor import Choice
from acp_nvim.errors import UserError
from acp_nvim.reactions import clients
from acp_nvim.reactions.reopening import reopen
from acp_nvim.session.event import SessionClosed
from acp_nvim.session.saved import carried
from acp_nvim.session.state import Notice
from acp_nvim.view.lists.agents import advice, label, left, process
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host
from acp_nvim.workspace.root import find_root


def configure(host: Host, options: Any, paths: Mapping[str, str]) -> list[str]:
    """Take the user's raw configuration, and Neovim's folders; answer what is wrong with it."""
    host.workspace.options, problems = parse(options)
    host.workspace.paths = paths
    host.workspace.marks.scope = host.workspace.state_folder("")()
    host.workspace.worktrees.folder = os.path.join(paths["data"], "worktrees")
    _learn_secrets(host)
    for chat in host.workspace.chats.values():
        chat.prompts = host.workspace.options.prompts
        host.editor.screen.touch(chat.number)
    host.follow.configure(enabled=host.workspace.options.follow.enabled)
    return list(problems)


def _learn_secrets(host: Host) -> None:
    redaction, options = host.workspace.redaction, host.workspace.options
    redaction.learn_environment(os.environ)
    for agent in options.agents.values():
        redaction.learn(agent.env.values())
    for server in options.mcp_servers:
        redaction.learn(pair.value for pair in (*server.env, *server.headers))


def start(
    host: Host, agent: str, chat: int, prompt: int, file: str, cwd: str, source: Chat | None = None
) -> Awaitable[dict[str, Any]]:
    """Open a session in a chat that Lua has opened; answer its agent and id.

    The chat is there at once, so that a prompt that follows is queued in it. The talk of `source`
    goes on in it.
    """
    root = find_root(file, cwd) if source is None else source.session.state.cwd
    new = Chat(chat, prompt, clients.new_session(host, agent, root), host.clock)
    host.add(new)
    if source is not None:
        old = source.session.state
        said = f"Your conversation with {old.agent} until here: it is sent with your next prompt"
        new.session.apply(*carried(old, old.turn, said))
    return begin(host, new)


async def begin(host: Host, chat: Chat) -> dict[str, Any]:
    """Connect the agent of a chat, and open its session; answer agent and id."""
    state = chat.session.state
    try:
        plan = host.workspace.launch(state.agent, state.cwd)
        await let_in(host, state.agent, state.cwd, chosen=True)
    except UserError as error:
        chat.session.apply(SessionClosed(str(error)))
        raise
    chat.client = clients.connect(host, plan)
    await chat.client.open(chat.session)
    if chat.session.id is None:
        raise UserError(_reason(chat))
    return {"agent": state.agent, "session": chat.session.id}


def _reason(chat: Chat) -> str:
    """Return what the chat says of the end of its session."""
    last = next(reversed(chat.session.state.entries), None)
    return last.text if isinstance(last, Notice) else "the session was not opened"


async def stop(host: Host, bang: bool, agent: str | None = None, chat: Chat | None = None) -> None:
    """End an agent and close its sessions; kill it with `bang`; offer to end what it has left."""
    is_gone = agent is not None and host.workspace.client(agent) is None
    if is_gone and await _end_left(host, agent or ""):
        return
    client, begun = host.workspace.target(agent, chat), host.clock()
    await client.end(kill=bang)
    for session in client.registry:
        host.review.notes.let_go(session.state.key)
    if host.clock() - begun < GRACE:
        await _end_left(host, client.name)
    else:  # the user is at something else by now
        await clients.tell_left(host, client.name)


async def _end_left(host: Host, agent: str) -> bool:
    """Ask whether to end what an agent has left running; tell whether there was something."""
    marks = host.workspace.marks
    found = {process(it.command, it.pid, it.count): it for it in await marks.left(agent)}
    if not found:
        return False
    for each in found.values():
        host.told.first(f"process {each.key}")
    each_alone = found.items() if len(found) > 1 else ()
    choices = [
        Choice("No, leave it running", ()),
        Choice("Yes, end all of it", tuple(it.group for it in found.values())),
        *(Choice(f"End only {name}", (it.group,)) for name, it in each_alone),
    ]
    title = f"{left(agent, list(found))}. End it?"
    groups = await host.editor.chooser.choose(title, "acp.left", choices)
    if groups and (still := await marks.end(agent, groups, grace=GRACE)):
        names = [process(it.command, it.pid, it.count) for it in still]
        raise UserError(f"not ended: {', '.join(names)}")
    return True


def restart(host: Host, agent: str | None = None, chat: Chat | None = None) -> Awaitable[None]:
    """End an agent, start it anew, and open its sessions again where it can.

    Those of an earlier host go on beside what runs. Answered when that is drawn.
    """
    name = agent or (chat.session.state.agent if chat is not None else "")
    stayed = waiting(host, name)
    if stayed and (chat in stayed or host.workspace.client(name) is None):
        return _drawn(host, go_on(host, stayed))
    old = host.workspace.target(agent, chat)
    chats = [
        it
        for it in host.workspace.chats.values()
        if it.client is old and not it.session.state.parent
    ]
    # from now on prompts wait in them
    ended = old.end(reopens=[it.session for it in chats])
    return _drawn(host, _restart(host, old, chats, ended))


async def _drawn(host: Host, deed: Awaitable[None]) -> None:
    await deed
    await host.editor.screen.settled()


async def _restart(host: Host, old: Client, chats: list[Chat], ended: Awaitable[None]) -> None:
    await ended
    still = [it for it in chats if it.client is old and it.session.state.status == "loading"]
    if not still and (chats or host.workspace.client(old.name) is not old):
        return  # restarted a second time meanwhile, or stopped
    client = clients.start_anew(host, old, still)
    for chat in still:
        host.tasks.start_soon(reopen, host, client, chat.session, chat.session.id)
    await _end_left(host, client.name)


START = "Start an agent (:Acp agents installs others)"


async def pick_agent(host: Host) -> str | None:
    """Let the user pick an agent to start; answer its name, or None if none was picked."""
    rows = host.workspace.available()
    choices = [Choice(label(row), row) for row in rows]
    row = await host.editor.chooser.choose(START, "acp.agent", choices)
    if row is not None and not row["found"]:
        raise UserError(advice(row))
    return None if row is None else str(row["name"])


def log(host: Host, agent: str | None = None, chat: Chat | None = None) -> str:
    """Answer the path of the connection's log."""
    client = host.workspace.target(agent, chat)
    client.traffic.flush()
    return client.traffic.path
