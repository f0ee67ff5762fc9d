"""A desk with one agent that wants a login: the real commands, and an editor that is faked.

async with LoginStage() as stage:
    chat = await stage.refused([{"id": "key", "name": "Key"}])
    login = stage.log_in("key")
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from types import SimpleNamespace, TracebackType
from typing import Any, cast

import anyio

from acp_nvim.client.client import Client
from acp_nvim.client.launch import Launch
from acp_nvim.client.session import Session
from acp_nvim.commands import login
from acp_nvim.config import parse
from acp_nvim.editor import Choice, LoginProgram
from acp_nvim.errors import AcpError
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.workspace import Desk, Ground
from tests.support.scripted_agent import PATIENCE, ScriptedAgent
from tests.support.stage import Stage

CHAT = 7


class FakeChooser:
    """Picks the row of that index, or nothing; keeps what was offered."""

    def __init__(self) -> None:
        self.pick: int | None = None
        self.offered: list[tuple[str, list[str]]] = []

    async def choose(self, title: str, kind: str, choices: Sequence[Choice]) -> Any | None:
        self.offered.append((kind, [choice.label for choice in choices]))
        return None if self.pick is None else choices[self.pick].value


class FakeTerminals:
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


class LoginStage:
    """Two processes of an agent, of which the second is for the time after a restart."""

    def __init__(self, **launch: Any) -> None:
        self._stages = [Stage(**launch), Stage(**launch)]
        self._stack = AsyncExitStack()
        self.chooser = FakeChooser()
        self.terminals = FakeTerminals()
        self.told: list[str] = []
        """What the user was told in a message."""
        self.started = 0

    async def __aenter__(self) -> LoginStage:
        for stage in self._stages:
            await self._stack.enter_async_context(stage)
        self.desk = Desk(self._ground(), paths={"root": "/"})
        self.desk.options, problems = parse({"agents": {"scripted": {"command": "scripted"}}})
        assert not problems
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stack.aclose()

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
        return self.desk.clients[-1]

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
        client = self.desk.connect(stage.client.launch)
        chat = Chat(number, number + 1, stage.session(), stage.clock)
        chat.client = client
        self.desk.add(chat)
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
        """Give the command `:Acp login`."""
        return self.give(login.login(self.desk, {"chat": CHAT, "method": method}))

    def log_out(self) -> Running:
        """Give the command `:Acp logout`."""
        return self.give(login.logout(self.desk, {"chat": CHAT}))

    def give(self, command: Awaitable[object]) -> Running:
        """Run a command in a task of its own, as the host does."""
        running = Running()
        self._stages[0].tasks.start_soon(running.run, command)
        return running

    def winbar(self) -> str:
        """Return the winbar of the chat."""
        return self.desk.chats[CHAT].picture().winbar

    # --- what the desk stands on

    def _ground(self) -> Ground:
        quiet = SimpleNamespace(show=_nothing, touch=_nothing, forget=_nothing)
        parts: Mapping[str, Any] = {
            "screen": quiet,
            "chooser": self.chooser,
            "login_terminals": self.terminals,
            "notifier": SimpleNamespace(notice=self._notice, event=_nothing),
            "new_client": self._new_client,
            "start_soon": self._stages[0].tasks.start_soon,
            "clock": self._stages[0].clock,
        }
        return cast(Ground, SimpleNamespace(**parts))

    def _notice(self, text: str, *, warning: bool = False) -> None:
        self.told.append(text)

    def _new_client(self, launch: Launch) -> Client:
        self.started += 1
        return self._stages[self.started - 1].client


def _nothing(*_arguments: Any) -> None:
    """Stand in for a part of the editor that this is not about."""
