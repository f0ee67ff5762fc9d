"""The whole program but for the editor, an agent that the test plays, and one job of a user's.

async with WholeApp() as app:
    await app.open()
    await app.job()
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

import anyio
from msgspec.structs import replace

from acp_nvim.app import App
from acp_nvim.client.client import Client
from acp_nvim.client.launch import Launch
from acp_nvim.client.session import Session
from acp_nvim.transport.link import Link
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host
from tests.support.agents.memory_link import MemoryLink
from tests.support.agents.scripted_agent import PATIENCE, SESSION, ScriptedAgent
from tests.support.fakes.fake_editor import FakeBridge, FakeQuestionWindow, fake_editor
from tests.support.fakes.fake_ports import FakeFiles, FakeNotifier

CHAT = 1
LINES = tuple(f"line {number}" for number in range(1, 21))
ORIGINAL = "".join(f"{line}\n" for line in LINES)
TYPED = "what the user has typed"
LOADS = {"agentCapabilities": {"loadSession": True}}


class WholeApp:
    """`a.txt` is open, with unsaved text of the user's; `b.txt` is not."""

    def __init__(self) -> None:
        self._stack = AsyncExitStack()
        self._folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory())).resolve()
        self.state = self._folder / "state"
        self.work = self._folder / "work"
        self.work.mkdir()
        self.files, self.notifier, self.bridge = FakeFiles(), FakeNotifier(), FakeBridge()
        self.window = FakeQuestionWindow()
        self._calls = itertools.count(1)
        self._jobs = itertools.count(1)
        self.links: list[MemoryLink] = []
        self.agent: ScriptedAgent

    async def __aenter__(self) -> WholeApp:
        editor = fake_editor(
            files=self.files, notifier=self.notifier, bridge=self.bridge, questions=self.window
        )
        self.app = App(editor, "/", lambda: None)
        self.app._host = replace(self.host, start=self._start)
        for name in ("a.txt", "b.txt"):
            (self.work / name).write_text(ORIGINAL)
        self.files.open(self.work / "a.txt", *LINES, TYPED)
        self._tasks = await self._stack.enter_async_context(anyio.create_task_group())
        self._tasks.start_soon(self.app.run)
        options = {"agents": {"scripted": {"command": "true"}}}
        paths = {"root": "/", "state": str(self.state), "data": str(self._folder)}
        await self.ask("configure", {"options": options, "paths": paths})
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for link in self.links:
            link.exit()
        self._tasks.cancel_scope.cancel()
        self.app._end()
        await self._stack.aclose()
        if (watch := self.host.review.sync._baselines._watch) is not None:
            watch.leave_others(())  # a user has 128 descriptors of it, and many apps stay for long
        for link in self.links:
            link.close()
        for client in self.host.workspace.clients:
            client.traffic.close()

    @property
    def host(self) -> Host:
        return self.app._host

    @property
    def chat(self) -> Chat:
        return self.host.workspace.chats[CHAT]

    @property
    def session(self) -> Session:
        return self.chat.session

    @property
    def client(self) -> Client:
        assert self.chat.client is not None
        return self.chat.client

    # --- steps

    async def ask(self, verb: str, payload: Any) -> tuple[str | None, Any]:
        """Give a verb, as Lua does; return the error and the answer."""
        call = next(self._calls)
        self.app.receive(verb, payload, call)
        await self.until(lambda: call in self.bridge.answers)
        return self.bridge.answers[call]

    async def open(self) -> None:
        """Start the agent, and open a session in the chat."""
        start = {"agent": "scripted", "chat": CHAT, "prompt": 2, "file": "", "cwd": str(self.work)}
        self.app.receive("start", start, None)
        await self.until(lambda: self.links)
        await self.agent.initialize(**LOADS)
        await self.agent.open()
        await self.until(lambda: self.session.state.status == "idle")

    async def again(self) -> None:
        """Restart the agent of a session that has ended."""
        count = len(self.links)
        self.app.receive("restart", {"agent": "scripted"}, None)
        await self.until(lambda: len(self.links) > count)
        await self.agent.initialize(**LOADS)
        self.agent.reply(await self.agent.expect("session/load"), {})
        await self.until(lambda: self.session.state.status == "idle")

    async def job(self) -> list[dict[str, Any]]:
        """Let the agent work for a turn; return the answers to its requests, one to each."""
        number = next(self._jobs)
        prompt = {"chat": CHAT, "text": f"do @b.txt {number}", "selections": [], "bang": False}
        await self.ask("prompt", prompt)
        answers: list[dict[str, Any]] = []
        sent = await self._prompted()
        if sent is not None:
            self.agent.say(f"job {number}", messageId=f"m{number}")
            self._tell_call(number, "in_progress")
            for name in ("a.txt", "b.txt"):
                answers += await self._edit(name, number)
            answers += await self._command()
            answers.append(await self._permission(number))
            self._tell_call(number, "completed")
            self.agent.reply(sent, {"stopReason": "end_turn"})
        await self.until(lambda: self.session.state.status in ("idle", "closed"))
        return answers

    async def until(self, predicate: Callable[[], Any]) -> None:
        """Wait until it is true."""
        with anyio.fail_after(PATIENCE):
            while not predicate():  # noqa: ASYNC110
                await anyio.sleep(0.001)

    # --- parts of the job

    async def _prompted(self) -> dict[str, Any] | None:
        """Return the prompt; None if the turn has ended without, or never began."""
        found: list[dict[str, Any]] = []

        async def hear() -> None:
            found.append(await self.agent.expect("session/prompt"))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(hear)
            await self.until(lambda: found or self.session.state.status in ("idle", "closed"))
            tasks.cancel_scope.cancel()
        return found[0] if found else None

    def _tell_call(self, number: int, status: str) -> None:
        places = [{"path": str(self.work / "a.txt"), "line": 3}]
        call = {"toolCallId": f"call-{number}", "title": "Edit", "kind": "edit", "status": status}
        self.agent.update("tool_call", **call, locations=places)

    async def _edit(self, name: str, number: int) -> list[dict[str, Any]]:
        path = str(self.work / name)
        read = await self._request("fs/read_text_file", path=path)
        text = read.get("result", {}).get("content", "").replace("line 9", f"nine {number}")
        write = {"path": path, "content": text or ORIGINAL}
        return [read, await self._request("fs/write_text_file", **write)]

    async def _command(self) -> list[dict[str, Any]]:
        made = await self._request("terminal/create", command="echo", args=["hello"])
        terminal = made.get("result", {}).get("terminalId", "none")
        verbs = ("wait_for_exit", "output", "release")
        more = [await self._request(f"terminal/{verb}", terminalId=terminal) for verb in verbs]
        return [made, *more]

    async def _permission(self, number: int) -> dict[str, Any]:
        self.agent.request_permission(f"p{number}", toolCall={"toolCallId": f"call-{number}"})
        answers: list[dict[str, Any]] = []

        async def hear() -> None:
            answers.append(await self.agent.answer_to(f"p{number}"))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(hear)
            await self.until(lambda: answers or self.host.questions.pending)
            for question in self.host.questions.pending:
                error, _ = await self.ask("respond", {"ask": question.id, "option": "yes"})
                if error is not None:  # as a user who cannot answer would cancel
                    self.agent.notify("$/cancel_request", {"requestId": f"p{number}"})
        return answers[0]

    async def _request(self, method: str, **params: Any) -> dict[str, Any]:
        number = f"request-{next(self._calls)}"
        return await self.agent.ask(method, {"sessionId": SESSION, **params}, number)

    async def _start(self, launch: Launch, on_group: Any) -> Link:
        link = MemoryLink()
        self.agent = ScriptedAgent(link)
        self.links.append(link)
        return link
