from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from acp_nvim.editor import BufferOptions, Busy, LiveBuffer
from acp_nvim.errors import FileProblem
from acp_nvim.files.encoding import Misfit
from acp_nvim.hunks import Hunk
from acp_nvim.nvim.files import REMEMBERED, NvimFiles
from acp_nvim.session.model import Selection

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
    lua = Lua({"number": 3, "changedtick": 7, "lines": "a", "modified": True})
    assert await NvimFiles(lua).loaded("/a") == BUFFER
    assert lua.calls == [("acp.files.live.read", "/a")]
    assert await NvimFiles(Lua(None)).loaded("/a") is None


async def test_lines_that_are_known_are_not_sent_again() -> None:
    lua = Lua({"number": 3, "changedtick": 7, "lines": "a", "modified": False})
    files = NvimFiles(lua)
    await files.loaded("/a")
    lua.answer = {"number": 3, "changedtick": 7, "modified": True}
    assert await files.loaded("/a") == BUFFER
    assert lua.calls[1] == ("acp.files.live.read", "/a", 3, 7)
    lua.answer = {"number": 3, "changedtick": 9, "lines": "b", "modified": True}
    assert (await files.loaded("/a")) == replace(BUFFER, changedtick=9, lines=("b",))


async def test_lines_are_known_after_an_edit_of_ours() -> None:
    lua = Lua({"number": 3, "changedtick": 7, "lines": "a", "modified": True})
    files = NvimFiles(lua)
    await files.loaded("/a")
    lua.answer = {"ok": True, "tick": 9}
    assert await files.edit(BUFFER, (Hunk(0, 0, ("new",)),), None, settled=True)
    assert lua.calls[-1] == ("acp.files.live.edit", 3, 7, [[0, 0, ["new"]]], None, True, "")
    lua.answer = {"number": 3, "changedtick": 9, "modified": True}
    known = await files.loaded("/a")
    assert lua.calls[-1] == ("acp.files.live.read", "/a", 3, 9)
    assert known == replace(BUFFER, changedtick=9, lines=("new", "a"))


async def test_only_the_buffers_asked_for_last_are_remembered() -> None:
    lua = Lua({"number": 3, "changedtick": 7, "lines": "a", "modified": True})
    files = NvimFiles(lua)
    for number in range(REMEMBERED + 1):
        await files.loaded(f"/{number}")
    await files.loaded("/0")
    await files.loaded("/2")
    assert lua.calls[-2:] == [("acp.files.live.read", "/0"), ("acp.files.live.read", "/2", 3, 7)]


async def test_who_else_holds_a_file() -> None:
    lua = Lua("another Neovim (process 7)")
    assert await NvimFiles(lua).holder("/a") == "another Neovim (process 7)"
    assert lua.calls == [("acp.files.live.holder", "/a")]


@pytest.mark.parametrize("verb", ["write", "follow"])
async def test_hunks_go_with_the_tick_that_was_seen(verb: str, tmp_path: Path) -> None:
    lua = Lua({"ok": True})
    change = getattr(NvimFiles(lua), verb)
    where = (str(tmp_path / "a.txt"),) if verb == "write" else ()
    assert await change(*where, BUFFER, (Hunk(0, 1, ("b",)),), BufferOptions(bom=True))
    options = {
        "fileformat": "unix",
        "fileencoding": "utf-8",
        "bomb": True,
        "endofline": True,
        "endoffile": False,
    }
    rest = ("", True) if verb == "follow" else (False,)
    (name, *given, edits, settings), more = lua.calls[0][:5], lua.calls[0][5:]
    assert (name, given, edits) == (f"acp.files.live.{verb}", [3, 7], [[0, 1, ["b"]]])
    assert (settings, more[-len(rest) :]) == (options, rest)
    lua.answer = {"stale": True}
    assert not await change(*where, BUFFER, (), BufferOptions())
    lua.answer = {"error": "E212: no"}
    with pytest.raises(FileProblem, match="refuses: E212"):
        await change(*where, BUFFER, (), BufferOptions())
    assert not [*tmp_path.iterdir()]


async def test_the_file_that_takes_the_place_of_another_has_all_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a\nlast\n")
    path.chmod(0o640)
    made = []

    class Putting(Lua):
        async def __call__(self, *call: Any) -> Any:
            file, held = Path(call[5]), Path(call[6])
            made.append((file.resolve().parent, file.read_bytes(), file.stat().st_mode))
            assert (file.parent, held.resolve()) == (held.parent, path)
            file.replace(held)
            return await super().__call__(*call)

    buffer = LiveBuffer(3, 7, ("a", "last"), modified=True)
    write = NvimFiles(Putting({"ok": True})).write
    assert await write(str(path), buffer, (Hunk(0, 1, ("b", "c")),), BufferOptions(bom=True))
    assert made == [(tmp_path, b"\xef\xbb\xbfb\nc\nlast\n", path.stat().st_mode)]
    assert [*tmp_path.iterdir()] == [path]


async def test_a_write_that_waits_makes_no_file_at_each_try(tmp_path: Path) -> None:
    """It is made, and its bytes brought to the disk, once the user's hands are off the buffer."""
    path, made = tmp_path / "a", list[int]()
    path.write_text("")

    class Waiting(Lua):
        async def __call__(self, *call: Any) -> Any:
            made.append(len([*tmp_path.iterdir()]) - 1)
            return await super().__call__(*call)

    lua = Waiting({"busy": "visual mode"})
    files = NvimFiles(lua)
    for _ in range(3):
        with pytest.raises(Busy):
            await files.write(str(path), BUFFER, (), BufferOptions())
    lua.answer = {"ok": True, "tick": 9, "synced": "1"}
    for _ in range(2):
        assert await files.write(str(path), BUFFER, (), BufferOptions()) is not None
    assert made == [1, 0, 0, 0, 1, 1]


async def test_a_selection_is_renewed_unless_its_buffer_is_gone() -> None:
    chosen = Selection(3, 1, "/a", 1, 1, ("a",), "text")
    now = Lua({"first": 2, "last": 3, "lines": ["a", "b"]})
    renewed = await NvimFiles(now).selection(chosen)
    assert renewed == Selection(3, 1, "/a", 2, 3, ("a", "b"), "text")
    assert now.calls == [("acp.prompt.attachment.selected", 3, 1)]
    assert await NvimFiles(Lua(None)).selection(chosen) == chosen


class Iconv(Lua):
    """Neovim with a buffer in cp1251, and its conversion."""

    async def __call__(self, *call: Any) -> Any:
        self.calls.append(call)
        name, *arguments = call
        if not name.startswith("acp.files.coding"):
            return self.answer
        encode = name.endswith("encode")
        return [(_exact if encode else _read)(line) for line in arguments[0]]


def _exact(line: str) -> str | bool:
    try:
        return line.encode("cp1251").decode("utf-8", "surrogateescape")
    except UnicodeError:
        return False


def _read(line: str) -> str | bool:
    try:
        return line.encode("utf-8", "surrogateescape").decode("cp1251")
    except UnicodeError:
        return False


async def test_lines_are_in_the_encoding_of_the_buffer_as_neovim_converts_them() -> None:
    answer = {"number": 3, "changedtick": 7, "lines": "ж\né", "modified": True}
    lua = Iconv(answer | {"encoding": "cp1251"})
    files = NvimFiles(lua)
    buffer = await files.loaded("/a")
    assert buffer is not None
    assert buffer.lines == ("\udce6", "\udd00é")
    lua.answer = {"ok": True, "tick": 8}
    assert await files.edit(buffer, (Hunk(0, 1, ("\udcff", "\udd00é")),), None, settled=False)
    assert lua.calls[-1][3] == [[0, 1, ["я", "é"]]]
    calls = len(lua.calls)
    with pytest.raises(Misfit, match="Neovim cannot read its bytes as cp1251"):
        await files.edit(buffer, (Hunk(0, 1, ("\udc98",)),), None, settled=False)
    assert len(lua.calls) == calls + 1


async def test_another_encoding_makes_other_lines_of_the_same_buffer() -> None:
    lua = Iconv({"number": 3, "changedtick": 7, "lines": "ж", "modified": True, "encoding": ""})
    files = NvimFiles(lua)
    before = await files.loaded("/a")
    lua.answer |= {"encoding": "cp1251"}
    after = await files.loaded("/a")
    assert before is not None
    assert after is not None
    assert (before.lines, after.lines) == (("ж",), ("\udce6",))


async def test_latin_1_needs_no_conversion_of_neovims() -> None:
    answer = {"number": 3, "changedtick": 7, "lines": "é\n€", "modified": True}
    lua = Lua(answer | {"encoding": "latin1"})
    files = NvimFiles(lua)
    buffer = await files.loaded("/a")
    assert buffer is not None
    assert buffer.lines == ("\udce9", "\udd00€")
    lua.answer = {"ok": True, "tick": 8}
    assert await files.edit(buffer, (Hunk(0, 1, ("é", "\udd00€")),), None, settled=False)
    assert lua.calls[-1][3] == [[0, 1, ["Ã©", "€"]]]


class LongBuffer:
    """A buffer that is read in portions of two lines; the user types before so many of them."""

    def __init__(self, typed: int = 0) -> None:
        self.tick, self.typed = 1, typed
        self.lines = ["a", "b", "c", "d", "e"]
        self.calls: list[str] = []

    async def __call__(self, name: str, *arguments: Any) -> Any:
        self.calls.append(name.rpartition(".")[2])
        if name == "acp.files.live.lines":
            _, tick, first = arguments
            if self.typed and first:
                self.typed, self.tick = self.typed - 1, self.tick + 1
                self.lines = ["typed", *self.lines]
            portion = "\n".join(self.lines[first : first + 2])
            return portion if tick == self.tick else None
        _, *known = arguments
        found = {"number": 3, "changedtick": self.tick, "modified": True}
        if known == [3, self.tick]:
            return found
        whole = {"lines": "\n".join(self.lines), "empty": False}
        return found | (whole if known[2:] else {"count": len(self.lines)})


@pytest.mark.parametrize("typed", [0, 1, 2, 9])
async def test_a_long_buffer_comes_in_portions_of_one_moment(typed: int) -> None:
    lua = LongBuffer(typed)
    found = await NvimFiles(lua).loaded("/a")
    assert found is not None
    assert (found.changedtick, found.lines) == (lua.tick, tuple(lua.lines))
    assert lua.calls.count("lines") >= 3
    assert lua.calls.count("read") <= 5


async def test_a_buffer_that_is_gone_amid_its_portions_is_none() -> None:
    async def lua(name: str, *arguments: Any) -> Any:
        is_first = name == "acp.files.live.read" and len(arguments) == 1
        return {"number": 3, "changedtick": 1, "count": 9} if is_first else None

    assert await NvimFiles(lua).loaded("/a") is None
