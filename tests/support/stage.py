"""A client on a stage: the real client and services, a scripted agent, and no editor.

async with Stage() as stage:
    session = await stage.start()
    stage.prompt(session, "hello")
    request = await stage.agent.expect("session/prompt")
"""

from __future__ import annotations

import atexit
import itertools
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

import anyio
from msgspec.structs import replace

from acp_nvim.client.client import Client
from acp_nvim.client.inbound import Services
from acp_nvim.client.launch import EditorTools, Launch
from acp_nvim.client.session import Session
from acp_nvim.client.traffic import Traffic
from acp_nvim.editor import Files
from acp_nvim.errors import AcpError
from acp_nvim.files.roots import Roots
from acp_nvim.files.service import FileService
from acp_nvim.prompt.mentions import Mentions
from acp_nvim.questions.questions import Questions
from acp_nvim.session.content import Content, Text
from acp_nvim.session.event import Event, SessionReopening
from acp_nvim.session.mention import find_mentions
from acp_nvim.session.model import Prompt, Selection
from acp_nvim.session.request import ElicitationAction, ElicitationAnswer, PermissionAnswer
from acp_nvim.session.state import Message, Notice, SessionState, ToolCall
from acp_nvim.terminals.service import Terminals
from acp_nvim.transport import group
from acp_nvim.transport.link import Link
from tests.support.agents.memory_link import MemoryLink
from tests.support.agents.scripted_agent import PATIENCE, SESSION, ScriptedAgent
from tests.support.fakes.fake_ports import FakeFiles, FakeScreens, FakeSurroundings
from tests.support.files.file_rig import FileRig

PROJECT = tempfile.mkdtemp(prefix="acp-project-")
"""The project of whoever names none: a folder of this process, in which nothing is."""
atexit.register(shutil.rmtree, PROJECT, ignore_errors=True)


class Stage:
    """Everything of one connection but the process and the editor."""

    def __init__(self, cwd: Path | str = PROJECT, **launch: Any) -> None:
        self.link = MemoryLink()
        self.agent = ScriptedAgent(self.link)
        self.files: Files = FakeFiles()
        self.questions = Questions()
        self.screens = FakeScreens()
        self.surroundings = FakeSurroundings()
        self.tools: EditorTools | None = None
        """The tools of the editor that the agent is offered."""
        self.output_limit = 1_048_576
        """`terminal.output_byte_limit` of the configuration."""
        self.groups: list[int] = []
        """The process groups of the agent and of its terminals."""
        self.events: list[tuple[Session, Event]] = []
        self.faults: list[BaseException] = []
        self.announced: list[str] = []
        """What the client told its watcher: "connected", "disconnected"."""
        self.spawned = 0
        """How often the agent was started."""
        self.over = False
        """The client has returned."""
        self._changed = anyio.Event()
        self._times = itertools.count()
        self._cwd = str(cwd)
        self._stack = AsyncExitStack()
        self._launch = replace(Launch(name="scripted", command="scripted", cwd=self._cwd), **launch)

    async def __aenter__(self) -> Stage:
        folder = self._stack.enter_context(tempfile.TemporaryDirectory())
        self.log = Path(folder, "log.jsonl")
        self.tasks = await self._stack.enter_async_context(anyio.create_task_group())
        rig = self.rig = FileRig(Path(self._cwd), Path(folder), self.files)
        rig.faults = self.faults
        self.lessons = rig.lessons
        services = Services(
            FileService(
                "scripted",
                self.files,
                rig.sync,
                rig.knowledge,
                rig.on_file,
                _nobody,
                rig.edits.noted,
            ),
            self.questions,
            self.faults.append,
            outside=self.session(),
            terminals=self._terminals(),
            mentions=Mentions(self.files, self.surroundings),
            lessons=self.lessons,
            prepare=_nothing,
            tools=self.tools,
        )
        self.client = Client(
            self._launch,
            services,
            open_link=self._spawn,
            files=self.files,
            traffic=Traffic(str(self.log), self.clock),
            watcher=self,
            clock=self.clock,
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.link.exit()
        self.tasks.cancel_scope.cancel()
        await self._stack.aclose()
        self.link.close()
        self.client.traffic.close()
        assert not self.faults, self.faults
        assert not any(map(group.alive, self.groups)), "a process is left"

    # --- steps

    def session(self) -> Session:
        """Return a new session whose events are kept."""
        return Session("scripted", self._cwd, self._listen)

    def launch(self) -> Session:
        """Start the client and let it open a session; what the agent answers is up to the test."""
        self.tasks.start_soon(self._run)
        return self.open()

    def open(self) -> Session:
        """Let the client open a session."""
        session = self.session()
        self.tasks.start_soon(self.client.open, session)
        return session

    def reopen(self, session_id: str = "old") -> Session:
        """Let the client open a session of an earlier process again."""
        session = self.session()
        self.tasks.start_soon(self.client.reopen, session, session_id)
        return session

    async def start(self, session: str = SESSION, **initialize: Any) -> Session:
        """Run the client up to an open session."""
        opened = self.launch()
        await self.agent.initialize(**initialize)
        await self.agent.open(session)
        await self.until(lambda: opened.state.status == "idle")
        return opened

    async def start_2(self, **initialize: Any) -> Session:
        """Run a client of an agent that speaks version 2 up to an open session."""
        opened = self.launch()
        await self.agent.initialize_2(**initialize)
        await self.agent.open()
        await self.until(lambda: opened.state.status == "idle")
        return opened

    async def start_another(self, session: str) -> Session:
        """Open one more session on the same connection."""
        opened = self.open()
        await self.agent.open(session)
        await self.until(lambda: opened.state.status == "idle")
        return opened

    def prompt(
        self,
        session: Session,
        *blocks: str | Content,
        selections: tuple[Selection, ...] = (),
        interrupt: bool = False,
    ) -> None:
        """Submit a prompt; strings are text blocks."""
        contents = tuple(Text(it) if isinstance(it, str) else it for it in blocks)
        said = "".join(it for it in blocks if isinstance(it, str))
        prompt = Prompt(contents, selections, mentions=find_mentions(said))
        self.client.submit(session, prompt, interrupt=interrupt)

    async def turn(self, session: Session, text: str = "go") -> dict[str, Any]:
        """Submit a prompt and return the agent's `session/prompt`, not yet answered."""
        self.prompt(session, text)
        return await self.agent.expect("session/prompt")

    def choose(self, question_id: str, option_id: str) -> bool:
        """Take an option of a permission; False if that is not possible."""
        return self.questions.answer(question_id, PermissionAnswer(option_id))

    def respond(
        self,
        question_id: str,
        action: ElicitationAction,
        content: Mapping[str, Any] | None = None,
    ) -> bool:
        """Answer an elicitation, a form with what is filled in; False if that is not possible."""
        return self.questions.answer(question_id, ElicitationAnswer(action, content))

    async def end(self) -> None:
        """End the client, and wait until it is over."""
        await self.client.end()
        await self.until(lambda: self.over)

    def logged(self) -> str:
        """Return what the connection's log says by now."""
        self.client.traffic.flush()
        return self.log.read_text(encoding="utf-8")

    async def until(self, predicate: Callable[[], Any]) -> None:
        """Wait until it is true; looked at after each event, when a group is noted,
        and when the client is over."""
        with anyio.fail_after(PATIENCE):
            while not predicate():
                await self._changed.wait()

    def clock(self) -> float:
        """Return a time that only moves on."""
        return float(next(self._times))

    # --- what the client is given

    async def _run(self) -> None:
        await self.client.run()
        self.over = True
        self._notify()

    def _terminals(self) -> Terminals:
        return Terminals(
            "scripted",
            self.screens,
            environment=os.environ,
            limit=self.output_limit,
            on_group=self._on_group,
            fault=self.faults.append,
        )

    def _on_group(self, pgid: int, alive: bool) -> None:
        if alive:
            self.groups.append(pgid)
        self._notify()

    async def _spawn(self, launch: Launch) -> Link:
        """Return the link to `agent`; if the client wants another one, that of another agent."""
        self.spawned += 1
        if self.spawned > 1:
            self.link.close()
            self.link = MemoryLink()
            self.agent = ScriptedAgent(self.link)
            self._notify()
        return self.link

    def _listen(self, session: Session, before: SessionState, event: Event) -> None:
        self.events.append((session, event))
        self._notify()

    def connected(self, client: Client) -> None:
        self.announced.append("connected")
        self._notify()

    def disconnected(self, client: Client) -> None:
        self.announced.append("disconnected")
        self._notify()

    def forgotten(self, client: Client, session: Session) -> None:
        session.apply(SessionReopening(session_id=session.id))
        self.tasks.start_soon(client.reopen, session, session.id)

    def _notify(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()


def _nobody(session_id: str, path: str) -> None:
    """Say of no session whose turn runs in it."""


async def _nothing(roots: Roots) -> None:
    """Prepare nothing for a turn."""


def texts(session: Session, role: str = "agent") -> list[str]:
    """Return the text of each message of that role."""
    entries = [it for it in session.state.entries if isinstance(it, Message) and it.role == role]
    return ["".join(getattr(block, "text", "") or "" for block in it.content) for it in entries]


def notices(session: Session) -> list[str]:
    """Return the text of each notice that is not over."""
    return [it.text for it in session.state.entries if isinstance(it, Notice) and it.text]


def tool(session: Session, call: str = "call-1") -> ToolCall:
    """Return the tool call of that id."""
    found = session.state.entry(f"tool:{call}")
    assert isinstance(found, ToolCall), f"no tool call {call}"
    return found


__all__ = ["SESSION", "AcpError", "Stage", "notices", "texts", "tool"]
