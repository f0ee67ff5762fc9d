"""The windows of chats: `lua/acp/chat/window.lua`, `lua/acp/chat/whole.lua`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from acp_nvim.editor import ChatWindows
from acp_nvim.nvim.call import Call
from acp_nvim.nvim.plain import op
from acp_nvim.view.block import Line
from acp_nvim.view.op import Replace


class NvimChats(ChatWindows):
    """Opens, names and shows them."""

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
        buffer = await self._call.lua("acp.chat.whole.open", name, cwd)
        row = 0
        for lines in portions:
            drawn = op(Replace(row, -1, tuple(lines)))
            if not await self._call.lua("acp.chat.whole.append", buffer, drawn):
                return
            row += len(lines)

    def notes(self, chat: int, notes: Sequence[tuple[str, str, str]]) -> None:
        """See `ChatWindows`."""
        plain = [{"key": key, "label": label, "size": size} for key, label, size in notes]
        self._call.post("acp.prompt.attachment.note", chat, plain)
