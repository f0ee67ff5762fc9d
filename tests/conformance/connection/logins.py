"""A host with one agent that wants a login: the real commands, and an editor that is faked.

async with LoginStage() as stage:
    chat = await stage.refused([{"id": "key", "name": "Key"}])
    login = stage.log_in("key")
"""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Any, cast

import anyio

from acp_nvim.app import compose
from acp_nvim.client.client import Client
from acp_nvim.client.connection import Link
from acp_nvim.client.launch import Launch
from acp_nvim.client.session import Session
from acp_nvim.commands import login
from acp_nvim.config import parse
from acp_nvim.editor import LoginProgram
from acp_nvim.errors import AcpError
from acp_nvim.reactions import clients
from acp_nvim.workspace.chat import Chat
from tests.support.agents.scripted_agent import PATIENCE, ScriptedAgent
from tests.support.fakes.fake_editor import FakeChooser, FakeLogins, fake_editor
from tests.support.fakes.fake_ports import FakeNotifier
from tests.support.stage import Stage

CHAT = 7
TOKEN = "ACP_TOOLS_TOKEN"


class FakeTerminals(FakeLogins):
    """Ends with `code` at once, or never, if it is "never"; keeps what was run."""

    def __init__(self) -> None:
        self.code: int | str | None = 0
        self.programs: list[LoginProgram] = []

    async def run(self, title: str, program: LoginProgram) -> int | None:
        self.programs.append(program)
        if self.code == "never":
            await anyio.sleep_forever()
        return cast(int | None, self.code)


class Running:
    """A command that was given, and how it ended."""

    def __init__(self) -> None:
        self.error = ""
        self._over = anyio.Event()

    async def run(self, command: Awaitable[object]) -> None:
        try:
            await command
        except AcpError as error:
            self.error = str(error)
        self._over.set()

    async def done(self) -> str:
        """Wait for its end, and return what the user was told; "" if it went well."""
        with anyio.fail_after(PATIENCE):
            await self._over.wait()
        return self.error


def asked(message: dict[str, Any]) -> dict[str, Any]:
    """Return what a request asks for, without the token of its relay, another for each."""
    params = message["params"]
    if "mcpServers" not in params:
        return dict(params)
    servers = [
        {**it, "env": [var for var in it["env"] if var["name"] != TOKEN]}
        for it in params["mcpServers"]
    ]
    return {**params, "mcpServers": servers}


class LoginStage:
    """Two processes of an agent, of which the second is for the time after a restart."""

    def __init__(self, **launch: Any) -> None:
        self._stages = [Stage(**launch), Stage(**launch)]
        self._stack = AsyncExitStack()
        self.chooser = FakeChooser()
        self.terminals = FakeTerminals()
        self.notifier = FakeNotifier()
        self.started = 0

    async def __aenter__(self) -> LoginStage:
        editor = fake_editor(chooser=self.chooser, logins=self.terminals, notifier=self.notifier)
        folder = self._stack.enter_context(tempfile.TemporaryDirectory())
        self.host = compose(editor, "/", start=self._link, clock=self.first_stage.clock)
        options, problems = parse({"agents": {"scripted": {"command": "scripted"}}})
        assert not problems
        self.host.workspace.options = options
        self.host.workspace.paths = {"root": "/", "state": folder}
        await self._stack.enter_async_context(self.host.tasks)
        for stage in self._stages:
            await self._stack.enter_async_context(stage)
            stage.client.traffic.close()  # the host makes another client
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.host.tools.end()
        await self._stack.aclose()
        assert not self.notifier.faults, self.notifier.faults

    @property
    def agent(self) -> ScriptedAgent:
        """The first process."""
        return self._stages[0].agent

    @property
    def second(self) -> ScriptedAgent:
        """The process after a restart."""
        return self._stages[1].agent

    @property
    def client(self) -> Client:
        """The client that is alive."""
        return self.host.workspace.clients[-1]

    @property
    def until(self) -> Callable[[Callable[[], Any]], Awaitable[None]]:
        """Wait until it is true; looked at after each event of a session."""
        return self._stages[0].until

    @property
    def first_stage(self) -> Stage:
        """The stage of the first process."""
        return self._stages[0]

    # --- steps

    def start(self, number: int = CHAT) -> Session:
        """Open a chat with the agent."""
        stage = self._stages[0]
        client = stage.client = clients.connect(self.host, stage.client.launch)
        chat = Chat(number, number + 1, stage.session(), stage.clock)
        chat.client = client
        self.host.add(chat)
        stage.tasks.start_soon(client.open, chat.session)
        return chat.session

    async def refused(self, methods: list[Any], **initialize: Any) -> Session:
        """Start the agent up to its refusal to open a session."""
        session = self.start()
        await self.agent.initialize(authMethods=methods, **initialize)
        self.agent.refuse(await self.agent.expect("session/new"), -32000, "no login")
        await self.until(lambda: session.state.status == "closed")
        return session

    async def opened(self, methods: list[Any], **initialize: Any) -> Session:
        """Start the agent up to an open session."""
        session = self.start()
        await self.agent.initialize(authMethods=methods, **initialize)
        await self.agent.open()
        await self.until(lambda: session.state.status == "idle")
        return session

    def log_in(self, method: str | None = None) -> Running:
        """Give the command `:Acp login`; who names a method takes the program that is shown."""
        if method:
            self.chooser.pick = 0
        return self.give(login.login(self.host, self.host.workspace.chat(CHAT), method))

    def log_out(self) -> Running:
        """Give the command `:Acp logout`."""
        return self.give(login.logout(self.host, self.host.workspace.chat(CHAT)))

    def give(self, command: Awaitable[object]) -> Running:
        """Run a command in a task of its own, as the host does."""
        running = Running()
        self._stages[0].tasks.start_soon(running.run, command)
        return running

    def winbar(self) -> str:
        """Return the winbar of the chat."""
        return self.host.workspace.chats[CHAT].picture().winbar.text

    async def _link(self, launch: Launch, on_group: Callable[[int, bool], None]) -> Link:
        self.started += 1
        return self._stages[self.started - 1].link
