"""Sessions and clients whose events are reacted to."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from urllib.parse import parse_qsl, urlsplit

import msgspec.structs
from msgspec import Struct

from acp_nvim.agents import PRESETS
from acp_nvim.client import reasons
from acp_nvim.client.client import Client
from acp_nvim.client.inbound import Services
from acp_nvim.client.launch import Launch
from acp_nvim.client.registry import close_waiting
from acp_nvim.client.session import Session
from acp_nvim.client.traffic import Traffic
from acp_nvim.collector import COLLECTOR
from acp_nvim.config import AgentOptions, Defaults
from acp_nvim.errors import UserError
from acp_nvim.prompt.mentions import Mentions
from acp_nvim.reactions import files, screen
from acp_nvim.reactions.reopening import have_back, reopen
from acp_nvim.reactions.sessions import changed
from acp_nvim.session.event import Noticed, SessionReopening
from acp_nvim.terminals.service import Terminals
from acp_nvim.transport.left import VARIABLE
from acp_nvim.view.attention import introduction
from acp_nvim.view.lists.agents import left, process
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host
from acp_nvim.workspace.launching import PRIVATE, editor_tools

ENDED = ("failed", "closed")
"""States of a client whose agent is gone for good."""


def new_session(host: Host, agent: str, cwd: str, parent: str = "") -> Session:
    """Return a session with that agent in that working directory, or a sub-agent's of `parent`."""
    return Session(agent, cwd, partial(changed, host), parent)


def connect(host: Host, launch: Launch) -> Client:
    """Return the living client of that agent, or start one."""
    client = host.workspace.client(launch.name)
    if client is not None and client.state not in ENDED:
        return client
    return replace(host, launch)


def replace(host: Host, launch: Launch) -> Client:
    """Start a new client of that agent; the ended one before it is forgotten."""
    clients = host.workspace.clients
    clients[:] = [it for it in clients if it.name != launch.name or it.state not in ENDED]
    client = _client(host, launch)
    clients.append(client)
    host.tasks.start_soon(client.run)
    host.tasks.start_soon(tell_left, host, launch.name)
    return client


def start_anew(host: Host, old: Client, chats: Sequence[Chat]) -> Client:
    """Start another client in place of one that has ended, where the first of these chats works.

    All chats with the old one are with the new one then; no session is opened. Raises `UserError`,
    and closes those that wait to be, if that agent cannot be started any more.
    """
    cwd = chats[0].session.state.cwd if chats else old.launch.cwd
    try:
        client = replace(host, host.workspace.launch(old.name, cwd))
    except UserError as error:
        close_waiting(old.waiting, str(error))
        raise
    for chat in host.workspace.chats.values():
        chat.client = client if chat.client is old else chat.client
    return client


class Connections(Struct, frozen=True):
    """Tells of agents that come and go: a `client.Watcher`."""

    host: Host
    mark: str

    def connected(self, client: Client) -> None:
        """See `client.Watcher`."""
        self.host.editor.notifier.event("AcpConnected", {"agent": client.name})
        screen.touch_all(self.host, client)
        if client.launch.remote is not None:
            self._introduce(client, client.launch.remote.url)

    def disconnected(self, client: Client) -> None:
        """See `client.Watcher`."""
        data = {"agent": client.name, "error": client.error or ""}
        self.host.editor.notifier.event("AcpDisconnected", data)
        screen.touch_all(self.host, client)
        if all(it.state in ENDED for it in self.host.workspace.clients):
            COLLECTOR.catch_up()
        self.host.workspace.marks.over(self.mark)
        if client.error is not None:  # else it was the user's command, which asks
            self.host.tasks.start_soon(tell_left, self.host, client.name)
        if client.left:
            self.host.tasks.start_soon(have_back, self.host, client, start_anew)

    def forgotten(self, client: Client, session: Session) -> None:
        """See `client.Watcher`."""
        session.apply(
            Noticed(reasons.forgotten(client.name), "warning", "cut_off"),
            SessionReopening(session_id=session.id),
        )
        self.host.tasks.start_soon(reopen, self.host, client, session, session.id)

    def _introduce(self, client: Client, url: str) -> None:
        """Say what is let happen, at the first connection to a host."""
        parts = urlsplit(url)
        place = f"{parts.scheme}://{parts.netloc}"
        if self.host.told.first(place):
            launch = client.launch
            may = [
                what
                for what, allowed in (
                    ("read and write files", launch.read_files or launch.write_files),
                    ("run commands", launch.terminals),
                )
                if allowed
            ]
            self.host.editor.notifier.notice(introduction(client.name, place, may))


def _client(host: Host, launch: Launch) -> Client:
    folder, options = host.workspace.state_folder("log")(), host.workspace.options
    on_group = partial(guard, host)
    path = os.path.join(folder, f"{launch.name}.jsonl")
    mark = host.workspace.marks.new(launch.name)
    return Client(
        launch,
        Services(
            files.serve(host, launch.name),
            host.questions,
            host.editor.notifier.fault,
            outside=new_session(host, launch.name, launch.cwd),
            terminals=_terminals(host, launch, mark),
            mentions=Mentions(host.editor.files, host.editor.surroundings),
            lessons=host.review.notes,
            prepare=partial(files.prepare, host),
            defaults=partial(_defaults, host, launch.name),
            tools=host.tools.of_agent(editor_tools(launch.name, options)),
        ),
        open_link=lambda launch: host.start(marked(reachable(host, launch), mark), on_group),
        files=host.editor.files,
        traffic=Traffic(
            path,
            host.clock,
            whole=options.log.level == "debug",
            redaction=host.workspace.redaction,
        ),
        watcher=Connections(host, mark),
        clock=host.clock,
    )


def _defaults(host: Host, agent: str) -> Defaults:
    """Return what a new session of that agent is set to, as the configuration is now."""
    own = host.workspace.options.agents.get(agent) or AgentOptions()
    wanted = own.defaults if isinstance(own.defaults, Defaults) else host.choices.of(agent)
    preset = PRESETS.get(agent)
    if wanted.mode is not None or preset is None or preset.mode is None:
        return wanted
    return wanted.model_copy(update={"mode": preset.mode})


def reachable(host: Host, launch: Launch) -> Launch:
    """Return how to connect to an agent, with what fetches its headers, if it runs elsewhere."""
    if launch.remote is None:
        return launch
    query = parse_qsl(urlsplit(launch.remote.url).query)
    host.workspace.redaction.learn(value for _, value in query)
    headers = partial(_headers, host, launch.name)
    remote = msgspec.structs.replace(launch.remote, headers=headers)
    return msgspec.structs.replace(launch, remote=remote)


def marked(launch: Launch, mark: str) -> Launch:
    """Return how to start an agent so that its processes can be told from all others."""
    if launch.remote is not None:
        return launch
    inherited = launch.env if launch.env is not None else os.environ
    return msgspec.structs.replace(launch, env={**inherited, VARIABLE: mark})


async def _headers(host: Host, agent: str) -> Mapping[str, str]:
    """Return the headers for a connection; nothing that is recorded has their values."""
    headers = await host.editor.bridge.headers(agent)
    host.workspace.redaction.learn(headers.values())
    return headers


def _terminals(host: Host, launch: Launch, mark: str) -> Terminals:
    inherited = {key: it for key, it in os.environ.items() if key not in PRIVATE}
    there = launch.there
    # what leads there may need what the agent's own start does
    environment = inherited if there is None or launch.env is None else launch.env
    terminals = Terminals(
        launch.name,
        host.editor.terminals,
        environment={**environment, VARIABLE: mark},
        limit=host.workspace.options.terminal.output_byte_limit,
        on_group=partial(guard, host),
        fault=host.editor.notifier.fault,
        there=there,
    )
    terminals.shell = host.workspace.options.shell
    return terminals


def guard(host: Host, group: int, alive: bool) -> None:
    """Take note of a group of processes, which must not outlive the host, nor the editor."""
    host.workspace.groups.note(group, alive)
    host.editor.bridge.group(group, alive)


SETTLED = 1.0
"""Seconds after which nothing is there any more that is just being ended with its host."""


async def tell_left(host: Host, agent: str) -> None:
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
