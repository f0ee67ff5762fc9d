"""The composition root: puts the parts together, runs them, takes the verbs."""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable
from errno import EMFILE
from functools import partial
from os.path import dirname
from typing import Any

import anyio

from acp_nvim.client.client import Client
from acp_nvim.collector import COLLECTOR
from acp_nvim.commands.verbs import carry_out
from acp_nvim.editor import Editor
from acp_nvim.errors import AcpError
from acp_nvim.files.baselines.baselines import Baselines
from acp_nvim.files.baselines.memory import Memory
from acp_nvim.files.baselines.watch import Watch
from acp_nvim.files.event import Emit, FileEvent
from acp_nvim.files.knowledge import Knowledge
from acp_nvim.files.sync import DiskSync
from acp_nvim.follow.follow_along import FollowAlong
from acp_nvim.hunks import RECENT
from acp_nvim.questions.questions import Questions
from acp_nvim.reactions import idle, screen, sessions
from acp_nvim.reactions.files import on_file
from acp_nvim.registry.installer import Installer
from acp_nvim.registry.listing import Registry
from acp_nvim.review.comments import Comments
from acp_nvim.review.decisions import Decisions
from acp_nvim.review.log import EditLog
from acp_nvim.review.notes import PromptNotes
from acp_nvim.review.presenter import ReviewPresenter
from acp_nvim.review.recovery import Recovery
from acp_nvim.storage.edits import EditStore
from acp_nvim.storage.left_open import LeftOpen
from acp_nvim.storage.remembered import Choices, Told
from acp_nvim.storage.sessions import Store
from acp_nvim.tools.offers import Offers
from acp_nvim.tools.tool import Parts
from acp_nvim.transport.group import at_end
from acp_nvim.workspace.authors import Authors
from acp_nvim.workspace.host import Agents, Host, Review, Start
from acp_nvim.workspace.launching import start
from acp_nvim.workspace.tasks import Pulse, Tasks
from acp_nvim.workspace.workspace import Workspace

TICK = 1.0
"""Seconds between two drawings of a clock that runs; while none does, nothing wakes."""
MINUTE = 60.0
LEAVING = 0.2
"""Seconds that an agent has to end when Neovim leaves, and again after TERM."""

LATER = 0.01
"""Seconds between what is in the log and what is done next, at least."""
AGAIN = 60.0
"""Seconds after which it is said again that something is not kept."""

CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class App:
    """The host's program. `receive` may be called before `run`."""

    def __init__(self, editor: Editor, root: str, leave: Callable[[], None]) -> None:
        """Take the editor, the plugin's folder, and what ends the host's loop."""
        self._editor = editor
        self._leave = leave
        self._verbs_in, self._verbs_out = anyio.create_memory_object_stream[tuple[Any, ...]](
            float("inf")
        )
        self._host = compose(editor, root)
        at_end(self._end)

    def receive(self, verb: str, payload: Any = None, call: int | None = None) -> None:
        """Take a verb from Lua; never waits."""
        self._verbs_in.send_nowait((verb, payload, call))

    async def run(self) -> None:
        """Serve until Neovim leaves."""
        host = self._host
        review = (host.review.sync, host.review.store, host.review.presenter)
        parts = [part.run for part in (*review, host.follow, host.store)]
        async with host.tasks:
            for part in (*self._editor.runners, *parts, self._tick):
                host.tasks.keep_running(part)
            async for verb, payload, call in self._verbs_out:
                self._dispatch(verb, payload, call)

    async def _tick(self) -> None:
        while True:
            await self._host.pulse.wait(self._patience())
            await anyio.sleep(TICK)
            COLLECTOR.search()
            RECENT.forget()
            screen.tick(self._host)
            sessions.tick(self._host)
            idle.tick(self._host)

    def _patience(self) -> float | None:
        """Return the seconds after which there is something to do though nothing changes."""
        ages = MINUTE if self._host.workspace.clocks() else None  # a list has some, in minutes
        spans = [it for it in (ages, idle.patience(self._host)) if it is not None]
        return min(spans, default=None)

    # --- verbs

    def _dispatch(self, verb: str, payload: object, call: int | None) -> None:
        if verb == "shutdown":
            self._host.tasks.start_soon(self._shutdown)
            return
        try:
            self._host.pulse.stir()
            result = carry_out(self._host, verb, payload)
            if inspect.isawaitable(result):
                self._host.tasks.start_soon(self._finish, result, call)
            else:
                self._answer(call, result)
        except Exception as error:  # the root task group must outlive any verb
            self._host.tasks.start_soon(self._fail, call, error)

    async def _finish(self, result: Any, call: int | None) -> None:
        try:
            self._answer(call, await result)
        except Exception as error:  # who has asked must hear of it
            await self._fail(call, error)

    def _answer(self, call: int | None, result: Any) -> None:
        if call is not None:
            self._editor.bridge.answer(call, None, result)

    async def _fail(self, call: int | None, error: Exception) -> None:
        if not isinstance(error, AcpError):
            self._editor.notifier.fault(error)
        if call is not None:
            self._editor.bridge.answer(call, str(error), None)
        elif isinstance(error, AcpError):
            self._editor.notifier.notice(str(error), warning=True)

    # --- the end

    async def _shutdown(self) -> None:
        self._flush()
        async with anyio.create_task_group() as tasks:
            for client in self._host.workspace.clients:
                tasks.start_soon(_end, client)
        self._host.workspace.groups.kill_all()
        self._leave()

    def _end(self) -> None:
        """Neovim is gone, perhaps without a word: nothing outlives it, nothing noted is lost."""
        self._host.workspace.groups.kill_all()
        self._host.tools.end()
        self._flush()

    def _flush(self) -> None:
        self._host.store.leave(it.state for it in self._host.workspace.sessions())
        self._host.review.store.flush()
        self._host.left_open.leave()


def since_boot() -> float:
    """Return the seconds of a clock that nobody sets, and that goes on while the machine sleeps."""
    return time.clock_gettime(CLOCK)


def compose(
    editor: Editor,
    root: str,
    *,
    start: Start = start,
    clock: Callable[[], float] = since_boot,
    sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
) -> Host:
    """Return all parts put together; `start`, `clock` and `sleep` are other ones in tests."""
    workspace = Workspace(epoch=time.time() - clock(), paths={"root": root})
    editor.notifier.redact(workspace.redaction.output)

    def emit(event: FileEvent) -> None:
        on_file(host, event)

    tasks = Tasks(editor.notifier.fault)
    review = keep_safe(editor, workspace, emit, clock, lambda: host.count_changes())
    follow = FollowAlong(editor.files, editor.follower, editor.notifier)
    host = Host(
        editor=editor,
        workspace=workspace,
        review=review,
        questions=Questions(),
        follow=follow,
        store=Store(
            workspace.state_folder("sessions"),
            time.time,
            workspace.redaction.values,
            NotKept(editor, "what is said"),
        ),
        left_open=LeftOpen(workspace.state_folder("open")),
        agents=Agents(
            Registry(workspace.state_folder("registry")),
            Installer(workspace.agents_folder, editor.logins),
        ),
        told=Told(workspace.state_folder("remote")),
        choices=Choices(workspace.state_folder("choices")),
        tools=offers(editor, workspace, review, follow, tasks),
        tasks=tasks,
        pulse=Pulse(),
        clock=clock,
        start=start,
        sleep=sleep,
    )
    return host


def offers(
    editor: Editor, workspace: Workspace, review: Review, follow: FollowAlong, tasks: Tasks
) -> Offers:
    """Return what offers agents the tools of the editor."""
    log, notes, comments = review.log, review.notes, review.comments
    parts = Parts(editor, follow, log, review.decisions, notes, comments, review.restore)
    fault, secret = editor.notifier.fault, workspace.redaction.learn
    return Offers(parts, tasks.start_soon, fault, secret, workspace.run_folder)


def keep_safe(
    editor: Editor,
    workspace: Workspace,
    emit: Emit,
    clock: Callable[[], float],
    listed: Callable[[], None] = lambda: None,
) -> Review:
    """Return what keeps the user's work safe, put together."""
    files, fault = editor.files, editor.notifier.fault

    def changed(path: str) -> None:
        presenter.touch(path, is_told=True)

    def now() -> float:
        return workspace.epoch + clock()

    def passed(at: float) -> None:
        workspace.epoch += max(0.0, at + LATER - now())

    def own() -> list[str]:
        # Neovim's own state as a whole: with swap files, undo files and shada
        folders = (workspace.paths.get("data", ""), dirname(workspace.paths.get("state", "")))
        return [it for it in folders if it]

    knowledge, report = Knowledge(), NotKept(editor, "what agents change")
    store = EditStore(workspace.state_folder("edits"), report)
    log = EditLog(store, now=now, changed=changed, passed=passed)
    author, baselines = Authors(workspace).of_path, Baselines(watch=Watch(), own=own)
    baselines.keep_in(Memory(store.journal.see))
    sync = DiskSync(
        files, emit, fault, knowledge=knowledge, books=log, author=author, baselines=baselines
    )
    decisions = Decisions(log, files, sync, emit)
    comments = Comments(files, store.comments, changed)
    presenter = ReviewPresenter(
        log,
        decisions,
        comments,
        editor.reviewer,
        scope=workspace.scope,
        fault=fault,
        listed=listed,
    )
    notes = PromptNotes(files, knowledge, store.lessons, comments, fault)
    tell = partial(editor.notifier.notice, warning=True)
    recovery = Recovery(store, log, sync, files, tell, workspace.is_here)
    return Review(log, decisions, presenter, notes, comments, sync, knowledge, store, recovery)


class NotKept:
    """Says that something does not outlive the host: once, however many stores find that out."""

    def __init__(self, editor: Editor, what: str) -> None:
        self._editor = editor
        self._what = what
        self._told = float("-inf")

    def __call__(self, error: OSError) -> None:
        """Say why, unless that was said a moment ago."""
        if time.monotonic() - self._told < AGAIN:
            return
        self._told = time.monotonic()
        advice = ": no file descriptor is left (ulimit -n)" if error.errno == EMFILE else ""
        said = f"{self._what} is not kept on disk ({error.strerror or error}){advice}"
        self._editor.notifier.notice(f"{said}; it is tried again", warning=True)


async def _end(client: Client) -> None:
    if client.link is not None:
        await client.link.end(grace=LEAVING)
