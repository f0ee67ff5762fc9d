"""What the user may speak of: `lua/acp/prompt/surroundings.lua`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal

from acp_nvim.editor import Finding, NamedText, Surroundings
from acp_nvim.session.model import Selection


class NvimSurroundings(Surroundings):
    """Calls Lua by name, as `await lua("acp.prompt.surroundings.selection")`."""

    def __init__(self, lua: Callable[..., Awaitable[Any]]) -> None:
        self._lua = lua

    async def selection(self) -> Selection | None:
        """See `editor.Surroundings`."""
        return _selection(await self._lua("acp.prompt.surroundings.selection"))

    async def viewport(self) -> Selection | None:
        """See `editor.Surroundings`."""
        return _selection(await self._lua("acp.prompt.surroundings.viewport"))

    async def diagnostics(self, *, here: bool = False) -> Sequence[Finding]:
        """See `editor.Surroundings`."""
        found = await self._lua("acp.prompt.surroundings.diagnostics", here)
        return [Finding(**it) for it in found]

    async def enclosing(self, kind: Literal["function", "class"]) -> Selection | None:
        """See `editor.Surroundings`."""
        return _selection(await self._lua("acp.prompt.surroundings.enclosing", kind))

    async def marks(self) -> Sequence[Finding]:
        """See `editor.Surroundings`."""
        return [Finding(**it) for it in await self._lua("acp.prompt.surroundings.marks")]

    async def open_files(self) -> Sequence[str]:
        """See `editor.Surroundings`."""
        return [str(path) for path in await self._lua("acp.prompt.surroundings.open_files")]

    async def quickfix(self) -> Sequence[Finding]:
        """See `editor.Surroundings`."""
        return [Finding(**it) for it in await self._lua("acp.prompt.surroundings.quickfix")]

    async def buffer(self, name: str) -> NamedText | None:
        """See `editor.Surroundings`."""
        return _text(await self._lua("acp.prompt.surroundings.buffer", name))

    async def text(self, name: Literal["messages", "terminal"]) -> NamedText | None:
        """See `editor.Surroundings`."""
        return _text(await self._lua("acp.prompt.surroundings.text", name))


def _selection(found: Any) -> Selection | None:
    if not found:
        return None
    plain = {"path": None, **found, "lines": tuple(found["lines"])}
    return Selection(mark=0, **plain)


def _text(found: Any) -> NamedText | None:
    if not found:
        return None
    return NamedText(found["name"], tuple(found["lines"]), found["filetype"])
