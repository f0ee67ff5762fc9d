"""`terminal/*`: commands that an agent runs on ptys of the host (v1/terminals).

A terminal is the agent's until it releases it: nothing but the end of its session, of the agent or
of the editor ends it before (C-150, C-216). What it wrote stays in the session and on its screen.
Only `client` calls; `commands` looks at what there is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

import anyio
from anyio.abc import TaskGroup

from acp_nvim.descriptors import Share
from acp_nvim.editor import TerminalScreens
from acp_nvim.errors import Code, RequestFailed, UserError
from acp_nvim.files import rooted
from acp_nvim.session.event import TerminalUpdated
from acp_nvim.session.request import (
    Answer,
    CreateTerminalRequest,
    KillTerminalRequest,
    ReleaseTerminalRequest,
    TerminalCreated,
    TerminalEnded,
    TerminalExited,
    TerminalOutputRequest,
    TerminalRequest,
    TerminalShown,
    WaitForTerminalRequest,
)
from acp_nvim.terminals.command_line import command_line
from acp_nvim.terminals.elsewhere import Elsewhere
from acp_nvim.terminals.terminal import ROWS_COLUMNS, Terminal
from acp_nvim.transport import pty
from acp_nvim.transport.child import OnGroup

Tell: TypeAlias = Callable[[TerminalUpdated], None]
"""Told what becomes of a terminal: applies it to the session."""

MOST = 64
"""Terminals of one agent that it has not released."""
MOST_ENDING = 64
"""Commands of terminals that it has released, and that have not ended yet."""
MOST_KEPT = 200
"""Terminals that it has released, and whose output can still be looked at."""
MOST_LOGS = 16 << 20
"""Bytes of the output of all terminals of one agent; of the oldest released ones nothing is kept
then, and of an open one that is one too many the last `LEAST`."""
LEAST = 64 << 10
DESCRIPTORS = 2
"""Of each command that runs: its terminal, and what tells of its end."""

PAGERS = {"PAGER": "cat", "GIT_PAGER": "cat"}
ENVIRONMENT = {"TERM": "xterm-256color", **PAGERS}


class Terminals:
    """The terminals of one agent; ids are never used twice on its connection (C-215)."""

    def __init__(
        self,
        agent: str,
        screens: TerminalScreens,
        *,
        environment: Mapping[str, str],
        limit: int,
        on_group: OnGroup,
        fault: Callable[[BaseException], None],
        there: Elsewhere | None = None,
    ) -> None:
        """Take the environment of commands, and the most bytes of output to keep of each.

        With `there` they run where the agent does, in the folder that a request says.
        """
        self._agent = agent
        self._screens = screens
        self._environment = {**environment, **ENVIRONMENT}
        self._limit = limit
        self._on_group = on_group
        self._fault = fault
        self._there = there
        self.shell: str | None = None
        """The one of agents' lines that the user names."""
        self._terminals: dict[str, Terminal] = {}
        self._share = Share()
        self._count = 0
        self._running = False
        self._turn = anyio.Lock()
        """Whose output is read now."""
        self._tasks: TaskGroup

    def __iter__(self) -> Iterator[Terminal]:
        return iter(tuple(self._terminals.values()))

    async def run(self) -> None:
        """Serve until cancelled; no command outlives it."""
        try:
            async with anyio.create_task_group() as self._tasks:
                self._running = True
                await anyio.sleep_forever()
        finally:
            self._running = False
            for terminal in self:
                await terminal.kill()

    async def answer(self, request: TerminalRequest, cwd: str, tell: Tell) -> Answer:
        """Answer a request; raises `RequestFailed`. `cwd`: resolved, where a command is to run."""
        match request:
            case CreateTerminalRequest():
                return TerminalCreated(self._create(request, cwd, tell).id)
            case TerminalOutputRequest():
                terminal = self._find(request)
                return TerminalShown(*terminal.log.text(), terminal.exit)
            case WaitForTerminalRequest():
                return TerminalExited(await self._find(request).wait())
            case KillTerminalRequest():
                await self._find(request).end()
                return TerminalEnded()
            case ReleaseTerminalRequest():
                self._release(self._find(request))
                return TerminalEnded()

    def runs(self, session_id: str | None) -> bool:
        """Tell whether a command of that session runs that the agent has not released."""
        mine = (it for it in self if it.session_id == session_id and not it.released)
        return any(terminal.exit is None for terminal in mine)

    def close(self, session_id: str) -> None:
        """End all terminals of a session and let their screens go (C-216)."""
        for terminal in self:
            if terminal.session_id == session_id:
                if not terminal.released:
                    self._release(terminal)
                del self._terminals[terminal.id]
                self._screens.forget(terminal.number)

    def _create(self, request: CreateTerminalRequest, cwd: str, tell: Tell) -> Terminal:
        self._check_room()
        env = {**self._environment, **({} if self._there else dict(request.env))}
        program, *args = self._command(request, cwd)
        argv = command_line(program, args, env=env, cwd=cwd, shell=self.shell)
        rows, columns = ROWS_COLUMNS
        try:
            with self._share.taking(DESCRIPTORS), rooted.folder(cwd) as folder:
                child = pty.spawn(
                    argv,
                    env=env,
                    folder=folder,
                    on_group=self._on_group,
                    rows=rows,
                    columns=columns,
                )
        except OSError as error:
            raise RequestFailed(Code.INVALID_PARAMS, f"{cwd}: {error.strerror}") from error
        except UserError as error:
            raise RequestFailed(Code.INTERNAL_ERROR, str(error)) from error
        self._count += 1
        id = f"terminal-{self._count}"
        terminal = Terminal(
            id,
            request,
            child,
            turn=self._turn,
            limit=self._room(request.limit),
            tell=tell,
            fault=self._fault,
        )
        terminal.put_on(self._screens, f"{self._agent}/{terminal.id}")
        self._terminals[terminal.id] = terminal
        self._tasks.start_soon(self._serve, terminal)
        self._forget_old()
        return terminal

    def _check_room(self) -> None:
        """Raise `RequestFailed` if the agent has as many terminals as it may."""
        said = ""
        if sum(not terminal.released for terminal in self) >= MOST:
            said = f"{MOST} terminals are open already: release one of them first"
        elif sum(it.released and it.exit is None for it in self) >= MOST_ENDING:
            said = f"{MOST_ENDING} released commands have not ended yet: wait for that first"
        if said:
            raise RequestFailed(Code.INTERNAL_ERROR, said)

    def _room(self, wanted: int | None) -> int:
        """Return how many bytes of the output of one more are kept."""
        limit = self._limit if wanted is None else min(wanted, self._limit)
        held = sum(it.log.limit for it in self if not self._is_done(it))
        return min(limit, max(MOST_LOGS - held, LEAST))

    def _forget_old(self) -> None:
        """Let the oldest of those go that the agent has done with, and their screens."""
        old = [it for it in self if self._is_done(it)]
        held = sum(it.log.size for it in self)
        for at, terminal in enumerate(old, 1):
            if len(old) - at < MOST_KEPT and held <= MOST_LOGS:
                break
            held -= terminal.log.size
            del self._terminals[terminal.id]
            self._screens.forget(terminal.number)

    def _is_done(self, terminal: Terminal) -> bool:
        return terminal.released and terminal.exit is not None

    async def _serve(self, terminal: Terminal) -> None:
        try:
            await terminal.run()
        except Exception as error:  # the other terminals go on
            self._fault(error)
        finally:
            self._share.give_back(DESCRIPTORS)

    def _command(self, request: CreateTerminalRequest, cwd: str) -> tuple[str, ...]:
        if self._there is None:
            return (request.command, *request.args)
        return self._there.command_line(request, PAGERS, request.cwd or cwd)

    def _release(self, terminal: Terminal) -> None:
        terminal.released = True
        if self._running:  # else all have ended
            self._tasks.start_soon(terminal.end)

    def _find(
        self,
        request: TerminalOutputRequest
        | WaitForTerminalRequest
        | KillTerminalRequest
        | ReleaseTerminalRequest,
    ) -> Terminal:
        terminal = self._terminals.get(request.terminal_id)
        if terminal is None or terminal.released or terminal.session_id != request.session_id:
            raise RequestFailed(
                Code.RESOURCE_NOT_FOUND,
                f"no terminal {request.terminal_id!r} in this session",
                {"terminalId": request.terminal_id},
            )
        return terminal
