"""Windows and pickers: chats, comparisons, the window that follows, and what is around the user."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import anyio

from acp_nvim.editor import (
    ChatWindows,
    Choice,
    Chooser,
    Finding,
    NamedText,
    Surroundings,
    ToolAnswers,
)
from acp_nvim.nvim.call import Call
from acp_nvim.nvim.plain import op, spec
from acp_nvim.session.model import Selection
from acp_nvim.view.block import Line
from acp_nvim.view.op import Replace
from acp_nvim.view.question.comparison import Comparison


class NvimChats(ChatWindows):
    """Opens, names and shows chats: `lua/acp/chat/window.lua`, `lua/acp/chat/output.lua`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    async def name(self, chat: int, name: str) -> None:
        """See `ChatWindows`."""
        await self._call.lua("acp.chat.registry.name", chat, name)

    async def open(self, agent: str) -> tuple[int, int] | None:
        """See `ChatWindows`."""
        opened = await self._call.lua("acp.chat.window.open_session", agent, None, True)
        if not isinstance(opened, Mapping):
            return None
        chat = int(opened["chat"])
        await self.show(chat)
        return chat, int(opened["prompt"])

    async def show(self, chat: int) -> None:
        """See `ChatWindows`."""
        await self._call.lua("acp.chat.window.return_to", chat)

    async def read(self, portions: Iterable[Sequence[Line]], name: str = "", cwd: str = "") -> None:
        """See `ChatWindows`."""
        buffer = await self._call.lua("acp.chat.output.show", name, cwd)
        row = 0
        for lines in portions:
            drawn = op(Replace(row, -1, tuple(lines)))
            if not await self._call.lua("acp.chat.output.append", buffer, drawn):
                return
            row += len(lines)

    def notes(self, chat: int, notes: Sequence[tuple[str, str, str]]) -> None:
        """See `ChatWindows`."""
        plain = [{"key": key, "label": label, "size": size} for key, label, size in notes]
        self._call.post("acp.prompt.attachment.note", chat, plain)


class Pickers(Chooser):
    """Pickers by `vim.ui.select`; the choice comes back as a verb."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._chosen: dict[int, anyio.Event] = {}
        self._indexes: dict[int, int | None] = {}
        self._count = 0

    async def choose(self, title: str, kind: str, choices: Sequence[Choice]) -> Any | None:
        """See `editor.Chooser`."""
        self._count += 1
        number, event = self._count, anyio.Event()
        self._chosen[number] = event
        labels = [choice.label for choice in choices]
        try:
            await self._call.lua("acp.ui.choose.select", number, title, kind, labels)
            await event.wait()
        finally:
            del self._chosen[number]
        index = self._indexes.pop(number, None)
        return None if index is None else choices[index].value

    def chosen(self, number: int, index: int | None) -> None:
        """Take the user's choice: a 0-based row, or None."""
        if number in self._chosen:
            self._indexes[number] = index
            self._chosen[number].set()


class NvimComparer:
    """Two texts side by side, each pair in a tabpage of its own: `lua/acp/ui/compare.lua`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    async def open(self, key: str, comparison: Comparison) -> bool:
        """See `editor.Comparer`."""
        return bool(await self._call.lua("acp.ui.compare.open", key, spec(comparison)))

    async def close(self, key: str) -> None:
        """See `editor.Comparer`."""
        await self._call.lua("acp.ask.evidence.retire", key)


class NvimFollower:
    """The sign where the agent is, and the window that follows: `lua/acp/follow/follower.lua`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    async def start(self) -> None:
        """See `editor.Follower`."""
        await self._call.lua("acp.follow.follower.start")

    async def show(self, path: str, line: int | None) -> bool:
        """See `editor.Follower`."""
        return bool(
            await self._call.lua("acp.follow.follower.show", path, line or 1, line is not None)
        )

    async def window(self) -> int | None:
        """See `editor.Follower`."""
        found = await self._call.lua("acp.follow.companion.window")
        return None if found is None else int(found)

    def clear(self) -> None:
        """See `editor.Follower`."""
        self._call.post("acp.follow.follower.clear")

    def stop(self) -> None:
        """See `editor.Follower`."""
        self._call.post("acp.follow.follower.stop")


class NvimSurroundings(Surroundings):
    """What the user may speak of: `lua/acp/prompt/surroundings.lua`."""

    def __init__(self, lua: Callable[..., Awaitable[Any]], tools: ToolAnswers) -> None:
        self._lua = lua
        self._tools = tools

    async def selection(self) -> Selection | None:
        """See `editor.Surroundings`."""
        return _selection(await self._lua("acp.prompt.surroundings.selection"))

    async def viewport(self) -> Selection | None:
        """See `editor.Surroundings`."""
        return _selection(await self._lua("acp.prompt.surroundings.viewport"))

    async def diagnostics(self, *, here: bool = False) -> Sequence[Finding]:
        """See `editor.Surroundings`."""
        found = await self._lua("acp.prompt.surroundings.diagnostics", here)
        return [_finding(it) for it in sorted(found, key=lambda it: (it["line"], it["column"]))]

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
        found = await self._tools.ask("windows.list", {"list": "quickfix"})
        return [Finding(**it) for it in found["entries"]]

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


def _finding(it: Mapping[str, Any]) -> Finding:
    source = f" [{it['source']}]" if it.get("source") else ""
    return Finding(it["path"], it["line"], it["column"], it["severity"], it["message"] + source)


def _text(found: Any) -> NamedText | None:
    if not found:
        return None
    return NamedText(found["name"], tuple(found["lines"]), found["filetype"])
