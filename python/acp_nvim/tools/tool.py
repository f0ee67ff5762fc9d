"""One tool: what it is called, what it takes and gives, and what does it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, TypeAlias
from weakref import WeakValueDictionary

import anyio
from msgspec import Struct, field

from acp_nvim.client.launch import Caller
from acp_nvim.editor import Editor
from acp_nvim.errors import AcpError
from acp_nvim.files.roots import Roots
from acp_nvim.follow.follow_along import FollowAlong
from acp_nvim.review.comments import Comments
from acp_nvim.review.decisions import Decisions
from acp_nvim.review.log import EditLog
from acp_nvim.review.notes import PromptNotes


class Parts(Struct, frozen=True):
    """The parts of the host that tools ask."""

    editor: Editor
    follow: FollowAlong
    log: EditLog
    decisions: Decisions
    notes: PromptNotes
    comments: Comments
    restore: Callable[[], Awaitable[None]]
    """Takes up what an earlier host has kept of reviews."""
    locks: WeakValueDictionary[str, anyio.Lock] = field(default_factory=WeakValueDictionary)

    @asynccontextmanager
    async def holding(self, paths: Iterable[str]) -> AsyncIterator[None]:
        """Hold files, by their resolved paths, from when they are read until what was made of that
        is written: of two calls at once the second sees what the first has written."""
        locks = [self.locks.setdefault(path, anyio.Lock()) for path in sorted({*paths})]
        async with AsyncExitStack() as held:
            for lock in locks:
                await held.enter_async_context(lock)
            yield


Schema: TypeAlias = Mapping[str, Any]
Arguments: TypeAlias = Mapping[str, Any]

PATIENCE = 10.0
"""Seconds that a tool may take which waits for nobody but the editor and its language servers."""


class ToolError(AcpError):
    """A sentence for the agent: why there is no result, and what to do."""


class Result(Struct, frozen=True):
    """What a tool gives: plain data of its schema, and the same as text to be read."""

    data: Mapping[str, Any]
    text: str


class Call(Struct, frozen=True):
    """Who calls a tool, and what it may use."""

    caller: Caller
    parts: Parts

    kept: dict[str, Any] = field(default_factory=dict)
    """What a tool keeps for later calls of the session."""

    @property
    def roots(self) -> Roots:
        """The folders of the session."""
        return self.caller.roots()

    def here(self, path: str) -> str:
        """Return our name of a path of the agent's. Raises `ToolError`."""
        paths = self.roots.paths
        found = paths.here(path) if paths and path.startswith("/") else path
        if found is None:
            raise ToolError(paths.unknown(path))
        return found

    def resolve(self, path: str) -> str:
        """Return the resolved path that the agent means. Raises `OutsideRoots`, `ToolError`."""
        return self.roots.resolve(self.here(path))

    def named(self, path: str) -> str:
        """Return what the agent calls that file."""
        return self.roots.paths.shown_there(path)


Run: TypeAlias = Callable[[Call, Arguments], Awaitable[Result]]


class Tool(Struct, frozen=True):
    """One row of the catalogue."""

    name: str
    description: str
    parameters: Schema
    result: Schema | None
    """None: nothing is promised but text."""
    run: Run
    writes: bool = False
    """It changes files, so the user may be asked, and it waits for them."""
    repeats: bool = True
    """A second call with the same arguments has no further effect."""
    needs: str = ""
    """`read` or `write`: what the agent must be let do with files (`fs`)."""
    patience: float | None = PATIENCE
    """The seconds that it may take; None: it waits for the user."""

    def described(self) -> dict[str, Any]:
        """Return its entry in the list of tools."""
        described = {
            "name": self.name,
            "description": self.description,
            "inputSchema": self.parameters,
            "annotations": {
                "readOnlyHint": not self.writes,
                "destructiveHint": self.writes,
                "idempotentHint": self.repeats,
                "openWorldHint": False,
            },
        }
        return described | ({} if self.result is None else {"outputSchema": self.result})
