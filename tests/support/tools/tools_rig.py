"""The tools of the editor over a project in a folder: real files, an editor of fakes.

async with ToolsRig(tmp_path) as rig:
    await rig.call("read_file", path=rig.path("a.py"))
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from acp_nvim.client.launch import Caller, Launch
from acp_nvim.client.session import Session
from acp_nvim.follow.follow_along import FollowAlong
from acp_nvim.session.event import SessionOpened
from acp_nvim.session.model import Subject
from acp_nvim.session.request import FileAnswer, FileRequest, WriteFileRequest
from acp_nvim.tools.offered import Names, Offered
from acp_nvim.tools.offers import Offers
from acp_nvim.tools.server import Server
from acp_nvim.tools.tool import Parts
from tests.support.fakes.fake_editor import FakeToolAnswers, fake_editor
from tests.support.fakes.fake_ports import FakeFollower, FakeNotifier
from tests.support.files.file_rig import FileRig


class ToolsRig:
    """One session "s" of the agent "a"; `answers` says what the editor answers to questions."""

    def __init__(self, folder: Path, names: Names = True, **launch: Any) -> None:
        self.folder = folder
        self.files = FileRig(folder)
        self.answers = FakeToolAnswers()
        self.notifier = FakeNotifier()
        editor = fake_editor(files=self.files.files, tools=self.answers, notifier=self.notifier)
        self.faults: list[BaseException] = []
        self.secrets: list[str] = []
        self.questions: list[Subject] = []
        self.allows = True
        self.follow = FollowAlong(editor.files, FakeFollower(), self.notifier)
        self.parts = Parts(
            editor,
            self.follow,
            self.files.edits,
            self.files.review,
            self.files.lessons,
            self.files.comments,
            self.files.restore,
        )
        self.session = Session("a", str(folder), lambda *_: None)
        self.session.apply(SessionOpened("s"))
        self.launch = Launch("a", "a", **launch)
        self.caller = Caller(
            self.session, self.launch, lambda: self.files.roots, self.serve, self.allowed
        )
        self.names = names
        self._run = tempfile.TemporaryDirectory(prefix="acp")
        self.run_folder = Path(self._run.name)
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> ToolsRig:
        self.offers = Offers(
            self.parts,
            self.start_soon,
            self.faults.append,
            self.secrets.extend,
            lambda: str(self.run_folder),
        )
        offered = self.offers.of_agent(self.names)
        assert offered is not None
        self.tools = offered
        self.offered: Offered = self.offers.offer(self.caller, self.names)
        self.server = Server(self.offered)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.offers.close(self.session)
        self.offers.end()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._run.cleanup()
        assert not self.faults, self.faults

    def start_soon(self, run: Callable[..., Coroutine[Any, Any, None]], *arguments: Any) -> None:
        """Run something until the rig ends; fixtures leave a rig in another task."""
        self._tasks.add(asyncio.create_task(run(*arguments)))

    # --- what the client gives

    async def serve(self, ask: FileRequest) -> FileAnswer:
        if isinstance(ask, WriteFileRequest):
            return await self.files.service.write(ask, self.files.roots)
        return await self.files.service.read(ask, self.files.roots)

    async def allowed(self, subject: Subject) -> bool:
        self.questions.append(subject)
        return self.allows

    # --- steps

    def path(self, name: str) -> str:
        """Return the path of a file of the project."""
        return str(self.folder / name)

    async def ask(self, method: str, **params: Any) -> Mapping[str, Any]:
        """Return the answer to a request of MCP."""
        return await self.server.answer(method, params, lambda *_: None)

    async def result(self, tool: str, **arguments: Any) -> Mapping[str, Any]:
        """Return what a call of a tool comes to, be it an error."""
        return await self.ask("tools/call", name=tool, arguments=arguments)

    async def call(self, tool: str, **arguments: Any) -> Any:
        """Return what a tool gives."""
        result = await self.result(tool, **arguments)
        assert not result["isError"], result["content"]
        return result.get("structuredContent", result["content"][0]["text"])

    async def refused(self, tool: str, **arguments: Any) -> str:
        """Return the sentence on why a tool gives nothing."""
        result = await self.result(tool, **arguments)
        assert result["isError"], result
        return str(result["content"][0]["text"])
