from __future__ import annotations

from typing import Any

import pytest

from acp_nvim.errors import AskFailed
from acp_nvim.hunks import Hunk
from acp_nvim.nvim.files import NvimFiles
from acp_nvim.ports import BufferOptions, LiveBuffer
from acp_nvim.session.noun import Selection

BUFFER = LiveBuffer(3, 7, ("a",), modified=True)


class Lua:
    """Answers every call with the same value and remembers what was called."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.calls: list[tuple[Any, ...]] = []

    async def __call__(self, *call: Any) -> Any:
        self.calls.append(call)
        return self.answer


async def test_a_buffer_comes_as_a_plain_table() -> None:
    lua = Lua({"number": 3, "changedtick": 7, "lines": ["a"], "modified": True})
    assert await NvimFiles(lua).loaded("/a") == BUFFER
    assert lua.calls == [("acp.buffer.read", "/a")]
    assert await NvimFiles(Lua(None)).loaded("/a") is None


async def test_paths() -> None:
    lua = Lua(["/r/a"])
    assert await NvimFiles(lua).loaded_paths(("/r",)) == ("/r/a",)
    assert lua.calls == [("acp.buffer.paths", ["/r"])]


@pytest.mark.parametrize("verb", ["write", "follow"])
async def test_hunks_go_with_the_tick_that_was_seen(verb: str) -> None:
    lua = Lua({"ok": True})
    change = getattr(NvimFiles(lua), verb)
    assert await change(BUFFER, (Hunk(0, 1, ("b",)),), BufferOptions(bom=True))
    options = {"fileformat": "unix", "fileencoding": "utf-8", "bomb": True, "endofline": True}
    assert lua.calls == [(f"acp.buffer.{verb}", 3, 7, [[0, 1, ["b"]]], options)]
    lua.answer = {"stale": True}
    assert not await change(BUFFER, (), BufferOptions())
    lua.answer = {"error": "E212: no"}
    with pytest.raises(AskFailed, match="cannot save: E212"):
        await change(BUFFER, (), BufferOptions())


async def test_a_selection_is_renewed_unless_its_buffer_is_gone() -> None:
    chosen = Selection(3, 1, "/a", 1, 1, ("a",), "text")
    now = Lua({"first": 2, "last": 3, "lines": ["a", "b"]})
    renewed = await NvimFiles(now).selection(chosen)
    assert renewed == Selection(3, 1, "/a", 2, 3, ("a", "b"), "text")
    assert now.calls == [("acp.buffer.selection", 3, 1)]
    assert await NvimFiles(Lua(None)).selection(chosen) == chosen
