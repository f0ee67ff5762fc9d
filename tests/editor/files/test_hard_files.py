"""Review, undo and redo in files whose bytes are easily lost, open and not open, byte for byte."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from acp_nvim.files.encoding import codec, is_binary
from tests.proof.services import Services
from tests.proof.world import World

TEXT = "".join(f"line {number}\n" for number in range(1, 8))
LONG = "x" * 1_000_000


@dataclass(frozen=True, slots=True)
class Hard:
    """A file, and an agent's edit of it: `old` becomes `new`; `encoding` is what both are in."""

    name: str
    data: bytes
    old: str = "line 3"
    new: str = "line three\nand more"
    encoding: str = "utf-8"
    end: str = "\n"
    command: str = ""
    """What the user has done in the buffer."""

    @property
    def changed(self) -> bytes:
        """What the agent makes of it."""
        return self.data.replace(self._bytes(self.old), self._bytes(self.new))

    def _bytes(self, text: str) -> bytes:
        return text.replace("\n", self.end).encode(self.encoding)


def encoded(encoding: str, bom: str = "", text: str = TEXT) -> bytes:
    return (bom + text).encode(encoding)


def in_encoding(name: str, text: str) -> Hard:
    """Return a file that the user has opened in that encoding, or that is in it, and closed."""
    data = (TEXT + text + "\n").encode(codec(name))
    return Hard(f"in-{name}", data, encoding=codec(name), command=f"edit ++enc={name}")


UMLAUTS = TEXT.replace("line", "Größe")
UMLAUT = {"old": "Größe 3", "new": "Größe drei\nüber"}

HARD = (
    Hard("unix", TEXT.encode()),
    Hard("dos", TEXT.replace("\n", "\r\n").encode(), end="\r\n"),
    Hard("mac", TEXT.replace("\n", "\r").encode(), end="\r", command="edit ++ff=mac"),
    Hard("mixed-ends", TEXT.replace("2\n", "2\r\n").encode()),
    Hard("noeol", TEXT.removesuffix("\n").encode()),
    Hard("noeol-last-line", TEXT.removesuffix("\n").encode(), old="line 7", new="seven"),
    Hard("noeol-gains-one", TEXT.removesuffix("\n").encode(), old="line 7", new="seven\n"),
    Hard("loses-its-eol", TEXT.encode(), old="line 7\n", new="seven"),
    Hard("bom", encoded("utf-8", "\ufeff")),
    Hard("bom-first-line", encoded("utf-8", "\ufeff"), old="line 1\n", new="one\n"),
    Hard("latin1", encoded("latin-1", text=UMLAUTS), encoding="latin-1", **UMLAUT),
    Hard("utf-16", encoded("utf-16-le", "\ufeff"), encoding="utf-16-le",
         command="edit ++enc=utf-16le"),
    Hard("not-utf-8", TEXT.encode().replace(b"5", b"\xff\xfe5"),
         command="edit ++enc=utf-8 ++bad=keep"),
    Hard("mixed-bytes", TEXT.encode() + "é\n".encode() + b"caf\xe9 \x81\x85\xff\n\xc3\n"),
    Hard("nel-and-separators", (TEXT + "a\x85b\u2028c\x0cd\x1ce\n").encode()),
    *(in_encoding(*it) for it in (
        ("cp1251", "Привет, Ж"),
        ("koi8-r", "Привет, Ж"),
        ("iso-8859-15", "5 € ÿ"),
        ("sjis", "\\ ~ カタカナ 日本語 ソ表"),
        ("cp932", "\\ ~ カタカナ 日本語 ソ表 ①"),
        ("euc-jp", "\\ ~ カタカナ 日本語"),
        ("euc-kr", "한국어 ￦"),
        ("cp949", "한국어 똠방각하"),
        ("big5", "許功蓋 中文"),
        ("cp950", "許功蓋 中文"),
        ("euc-cn", "中文 简体"),
        ("gb18030", "中文 简体 € 😀"),
        ("macintosh", "Größe – œ"),
        ("iso-2022-jp", "日本語 abc"),
        ("cp437", "Größe ▒"),
        ("utf-16le", "Größe 😀"),
        ("utf-16", "Größe"),
        ("ucs-4le", "Größe 😀"),
    )),
    Hard("dos-ctrl-z", TEXT.replace("\n", "\r\n").encode() + b"\x1a", end="\r\n"),
    Hard("dos-noeol-ctrl-z", TEXT.replace("\n", "\r\n").encode() + b"8\x1a", end="\r\n"),
    Hard("unix-ctrl-z", TEXT.encode() + b"\x1a"),
    Hard("dos-but-for-one", TEXT.replace("\n", "\r\n").replace("6\r\n", "6\n").encode(), new="3",
         command="edit ++ff=dos"),
    Hard("bom-and-bad", b"\xef\xbb\xbf" + TEXT.encode() + b"\xe9\n"),
    Hard("nul", TEXT.encode() + b"x" * 9000 + b"\0\n"),
    Hard("binary-bytes", TEXT.encode() + b"\xe9\xff\r\n\x1a", command="edit ++bin"),
    Hard("binary", TEXT.replace("4\n", "4\r\n").encode(), command="edit ++bin"),
    Hard("becomes-empty", b"one\n", old="one\n", new=""),
    Hard("empty-becomes-a-line", b"", old="", new="\n"),
    Hard("line-becomes-empty", b"\n", old="\n", new=""),
    Hard("one-line-end", b"\n", old="\n", new="one\n\n"),
    Hard("long-line", f"{LONG}\nline 3\n{LONG}\n".encode()),
    Hard("many-lines", "".join(f"line {it};\n" for it in range(100_000)).encode(),
         old="line 77777;", new="here"),
)  # fmt: skip
WAYS = ("client", "tool")


@dataclass
class Desk:
    """One world and its services; `turn` begins the agent's next turn."""

    world: World
    services: Services = field(init=False)

    def fresh(self) -> None:
        self.world.begin()
        self.services = Services(self.world)

    def path(self, hard: Hard) -> Path:
        return Path(self.world.path(hard.name))

    def open(self, hard: Hard) -> None:
        self.world.hand("open", str(self.path(hard)))
        if hard.command:
            self.world.nvim.command(hard.command)

    async def agent(self, hard: Hard, way: str) -> None:
        """Let the agent make its edit, in a turn of its own."""
        await self.services.begin_turn(0)
        if way == "client":
            text = await self.services.read(0, hard.name)
            end = hard.end if hard.end in text else "\n"
            old, new = (it.replace("\n", end) for it in (hard.old, hard.new))
            assert old in text
            await self.services.write(0, hard.name, text.replace(old, new))
        else:
            self.path(hard).write_bytes(hard.changed)
            self.world.stamp(self.path(hard))
            await self.services.look(0, hard.name)

    def is_at(self, hard: Hard, data: bytes) -> bool:
        """Return whether the disk holds these bytes, and the buffer, if any, just the same."""
        if self.path(hard).read_bytes() != data:
            return False
        rows = [row for row in self.world.hand("look") if row["path"] == str(self.path(hard))]
        # a mark of the only line goes with it when the file becomes empty
        if any(row["modified"] or (row["wrong"] and hard.new) for row in rows):
            return False
        if rows:
            self.world.nvim.command(f"buffer {hard.name} | noautocmd write!")
        return self.path(hard).read_bytes() == data


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    made = World()
    yield made
    made.close()


@pytest.fixture
def desk(world: World) -> Desk:
    made = Desk(world)
    made.fresh()
    return made


def started(desk: Desk, hard: Hard, *, is_open: bool) -> None:
    desk.path(hard).write_bytes(hard.data)
    desk.world.stamp(desk.path(hard))
    if is_open:
        desk.open(hard)


OPEN_OR_NOT = [
    pytest.param(hard, is_open, id=f"{hard.name}-{'open' if is_open else 'not-open'}")
    for hard in HARD
    for is_open in (True, False)
    if is_open or not is_binary(hard.data)  # who has not opened that has no text there
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("hard", "is_open"), OPEN_OR_NOT)
def test_what_an_agent_did_can_be_rejected_undone_and_returned_to_the_byte(
    desk: Desk, hard: Hard, way: str, is_open: bool
) -> None:
    started(desk, hard, is_open=is_open)

    async def round_trip() -> None:
        review, path = desk.services.review, str(desk.path(hard))
        await desk.services.begin_turn(1)
        await desk.agent(hard, way)
        assert desk.is_at(hard, hard.changed), desk.path(hard).read_bytes()[:200]
        assert desk.services.changes(hard.name)
        assert await review.reject(path)
        assert desk.is_at(hard, hard.data), desk.path(hard).read_bytes()[:200]
        await desk.agent(hard, way)
        turn = desk.services.turns()[-1]
        assert (await review.undo(turn)).paths == (path,)
        assert desk.is_at(hard, hard.data), desk.path(hard).read_bytes()[:200]
        redone = await desk.services.redo("s0")
        assert redone is not None and redone.paths == (path,)
        assert desk.is_at(hard, hard.changed), desk.path(hard).read_bytes()[:200]

    asyncio.run(round_trip())
