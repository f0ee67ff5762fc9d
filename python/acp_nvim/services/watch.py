"""When open buffers are brought up to the disk: after tool calls that name files, and after turns.

One pass at a time; what is asked for meanwhile is done together in the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import anyio

from acp_nvim.errors import AcpError, AskFailed
from acp_nvim.ports import Files
from acp_nvim.services.follow import follow, follow_all
from acp_nvim.services.roots import Roots


class DiskWatch:
    """Collects what may have changed; calls return at once, `run` does the work."""

    def __init__(self, files: Files, fault: Callable[[BaseException], None]) -> None:
        self._files = files
        self._fault = fault
        self._paths: dict[str, None] = {}
        self._roots: dict[Roots, None] = {}
        self._wake = anyio.Event()

    def look(self, roots: Roots, paths: Iterable[str]) -> None:
        """A tool call names these files; those outside of the roots are none of ours."""
        for path in paths:
            try:
                self._paths[roots.resolve(path)] = None
            except AskFailed:
                continue
            self._wake.set()

    def sweep(self, roots: Roots) -> None:
        """Anything below the roots may have changed."""
        self._roots[roots] = None
        self._wake.set()

    async def run(self) -> None:
        """Follow the disk for ever; the caller's task group ends it."""
        while True:
            await self._wake.wait()
            self._wake = anyio.Event()
            paths, self._paths = self._paths, {}
            everywhere, self._roots = self._roots, {}
            try:
                await follow(self._files, paths)
                for roots in everywhere:
                    await follow_all(self._files, roots)
            except AcpError as error:
                self._fault(error)
