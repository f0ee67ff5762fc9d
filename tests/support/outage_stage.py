"""The whole program but for the editor, and an agent behind an address whose server comes and goes.

async with SocketWire() as wire, OutageStage(wire) as stage:
    session = await stage.opened()
    await wire.stop()
    await stage.slept(1.0)
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

import anyio

from acp_nvim.app import compose
from acp_nvim.client.client import Client
from acp_nvim.client.session import Session
from acp_nvim.commands import agent as agent_commands
from acp_nvim.config import parse
from acp_nvim.reactions import clients
from acp_nvim.session.content import Text
from acp_nvim.session.model import Prompt
from acp_nvim.workspace.chat import Chat
from tests.support.agents.scripted_agent import PATIENCE, ScriptedAgent
from tests.support.agents.socket_wire import SocketWire
from tests.support.fakes.fake_editor import FakeBridge, fake_editor
from tests.support.fakes.fake_ports import FakeNotifier

CHAT = 1
LOADS = {"agentCapabilities": {"loadSession": True}}


class Secrets(FakeBridge):
    """Hands out headers, one after another."""

    def __init__(self) -> None:
        super().__init__()
        self.handed_out = 0

    async def headers(self, agent: str) -> Mapping[str, str]:
        self.handed_out += 1
        return {"Authorization": f"token {self.handed_out}"}


class OutageStage:
    """Its clock stands still until the test lets it go on."""

    def __init__(self, wire: SocketWire, **options: Any) -> None:
        self.wire = wire
        self._stack = AsyncExitStack()
        self.agent = ScriptedAgent(wire)  # type: ignore[arg-type]
        self.notifier = FakeNotifier()
        self.secrets = Secrets()
        self.pauses: list[float] = []
        """The pauses that were begun, in seconds."""
        self._work = Path(self._stack.enter_context(tempfile.TemporaryDirectory())).resolve()
        self._options = {"url": f"{wire.url}?key=3fe1-of-query", **options}
        self._times = itertools.count()
        self._go_on = anyio.Event()

    async def __aenter__(self) -> OutageStage:
        editor = fake_editor(notifier=self.notifier, bridge=self.secrets)
        self.folder = self._stack.enter_context(tempfile.TemporaryDirectory())
        clock = lambda: float(next(self._times))  # noqa: E731
        self.host = compose(editor, "/", clock=clock, sleep=self._sleep)
        options, problems = parse({"agents": {"far": self._options}})
        assert not problems
        self.host.workspace.options = options
        self.host.workspace.paths = {"root": "/", "state": self.folder}
        await self._stack.enter_async_context(self.host.tasks)
        self.host.tasks.keep_running(self.host.review.sync.run)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.host.tasks._group.cancel_scope.cancel()
        await self._stack.aclose()
        for client in self.host.workspace.clients:
            client.traffic.close()
        assert not self.notifier.faults, self.notifier.faults

    @property
    def client(self) -> Client:
        """The newest client."""
        return self.host.workspace.clients[-1]

    @property
    def chat(self) -> Chat:
        return self.host.workspace.chats[CHAT]

    # --- steps

    def begin(self) -> Session:
        """Begin to open a chat with the agent."""
        folder = str(self._work)
        session = clients.new_session(self.host, "far", folder)
        chat = Chat(CHAT, CHAT + 1, session, self.host.clock)
        chat.client = clients.connect(self.host, self.host.workspace.launch("far", folder))
        self.host.add(chat)
        self.host.tasks.start_soon(chat.client.open, session)
        return session

    async def opened(self, **initialize: Any) -> Session:
        """Open a chat with the agent."""
        session = self.begin()
        if self._options.get("protocol") == 2:
            await self.agent.initialize_2()
        else:
            await self.agent.initialize(**(initialize or LOADS))
        await self.agent.open()
        await self.until(lambda: session.state.status == "idle")
        return session

    def prompt(self, text: str) -> None:
        """Send a prompt, or have it wait."""
        assert self.chat.client is not None
        self.chat.client.submit(self.chat.session, Prompt((Text(text),)))

    async def loaded(self, *said: str) -> None:
        """Take a new connection up to the loaded session, and say that of it."""
        await self.agent.initialize(**LOADS)
        request = await self.agent.expect("session/load")
        for text in said:
            self.agent.say(text, request["params"]["sessionId"])
        self.agent.reply(request, {})

    async def restart(self) -> None:
        """Give the command `:Acp restart far`."""
        await agent_commands.restart(self.host, "far")

    async def stop(self) -> None:
        """Give the command `:Acp stop far`."""
        await agent_commands.stop(self.host, bang=False, agent="far")

    async def slept(self, *pauses: float) -> None:
        """Wait until these pauses have begun, one after another, and let each pass."""
        for pause in pauses:
            await self.until(lambda: self.pauses)
            assert self.pauses.pop(0) == pause
            self._go_on.set()
            self._go_on = anyio.Event()

    async def until(self, predicate: Callable[[], Any]) -> None:
        """Wait until it is true."""
        with anyio.fail_after(PATIENCE):
            while not predicate():  # noqa: ASYNC110
                await anyio.sleep(0.002)

    async def _sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        await self._go_on.wait()
