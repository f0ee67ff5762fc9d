"""Agents' edits of files of every kind, by the disk and through us: no byte changes but theirs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from acp_nvim.files.encoding import codec, exact_text
from acp_nvim.nvim.files import NvimFiles
from acp_nvim.session.request import ReadFileRequest, WriteFileRequest
from tests.support.files.file_rig import FileRig
from tests.support.nvim import Neovim

CALL = "local module, name = ...; return require(module)[name](select(3, ...))"


@dataclass(frozen=True)
class Kind:
    """How lines become the bytes of a file, and how Neovim opens it."""

    encode: Callable[[list[str]], bytes]
    edit: str = "edit"
    odd: str = "odd é"
    """A line that only this encoding has so."""
    typed: str = "mine"
    """What the user types so that it becomes "mine" on disk."""


def text(end: str = "\n", codec: str = "utf-8", mark: bytes = b"", *, ended: bool = True) -> Any:
    def encode(lines: list[str]) -> bytes:
        joined = end.join(lines) + (end if ended else "")
        return mark + joined.encode(codec, "surrogateescape")

    return encode


KINDS = {
    "utf-8": Kind(text()),
    "dos": Kind(text("\r\n")),
    "mac": Kind(text("\r"), "edit ++ff=mac"),
    "noeol": Kind(text(ended=False)),
    "dos-noeol": Kind(text("\r\n", ended=False)),
    "bom": Kind(text(mark=b"\xef\xbb\xbf")),
    "latin-1": Kind(text(codec="latin-1")),
    "utf-16": Kind(text(codec="utf-16-le", mark=b"\xff\xfe")),
    "binary": Kind(text("\r\n"), "edit ++bin", typed="mine\r"),
    "bad bytes": Kind(text(), "edit ++enc=utf-8 ++bad=keep", "odd \udcff\udce9"),
    **{
        name: Kind(text(codec=codec(name)), f"edit ++enc={name}", odd)
        for name, odd in {
            "cp1251": "odd Жя",
            "koi8-r": "odd Жя",
            "sjis": "odd ソ表\\~",
            "cp932": "odd ソ表\\~①",
            "euc-jp": "odd 日本\\~",
            "euc-kr": "odd 한국",
            "cp949": "odd 똠방각하",
            "big5": "odd 許功",
            "cp950": "odd 許功",
            "gb18030": "odd 中😀€",
            "macintosh": "odd é–",
            "iso-2022-jp": "odd 日本 x",
            "iso-8859-15": "odd 5 €",
            "utf-16le": "odd é😀",
            "ucs-4": "odd é😀",
        }.items()
    },
    "^Z": Kind(lambda lines: text("\r\n")(lines) + b"\x1a"),
    "^Z at once": Kind(lambda lines: text("\r\n", ended=False)(lines) + b"\x1a"),
    "long line": Kind(text(), odd="x" * 1_000_000),
}


class Desk:
    """A real Neovim, the real services, and one file of that kind."""

    def __init__(self, nvim: Neovim, kind: Kind) -> None:
        self.nvim = nvim
        self.kind = kind
        self.path = nvim.cwd.resolve() / "a.txt"
        self.files = NvimFiles(self._lua)
        self.rig = FileRig(self.path.parent, nvim.cwd.parent / "kept", self.files)
        self.service, self.roots = self.rig.service, self.rig.roots

    async def _lua(self, function: str, *arguments: Any) -> Any:
        module, _, name = function.rpartition(".")
        return self.nvim.lua(CALL, module, name, *arguments)

    def lines(self, first: str = "first", last: str = "last") -> list[str]:
        return [first, "", self.kind.odd, "", last]

    def put(self, *lines: str) -> None:
        self.path.write_bytes(self.kind.encode(self.lines(*lines)))

    async def open(self) -> None:
        self.put()
        self.nvim.command(f"set fileencodings=ucs-bom,utf-8,latin1 | {self.kind.edit} {self.path}")
        self.nvim.command("set noreadonly nofixendofline")
        await self.rig.begin()

    def type(self) -> None:
        self.nvim.api.nvim_buf_set_lines(0, 0, 1, True, [self.kind.typed])

    async def settle(self) -> None:
        await self.rig.look(self.path)

    async def remembered(self) -> bool:
        """Say whether what is remembered of the buffer's lines is what it holds."""
        path = str(self.path)
        return await self.files.loaded(path) == await NvimFiles(self._lua).loaded(path)

    def exact(self, lines: list[str]) -> str:
        """Return the live text of these lines, as it is to be recorded."""
        encoding = self.nvim.eval("&fileencoding")
        return exact_text(self.kind.encode(lines), encoding)


@pytest.fixture(params=KINDS)
def desk(request: pytest.FixtureRequest, nvim: Neovim) -> Desk:
    return Desk(nvim, KINDS[request.param])


def on_disk(path: Path) -> bytes:
    return path.read_bytes()


async def test_a_change_of_the_disk_is_followed_and_recorded_exactly(desk: Desk) -> None:
    await desk.open()
    desk.put("first", "theirs")
    await desk.settle()
    assert await desk.remembered()
    desk.nvim.command("checktime | silent write!")
    assert on_disk(desk.path) == desk.kind.encode(desk.lines("first", "theirs"))
    assert [delta[1:3] for delta in desk.rig.deltas] == [
        (desk.exact(desk.lines()), desk.exact(desk.lines("first", "theirs")))
    ]


async def test_a_change_of_the_disk_and_unsaved_edits_are_both_kept(desk: Desk) -> None:
    await desk.open()
    desk.type()
    desk.put("first", "theirs")
    await desk.settle()
    assert await desk.remembered()
    assert desk.nvim.eval("&modified") == 1
    desk.nvim.command("checktime | silent write")
    assert on_disk(desk.path) == desk.kind.encode(desk.lines("mine", "theirs"))
    assert [delta[1:3] for delta in desk.rig.deltas] == [
        (desk.exact(desk.lines("mine")), desk.exact(desk.lines("mine", "theirs")))
    ]
    assert desk.rig.conflicts == []


async def test_a_write_through_us_and_unsaved_edits_are_both_kept(desk: Desk) -> None:
    await desk.open()
    read = await desk.service.read(ReadFileRequest("s", str(desk.path)), desk.roots)
    desk.type()
    content = read.content.replace("last", "theirs")
    await desk.service.write(WriteFileRequest("s", str(desk.path), content), desk.roots)
    assert on_disk(desk.path) == desk.kind.encode(desk.lines("mine", "theirs"))
    assert desk.nvim.eval("&modified") == 0
    assert await desk.remembered()
    assert [delta[1:3] for delta in desk.rig.deltas] == [
        (desk.exact(desk.lines("mine")), desk.exact(desk.lines("mine", "theirs")))
    ]
