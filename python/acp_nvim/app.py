"""The composition root: puts the parts together, runs the root task group, takes the verbs."""

from __future__ import annotations

import inspect
import os
import sys
import time
import traceback
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import Any, TypeAlias

import anyio
from anyio.abc import TaskGroup

import acp_nvim
from acp_nvim.client.client import Client
from acp_nvim.client.inbound import Services
from acp_nvim.client.launch import Launch
from acp_nvim.client.session import Session
from acp_nvim.client.traffic import Traffic
from acp_nvim.commands.verbs import VERBS, Handler, unknown
from acp_nvim.errors import AcpError
from acp_nvim.files.knowledge import learn_from_disk
from acp_nvim.follow.follow_along import FollowAlong
from acp_nvim.nvim.asks import AskFloats
from acp_nvim.nvim.call import Call
from acp_nvim.nvim.comparer import NvimComparer
from acp_nvim.nvim.editor import Notices, Pickers
from acp_nvim.nvim.files import NvimFiles
from acp_nvim.nvim.follower import NvimFollower
from acp_nvim.nvim.login import NvimLoginTerminals
from acp_nvim.nvim.painter import Painter
from acp_nvim.nvim.reviewer import NvimReviewer
from acp_nvim.nvim.surroundings import NvimSurroundings
from acp_nvim.nvim.terminals import TerminalBuffers
from acp_nvim.prompt.mentions import Mentions
from acp_nvim.questions.elicitation import Elicitations
from acp_nvim.questions.permission import Permissions
from acp_nvim.questions.preview import EvidenceService
from acp_nvim.reactions.files import Keeping
from acp_nvim.reactions.sessions import Reactions
from acp_nvim.storage.sessions import Store
from acp_nvim.terminals.service import Terminals
from acp_nvim.transport.child import Child, spawn
from acp_nvim.transport.group import Groups
from acp_nvim.transport.leaving import at_end
from acp_nvim.workspace.launching import PRIVATE
from acp_nvim.workspace.workspace import Desk, Ground

Task: TypeAlias = Callable[..., Coroutine[Any, Any, None]]

TICK = 1.0
"""Seconds between two drawings of a clock that runs."""
LEAVING = 0.2
"""Seconds that an agent has to end when Neovim leaves, and again after TERM."""


class App:
    """The host's program. `receive` may be called before `run`."""

    def __init__(self, call: Call, root: str, leave: Callable[[], None]) -> None:
        """Take the way to Neovim, the plugin's folder, and what ends the host's loop."""
        self._call = call
        self._leave = leave
        self._painter = Painter(call, self._fault)
        self._floats = AskFloats(call, self._fault)
        self._pickers = Pickers(call)
        self._logins = NvimLoginTerminals(call)
        self._terminals = TerminalBuffers(call, self._fault)
        self._notices = Notices(call, self._painter)
        self._groups = Groups()
        self._permissions = Permissions()
        self._elicitations = Elicitations(self._permissions.questions)
        self._files = NvimFiles(call.lua)
        self._mentions = Mentions(self._files, NvimSurroundings(call.lua))
        self._follow = FollowAlong(self._files, NvimFollower(call), self._notices)
        self._keeping = Keeping(
            self._files,
            NvimReviewer(call.lua),
            self._follow,
            folder=self._edits_folder,
            fault=self._fault,
            event=self._notices.event,
            tell=self._notices.notice,
        )
        self._store = Store(self._sessions_folder, time.time)
        self._verbs_in, self._verbs_out = anyio.create_memory_object_stream[tuple[Any, ...]](
            float("inf")
        )
        self._tasks: TaskGroup
        self._desk = Desk(self._ground(), paths={"root": root})
        self._reactions = Reactions(self._desk, self._keeping.attach(self._desk))
        at_end(self._end)

    def receive(self, verb: str, payload: Any = None, call: int | None = None) -> None:
        """Take a verb from Lua; never waits."""
        self._verbs_in.send_nowait((verb, payload or {}, call))

    async def run(self) -> None:
        """Serve until Neovim leaves."""
        async with anyio.create_task_group() as self._tasks:
            keeping = self._keeping
            drawing = (self._painter.run, self._floats.run, self._terminals.run, self._tick)
            safety = (keeping.disk.run, keeping.store.run, keeping.board.run)
            for part in (*drawing, *safety, self._follow.run, self._store.run):
                self._tasks.start_soon(self._for_ever, part)
            async for verb, payload, call in self._verbs_out:
                self._dispatch(verb, payload, call)

    def _end(self) -> None:
        """Neovim is gone, perhaps without a word: nothing outlives it, nothing noted is lost."""
        self._groups.kill_all()
        self._store.flush()
        self._keeping.store.flush()

    # --- verbs

    def _dispatch(self, verb: str, payload: Mapping[str, Any], call: int | None) -> None:
        if verb == "chosen":
            self._pickers.chosen(int(payload["call"]), payload.get("index"))
        elif verb == "login_ended":
            self._logins.ended(int(payload["call"]), payload.get("code"))
        elif verb == "shutdown":
            self._tasks.start_soon(self._shutdown)
        else:
            self._carry_out(verb, payload, call)

    def _carry_out(self, verb: str, payload: Mapping[str, Any], call: int | None) -> None:
        try:
            handler: Handler = VERBS.get(verb, unknown)
            result = handler(self._desk, payload)
        except Exception as error:  # the root task group must outlive any verb
            self._answer_error(call, error)
            return
        if inspect.isawaitable(result):
            self._tasks.start_soon(self._finish, result, call)
        else:
            self._answer(call, result)

    async def _finish(self, result: Any, call: int | None) -> None:
        try:
            self._answer(call, await result)
        except Exception as error:  # the root task group must outlive any verb
            self._answer_error(call, error)

    def _answer(self, call: int | None, result: Any) -> None:
        if call is not None:
            self._call.post("acp.host.bridge.answer", call, None, result)

    def _answer_error(self, call: int | None, error: Exception) -> None:
        if not isinstance(error, AcpError):
            self._fault(error)
        if call is not None:
            self._call.post("acp.host.bridge.answer", call, str(error), None)
        elif isinstance(error, AcpError):
            self._notices.notice(str(error), warning=True)

    async def _shutdown(self) -> None:
        self._store.flush()
        self._keeping.store.flush()
        async with anyio.create_task_group() as tasks:
            for client in self._desk.clients:
                if client.link is not None:
                    tasks.start_soon(_end, client)
        self._groups.kill_all()
        self._leave()

    # --- making the parts

    def _ground(self) -> Ground:
        return Ground(
            screen=self._painter,
            asks=self._floats,
            comparer=NvimComparer(self._call),
            evidence=EvidenceService(self._files),
            chooser=self._pickers,
            login_terminals=self._logins,
            notifier=self._notices,
            terminals=self._terminals,
            permissions=self._permissions,
            elicitations=self._elicitations,
            disk=self._keeping.disk,
            edits=self._keeping.edits,
            review=self._keeping.review,
            reviewer=self._keeping.reviewer,
            board=self._keeping.board,
            known=partial(learn_from_disk, self._keeping.knowledge),
            met=self._keeping.met,
            restore=self._keeping.restore,
            caught_up=self._keeping.caught_up,
            follow=self._follow,
            lessons=self._keeping.lessons,
            show_notes=partial(self._call.post, "acp.prompt.attachment.note"),
            name_chat=partial(self._call.lua, "acp.chat.registry.name"),
            open_chat=partial(self._call.lua, "acp.chat.window.open_session"),
            show_chat=partial(self._call.lua, "acp.chat.window.show"),
            store=self._store,
            new_client=self._new_client,
            new_session=lambda agent, cwd: Session(agent, cwd, self._reactions.changed),
            start_soon=self._start_soon,
            clock=time.monotonic,
            host={
                "running": True,
                "version": acp_nvim.__version__,
                "python": sys.executable,
                "pid": os.getpid(),
            },
        )

    async def _tick(self) -> None:
        while True:
            await anyio.sleep(TICK)
            self._reactions.tick()

    def _start_soon(self, task: Task, *arguments: Any) -> None:
        self._tasks.start_soon(self._safely, task, *arguments)

    async def _safely(self, task: Task, *arguments: Any) -> None:
        """Run a task whose fault must not take the others down."""
        try:
            await task(*arguments)
        except Exception as error:  # the root task group must outlive any task
            self._fault(error)

    async def _for_ever(self, part: Task) -> None:
        """Run a part of the host, and again after a fault of it."""
        while True:
            await self._safely(part)
            await anyio.sleep(TICK)

    def _sessions_folder(self) -> str:
        return os.path.join(self._desk.paths.get("state", "/tmp"), "sessions")

    def _edits_folder(self) -> str:
        return os.path.join(self._desk.paths.get("state", "/tmp"), "edits")

    def _new_client(self, launch: Launch) -> Client:
        path = os.path.join(self._desk.paths.get("state", "/tmp"), "log", f"{launch.name}.jsonl")
        return Client(
            launch,
            Services(
                self._keeping.serve(launch.name),
                self._permissions,
                self._fault,
                elicitations=self._elicitations,
                outside=Session(launch.name, launch.cwd, self._reactions.changed),
                terminals=self._terminals_of(launch.name),
                mentions=self._mentions,
                lessons=self._keeping.lessons,
                prepare=self._keeping.prepare,
            ),
            spawn=self._spawn,
            files=self._files,
            traffic=Traffic(path, time.monotonic, whole=self._desk.options.log.level == "debug"),
            watcher=self._reactions,
            clock=time.monotonic,
            version=acp_nvim.__version__,
        )

    async def _spawn(self, launch: Launch) -> Child:
        return await spawn(
            launch.command,
            launch.args,
            env=launch.env if launch.env is not None else os.environ,
            cwd=launch.cwd,
            on_group=self._on_group,
            install=launch.install,
        )

    def _terminals_of(self, agent: str) -> Terminals:
        return Terminals(
            agent,
            self._terminals,
            environment={key: it for key, it in os.environ.items() if key not in PRIVATE},
            limit=self._desk.options.terminal.output_byte_limit,
            on_group=self._on_group,
        )

    def _on_group(self, group: int, alive: bool) -> None:
        self._groups.note(group, alive)
        self._call.post("acp.host.bridge.group", group, alive)

    def _fault(self, error: BaseException) -> None:
        """Our own mistake: a traceback into the log (stderr), one line on screen."""
        traceback.print_exception(error, file=sys.stderr)
        self._notices.notice(f"acp: internal error ({error!r}): see :checkhealth acp", warning=True)


async def _end(client: Client) -> None:
    if client.link is not None:
        await client.link.end(grace=LEAVING)
