"""Bytes that are no UTF-8: what an agent did not change stays, and what it did comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from acp_nvim.errors import AcpError, RequestFailed, UserError
from acp_nvim.files.encoding import codec
from tests.proof.services import Services
from tests.proof.world import World

NAME = "odd.txt"


class Desk:
    """One world, its services and one file."""

    def __init__(self, world: World) -> None:
        self.world = world
        world.begin()
        self.services = Services(world)
        self.log = self.services.log
        self.path = Path(world.path(NAME))

    def put(self, data: bytes) -> None:
        """Let any program write the file."""
        self.path.write_bytes(data)
        self.world.stamp(self.path)

    def open(self, encoding: str, more: str = "") -> None:
        """Let the user open it in that encoding."""
        self.world.nvim.command(f"silent! edit ++enc={encoding} {more} {self.path} | set nofixeol")

    @property
    def shown(self) -> tuple[list[str], str, bool]:
        """Lines, encoding and whether it is modified."""
        nvim = self.world.nvim
        return nvim.api.nvim_buf_get_lines(0, 0, -1, True), nvim.eval("&fenc"), nvim.eval("&mod")

    @property
    def data(self) -> bytes:
        """What is on disk."""
        return self.path.read_bytes()

    def told(self) -> list[str]:
        """What the user was told, until now."""
        told = [*self.log.notifier.notices]
        self.log.notifier.notices.clear()
        return told

    async def tool(self, data: bytes, session: int = 0) -> None:
        """Let an agent's own tool write it, in a turn of its own."""
        await self.services.begin_turn(session)
        self.put(data)
        await self.log.look(self.path, self.services.author(f"s{session}"))

    async def client(self, old: str, new: str) -> str:
        """Let an agent write through us; return why it could not."""
        await self.services.begin_turn(0)
        text = await self.services.read(0, NAME)
        assert old in text
        try:
            await self.services.write(0, NAME, text.replace(old, new, 1))
        except RequestFailed as problem:
            return str(problem)
        return ""

    async def undo(self) -> None:
        """Take back the last turn."""
        done = await self.services.review.undo(self.services.turns()[-1])
        assert not done.failed and not done.left, done

    async def comes_back(self, before: bytes, after: bytes, *, closing: bool = False) -> None:
        """Undo, redo and reject; `closing`: without the buffer where it cannot hold that."""
        assert self.data == after
        done = await self.services.review.undo(self.services.turns()[-1])
        if closing and done.failed:
            assert "without its buffer it could be done" in done.failed[0]
            assert self.data == after
            self.world.nvim.command(f"bwipeout {self.path}")
            await self.undo()
        assert self.data == before
        await self.services.redo("s0")
        assert self.data == after
        await self.services.review.reject(str(self.path))
        assert self.data == before


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    made = World()
    yield made
    made.close()


@pytest.fixture
def desk(world: World) -> Desk:
    return Desk(world)


@pytest.mark.parametrize(
    ("encoding", "line"), [("cp1251", "жук"), ("koi8-r", "жук"), ("cp932", "ソ"), ("big5", "功")]
)
async def test_what_was_read_before_the_user_opened_it_in_its_encoding_is_read_again(
    desk: Desk, encoding: str, line: str
) -> None:
    before = f"{line}\ntwo\n".encode(codec(encoding))
    desk.put(before)
    await desk.services.begin_turn(0)
    old = await desk.services.read(0, NAME)
    desk.put(b"tool\n" + before)
    desk.open(encoding)
    desk.world.nvim.command("call append(1, 'typed')")
    with pytest.raises(RequestFailed, match="read it again"):
        await desk.services.write(0, NAME, f"tool\n{old}")
    assert desk.shown == (["tool", "typed", line, "two"], encoding, True)
    assert not desk.log.edits.conflict(str(desk.path))
    assert not await desk.client("two", "TWO")
    await desk.undo()
    desk.world.nvim.command("noautocmd write!")
    assert desk.data in (b"typed\n" + before, b"tool\ntyped\n" + before)


@pytest.mark.parametrize(
    ("encoding", "line"), [("cp1251", "жук"), ("koi8-r", "жук"), ("cp932", "ソ"), ("big5", "功")]
)
async def test_what_was_written_before_the_user_opened_it_in_its_encoding_is_no_ones_base(
    desk: Desk, encoding: str, line: str
) -> None:
    """The agent knows the lines by another reading, which are not those of any buffer."""
    before = f"zwei\n{line}\n{line}\n".encode(codec(encoding))
    desk.put(before)
    assert not await desk.client("zwei", "two")
    one, two, three = before.replace(b"zwei", b"two").splitlines(keepends=True)
    desk.put(one + two + b"tool\n" + three)
    desk.open(encoding)
    await desk.services.look(0, NAME)
    assert desk.shown == (["two", line, "tool", line], encoding, False)
    await desk.undo()
    assert desk.data == before
    assert desk.shown == (["zwei", line, line], encoding, False)


@pytest.mark.parametrize("encoding", ["", "latin1", "utf-8", "cp1251"])
async def test_what_a_tool_has_encoded_anew_is_seen_and_comes_back(
    desk: Desk, encoding: str
) -> None:
    before, after = b"one\ncaf\xe9\nthree\n", b"one\ncaf\xc3\xa9\nthree\n"
    desk.put(before)
    if encoding:
        desk.open(encoding, "++bad=keep")
        desk.world.nvim.command("set noreadonly")
    await desk.tool(after)
    assert len(desk.services.changes(NAME)) == 1
    await desk.comes_back(before, after)
    if encoding:
        desk.world.nvim.command("noautocmd write!")
        assert desk.data == before
    # an agent that knows nothing of what was rejected
    await desk.tool(before + b"more\n", session=1)
    await desk.tool(after + b"MORE\n", session=1)
    await desk.undo()
    assert desk.data == before + b"more\n"
    await desk.undo()
    assert desk.data == before


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("é\nb\n".encode("utf-16"), "é\nb\n".encode()),
        ("é\nb\n".encode("utf-8-sig"), "é\nb\n".encode()),
        ("é\nb\n".encode("utf-16"), "\ufeffé\nb\n".encode("utf-16-be")),
        ("é\nb\n".encode("utf-16"), "é\nB\n".encode("utf-32")),
        ("жю\nb\n".encode("cp1251"), "жю\nb\n".encode("koi8-r")),
        (b"a\r\nb\nc\r\n\x1a", b"a\nb\nc\n"),
    ],
)
async def test_any_file_that_is_in_no_buffer_comes_back(
    desk: Desk, before: bytes, after: bytes
) -> None:
    desk.put(before)
    await desk.tool(after)
    await desk.comes_back(before, after)


@pytest.mark.parametrize(
    ("encoding", "data", "new", "held"),
    [
        ("latin1", b"caf\xe9\nline\n", "é\u00ff", b"\xe9\xff"),
        ("cp1251", "Привет\nline\n".encode("cp1251"), "Пока", "Пока".encode("cp1251")),
        ("sjis", "ソ\\~\nline\n".encode("sjis"), "表", b"\x95\x5c"),
        ("cp932", "①\\~\nline\n".encode("cp932"), "②", "②".encode("cp932")),
        ("euc-kr", "한국\nline\n".encode("euc-kr"), "국", "국".encode("euc-kr")),
        ("cp950", "許功\nline\n".encode("cp950"), "蓋", "蓋".encode("cp950")),
        ("gb18030", "中€\nline\n".encode("gb18030"), "😀", "😀".encode("gb18030")),
        ("macintosh", "é–\nline\n".encode("mac_roman"), "œ", "œ".encode("mac_roman")),
        ("iso-2022-jp", "日本\nline\n".encode("iso2022_jp"), "本", "本".encode("iso2022_jp")),
        ("utf-16le", "\ufeffé\nline\n".encode("utf-16-le"), "😀", "😀".encode("utf-16-le")),
    ],
)
async def test_new_lines_are_in_the_encoding_of_the_buffer(
    desk: Desk, encoding: str, data: bytes, new: str, held: bytes
) -> None:
    desk.put(data)
    desk.open(encoding)
    lines = desk.shown[0]
    assert not await desk.client("line", new)
    assert desk.shown == ([lines[0], new], encoding, 0)
    line = "line".encode(codec(encoding))
    after = data.replace(line, held)
    await desk.comes_back(data, after)
    await desk.tool(after, session=1)
    assert desk.shown == ([lines[0], new], encoding, 0)
    desk.world.nvim.command("undo | noautocmd write")
    assert desk.data == data


@pytest.mark.parametrize(
    ("encoding", "data", "new"),
    [
        ("", b"caf\xe9\nline\n", "5 €"),
        ("latin1", b"caf\xe9\nline\n", "5 €"),
        ("cp1251", "Привет\nline\n".encode("cp1251"), "é"),
        ("sjis", "ソ\nline\n".encode("sjis"), "한"),
        ("ucs-2le", "ソ\nline\n".encode("utf-16-le"), "😀"),
    ],
)
async def test_what_does_not_fit_is_refused(
    desk: Desk, encoding: str, data: bytes, new: str
) -> None:
    desk.put(data)
    if encoding:
        desk.open(encoding)
    before = desk.shown
    problem = await desk.client("line", new)
    assert f"cannot hold {new[-1]!r} (line 2)" in problem
    assert desk.log.refused or desk.services
    assert (desk.data, desk.shown) == (data, before)
    assert not await desk.client("line", "plain")


@pytest.mark.parametrize("encoding", ["latin1", "cp1251", "cp949", "utf-8", "utf-16le"])
async def test_the_review_is_the_same_in_a_buffer_and_without_one(
    desk: Desk, encoding: str
) -> None:
    before, after = (
        f"\ufeffone\ncaf\xe9\n{word}\nend\n".encode("utf-16-le")
        if encoding == "utf-16le"
        else b"one\ncaf\xc0\xe9\n" + word.encode() + b"\nend\n"
        for word in ("three", "THREE")
    )
    desk.put(before)
    await desk.tool(after)
    hunks = desk.services.changes(NAME)
    desk.open(encoding, "++bad=keep")
    await desk.services.begin_turn(1)
    await desk.services.review.look(str(desk.path))
    assert desk.services.changes(NAME) == hunks
    desk.world.nvim.command("set noreadonly")
    await desk.services.review.reject(str(desk.path))
    assert desk.data == before
    await desk.tool(after)
    desk.world.nvim.command(f"bwipeout {desk.path}")
    await desk.services.review.look(str(desk.path))
    await desk.comes_back(before, after)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("cp1251", "utf-8"),
        ("koi8-r", "cp1251"),
        ("utf-8", "koi8-r"),
        ("utf-16le", "utf-8"),
        ("cp1251", "utf-16le"),
        ("cp932", "utf-8"),
    ],
)
@pytest.mark.parametrize("how", ["saved", "unsaved", "gone on"])
@pytest.mark.parametrize("by", ["undo", "reject"])
async def test_what_comes_back_is_in_what_the_user_has_converted_the_file_to(
    desk: Desk, old: str, new: str, how: str, by: str
) -> None:
    text = "жук\nдва\nтри\nend\n" if "utf-16le" not in (old, new) else "a\nдва\nend\n"
    desk.put(text.encode(codec(old)))
    desk.open(old)
    await desk.tool(text.replace("два", "vier").encode(codec(old)))
    desk.world.nvim.command(f"set fileencoding={new}")
    if how != "unsaved":
        desk.world.nvim.command("silent write")
    if how == "gone on":
        assert not await desk.client("end", "theirs")
    if by == "undo":
        while desk.services.turns():
            await desk.undo()
    else:
        await desk.services.review.reject(str(desk.path))
    assert desk.shown[:2] == (text.splitlines(), new)
    desk.world.nvim.command("silent write!")
    assert desk.data == text.encode(codec(new))


async def test_what_a_tool_has_encoded_anew_is_taken_back_by_u(desk: Desk) -> None:
    desk.put(b"caf\xe9\n")
    desk.open("latin1")
    await desk.tool(b"caf\xc3\xa9\n")
    desk.world.nvim.command("undo | noautocmd write")
    assert desk.data == b"caf\xe9\n"
    await desk.services.begin_turn(0)
    await desk.services.review.look(str(desk.path))
    assert not desk.services.changes(NAME)


LOSSY = [
    ("cp932", b"ok\nNEC " + b"\x87\x90\nline\n", ""),
    ("cp932", b"ok\n\x81\n\xff\nline\n", ""),
    ("cp932", b"ok\n\x81\n\xff\nline\n", "++bad=keep"),
    ("macroman", "é\nline\n".encode("mac_roman"), ""),
    ("utf-7", b"+AAo-\n+-a\nline\n", ""),
    ("cp037", "é\nline\n".encode("cp037"), ""),
    ("utf-16le", "\ud800\nline\n".encode("utf-16-le", "surrogatepass"), ""),
    ("utf-16le", b"a\0\n\0b", ""),
    ("euc-kr", "똠\nline\n".encode("cp949"), ""),
    ("big5", b"\xa1\x5a\xa1\xc3\n\xa2\xcc\nline\n", ""),
    ("sjis", b"\\~\x81\x60\nline\n", ""),
    ("utf-8", b"\xff\xfe\nline\n", ""),
    ("utf-8", b"a\r\nb\nline\n", "++ff=dos"),
    ("utf-8", b"a\r\nb\r\n\x1a\x1a", "++ff=dos"),
    ("utf-8", b"\xef\xbb\xbf", ""),
]


@pytest.mark.parametrize(("encoding", "data", "more"), LOSSY)
async def test_a_turn_that_changes_nothing_changes_nothing(
    desk: Desk, encoding: str, data: bytes, more: str
) -> None:
    desk.put(data)
    desk.open(encoding, more)
    before = desk.shown
    await desk.tool(data)
    await desk.services.sweep(0)
    desk.world.nvim.command("checktime")
    await desk.services.sweep(0)
    assert (desk.shown, desk.data) == (before, data)
    assert not desk.services.changes(NAME)


@pytest.mark.parametrize(("encoding", "data", "more"), LOSSY)
async def test_what_the_user_has_undone_was_nothing(
    desk: Desk, encoding: str, data: bytes, more: str
) -> None:
    desk.put(data)
    desk.open(encoding, more)
    desk.world.nvim.command("set noreadonly")
    before = desk.shown
    await desk.tool(data)
    desk.world.nvim.command("normal! Goa line")
    await desk.services.sweep(0)
    desk.world.nvim.command("silent undo")
    await desk.services.sweep(0)
    await desk.tool(data)
    assert (desk.shown, desk.data) == (before, data)
    assert not desk.services.changes(NAME)


@pytest.mark.parametrize(("encoding", "data", "more"), [it for it in LOSSY if b"line" in it[1]])
async def test_what_neovim_cannot_read_is_left_to_it_and_said_once(
    desk: Desk, encoding: str, data: bytes, more: str
) -> None:
    desk.put(data)
    desk.open(encoding, more)
    desk.world.nvim.command("set noreadonly")
    before = desk.shown
    after = data.replace(b"line", b"LINE")
    await desk.tool(after)
    told = desk.told()
    await desk.services.sweep(0)
    assert not desk.told()
    assert desk.data == after
    if told:
        assert "has changed, its buffer stays: " in told[0]
        assert (len(told), desk.shown) == (1, before)
        problem = ""
        try:
            problem = await desk.client("LINE", "theirs")
        except RequestFailed as error:
            problem = str(error)
        assert problem
        assert (desk.shown, desk.data) == (before, after)
    else:
        await desk.comes_back(data, after)


async def test_what_neovim_cannot_read_is_not_written_over_by_who_has_read_it(desk: Desk) -> None:
    before, after = b"\xa3\xe1\r\n\\\r\nd\r\n", b"\xef\xbb\xbf\xa3\xe1\r\n\\\r\nd\r\n"
    desk.put(before)
    desk.open("cp950")
    shown = desk.shown
    await desk.tool(after)
    assert "cannot read" in await desk.client("d", "theirs")
    assert (desk.data, desk.shown) == (after, shown)
    desk.world.nvim.command(f"bwipeout {desk.path}")
    await desk.services.look(0, NAME)
    await desk.comes_back(before, after)


@pytest.mark.parametrize(
    ("encoding", "odd", "more"),
    [
        ("cp932", b"NEC \x87\x90", ""),
        ("big5", b"\xa2\xcc", ""),
        ("utf-7", b"+AAo-", ""),
        ("cp1258", b"A\xcc", ""),
        ("cp1252", b"\x81", ""),
        ("utf-8", b"caf\xe9", ""),
        ("utf-8", b"caf\xe9", "++bad=drop"),
    ],
)
async def test_an_agent_does_not_save_what_neovim_has_read_otherwise_with_the_users_edits(
    desk: Desk, encoding: str, odd: bytes, more: str
) -> None:
    before = b"one\n" + odd + b"\nline\nend\n"
    desk.put(before)
    desk.open(encoding, more)
    desk.world.nvim.command("set noreadonly | call append(0, 'typed')")
    shown = desk.shown
    told = await desk.client("line", "theirs")
    assert "so that they come back" in told or "may have read otherwise" in told
    assert (desk.data, desk.shown) == (before, shown)


@pytest.mark.parametrize("ended", [True, False])
async def test_a_last_line_end_comes_and_goes_in_a_binary_buffer(desk: Desk, ended: bool) -> None:
    bare, whole = b"caf\xe9\r\nlast\r", b"caf\xe9\r\nlast\r\n"
    before, after = (whole, bare) if ended else (bare, whole)
    desk.put(before)
    await desk.tool(after)
    desk.world.nvim.command(f"edit ++bin {desk.path}")
    await desk.comes_back(before, after)
    desk.put(bare)
    desk.world.nvim.command(f"edit! ++bin {desk.path}")
    await desk.services.begin_turn(0)
    await desk.services.write(0, NAME, await desk.services.read(0, NAME) + "\n")
    assert desk.data == whole


async def test_a_line_feed_in_a_file_of_old_macs_is_no_line_end(desk: Desk) -> None:
    desk.put(b"one\rtwo\nand\rline\rend\r")
    desk.open("utf-8", "++ff=mac")
    desk.world.nvim.command("call append(3, 'typed')")
    await desk.services.begin_turn(0)
    desk.put(b"ONE\rtwo\nand\rline\rend\r")
    await desk.log.look(desk.path, desk.services.author("s0"))
    desk.world.nvim.command("noautocmd silent write!")
    assert desk.data in (
        b"ONE\rtwo\nand\rline\rtyped\rend\r",
        b"one\rtwo\nand\rline\rtyped\rend\r",
    )


async def test_what_neovim_would_write_otherwise_than_it_is_read_is_written_as_it_is_read(
    desk: Desk,
) -> None:
    lines = ["한국 abc" * 1000] * 8
    before = ("\r\n".join(lines) + "\r\n").encode("iso2022_kr")
    desk.put(before)
    desk.open("iso-2022-kr")
    text = await desk.services.read(0, NAME)
    await desk.services.begin_turn(0)
    lines = text.split("\n")
    lines[4] = "theirs\r"
    await desk.services.write(0, NAME, "\n".join(lines))
    parts = before.split(b"\r\n")
    parts[4] = b"theirs"
    assert desk.data == b"\r\n".join(parts)
    await desk.comes_back(before, desk.data, closing=True)


async def test_a_buffer_that_was_emptied_stands_for_the_bytes_that_it_was_read_from(
    desk: Desk,
) -> None:
    before = b"a\x1b$)C\x0e)+\x0f\x1b$)C\x0e\\b\x0f\r"
    desk.put(before)
    desk.open("iso-2022-kr", "++ff=mac")
    await desk.services.begin_turn(0)
    await desk.services.read(0, NAME)
    await desk.services.write(0, NAME, "")
    assert desk.data == b""
    await desk.comes_back(before, b"", closing=True)


async def test_ucs_2_has_no_character_of_two_halves(desk: Desk) -> None:
    before, after = ("é 😀\nb\nend".encode("utf-16") + it for it in (b"", b"\n\0"))
    desk.put(before)
    await desk.tool(after)
    desk.open("ucs-2le", "++ff=unix")
    shown = desk.shown
    done = await desk.services.review.undo(desk.services.turns()[-1])
    assert "so that they come back" in done.failed[0]
    assert await desk.client("end", "theirs")
    assert (desk.data, desk.shown) == (after, shown)
    desk.world.nvim.command(f"bwipeout {desk.path}")
    await desk.comes_back(before, after)


@pytest.mark.parametrize(
    ("encoding", "mark"), [("utf-8", b"\xef\xbb\xbf"), ("utf-16le", b"\xff\xfe")]
)
@pytest.mark.parametrize("other", ["", "a\n"])
@pytest.mark.parametrize("comes", [True, False])
async def test_a_file_of_a_mark_alone_comes_and_goes(
    desk: Desk, encoding: str, mark: bytes, other: str, *, comes: bool
) -> None:
    both = other.encode(codec(encoding)), mark
    before, after = both if comes else both[::-1]
    desk.put(before)
    desk.open(encoding)
    await desk.tool(after)
    desk.world.nvim.command("silent noautocmd write!")
    assert desk.data == after
    await desk.comes_back(before, after)
    desk.world.nvim.command("silent noautocmd write!")
    assert desk.data == before


async def test_nothing_is_written_or_undone_where_neovim_could_not_read_what_came(
    desk: Desk,
) -> None:
    """Though no line that it has read otherwise would be left."""
    before, first = b"NEC \x87\x90\nline\n", b"NEC \x87\x90\nLINE\n"
    desk.put(before)
    await desk.tool(first)
    desk.open("cp932")
    shown = desk.shown
    last = b"NEC \x87\x90\nlast\n"
    await desk.tool(last)
    assert "its buffer stays" in desk.told()[0]
    await desk.services.begin_turn(0)
    await desk.services.read(0, NAME)
    with pytest.raises(RequestFailed, match="stays as it is"):
        await desk.services.write(0, NAME, "theirs\n")
    done = await desk.services.review.undo(desk.services.turns()[-1])
    assert "without its buffer it could be done" in done.failed[0]
    with pytest.raises(UserError, match="without its buffer"):
        await desk.services.review.reject(str(desk.path))
    assert (desk.data, desk.shown) == (last, shown)
    desk.world.nvim.command(f"bwipeout {desk.path}")
    await desk.services.look(0, NAME)
    await desk.undo()
    assert desk.data == first
    await desk.undo()
    assert desk.data == before


@pytest.mark.parametrize(
    ("encoding", "data"), [("latin1", b"caf\xe9\rline\r"), ("utf-7", b"+AOk-\ra+AA0-b\rline\r")]
)
async def test_a_file_of_old_macs_is_read_with_what_its_encoding_cannot_hold(
    desk: Desk, encoding: str, data: bytes
) -> None:
    desk.put(data)
    desk.open(encoding, "++ff=mac")
    desk.world.nvim.command("call append(1, '5 € \U0001f600')")
    text = await desk.services.read(0, NAME)
    assert text.startswith("café\r5 € \U0001f600\r" if encoding == "latin1" else "é\r5 €")
    desk.world.nvim.command("silent undo")
    if not await desk.client("line", "theirs"):
        await desk.comes_back(data, data.replace(b"line", b"theirs"))
    assert desk.data == data


async def test_bytes_that_are_none_of_a_wide_encoding_are_no_older_text(desk: Desk) -> None:
    """As the agent has read them they are lines of no buffer."""
    before = b"\x00\r\x00\n \xfd\xd0\x00f\x00\r\x00\n"
    desk.put(before)
    desk.open("utf-16")
    await desk.services.begin_turn(0)
    await desk.services.read(0, NAME)
    desk.world.nvim.command(f"silent edit! ++enc=utf-16 {desk.path} | set noreadonly")
    shown = desk.shown
    await desk.tool(before[:-2])
    assert "its buffer stays" in desk.told()[0]
    assert (desk.data, desk.shown) == (before[:-2], shown)


async def test_what_the_user_typed_and_the_encoding_cannot_hold_is_not_lost(desk: Desk) -> None:
    desk.put(b"caf\xe9\nb\nline\n")
    desk.open("latin1")
    desk.world.nvim.command("normal! ggocost: 5 €")
    await desk.services.begin_turn(0)
    desk.put(b"caf\xe9\nb\nLINE\n")
    await desk.log.look(desk.path, desk.services.author("s0"))
    assert desk.shown[0] == ["café", "cost: 5 €", "b", "LINE"]
    assert "cannot hold" in await desk.client("LINE", "theirs")
    assert desk.data == b"caf\xe9\nb\nLINE\n"
    assert desk.shown[0] == ["café", "cost: 5 €", "b", "LINE"]
    await desk.services.review.reject(str(desk.path))
    assert desk.shown[0] == ["café", "cost: 5 €", "b", "line"]


PIECES = st.sampled_from(
    [b"a", b"b", b"\\", b"~", b"\r", b"\x1a", b"\x85", b"\xe9", b"\xff", b"\x81", b"\xef\xbb\xbf",
     "é".encode(), "ソ表".encode("cp932"), "한".encode("euc-kr"), "許".encode("big5"),
     "жЯ".encode("cp1251"), "中😀".encode("gb18030"), "日".encode("iso2022_jp")]
)  # fmt: skip
LINES = st.lists(st.lists(PIECES, max_size=4).map(b"".join), min_size=1, max_size=6)
ENDS = st.sampled_from([b"\n", b"\r\n"])
ENCODINGS = st.sampled_from(
    ["", "utf-8", "latin1", "cp1251", "sjis", "cp932", "euc-kr", "big5", "cp950", "gb18030",
     "macintosh", "iso-2022-jp", "utf-7"]
)  # fmt: skip


def joined(lines: list[bytes], ends: list[bytes], last: bytes) -> bytes:
    return b"".join(a + b for a, b in zip(lines, ends, strict=False)) + last


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    LINES, LINES, st.lists(ENDS, min_size=6, max_size=6), ENCODINGS, st.sampled_from(["", "\x1a"])
)
@example([b"a"], [b"caf\xe9"], [b"\n"] * 6, "", "")
def test_bytes_come_back_whatever_they_are(
    world: World, old: list[bytes], new: list[bytes], ends: list[bytes], encoding: str, last: str
) -> None:
    before, after = joined(old, ends, last.encode()), joined([*old[:-1], *new], ends, b"")
    desk = Desk(world)
    desk.put(before)
    if encoding:
        desk.open(encoding)
        desk.world.nvim.command("set noreadonly")
    shown = desk.shown

    async def episode() -> None:
        await desk.tool(before)
        assert desk.shown == shown
        assert desk.data == before
        await desk.tool(after)
        told = desk.told()
        if told or before == after:
            assert (desk.shown, desk.data) == (shown, after)
            return
        await desk.comes_back(before, after, closing=True)

    asyncio.run(episode())


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@example([b""], 1, "ж", [b"\n"] * 6, "iso-2022-jp")
@given(
    LINES,
    st.integers(0, 5),
    st.text(st.sampled_from("aéж한日\\~€"), max_size=4),
    st.lists(ENDS, min_size=6, max_size=6),
    ENCODINGS,
)
def test_a_line_that_an_agent_writes_changes_the_bytes_of_no_other(
    world: World, old: list[bytes], row: int, line: str, ends: list[bytes], encoding: str
) -> None:
    before = joined(old, ends, b"")
    desk = Desk(world)
    desk.put(before)
    if encoding:
        desk.open(encoding)
        desk.world.nvim.command("set noreadonly")
    shown = desk.shown

    async def episode() -> None:
        await desk.services.begin_turn(0)
        try:
            text = await desk.services.read(0, NAME)
            lines = text.split("\n")
            at = row % len(lines)
            await desk.services.write(0, NAME, "\n".join([*lines[:at], line, *lines[at + 1 :]]))
        except AcpError:
            assert (desk.data, desk.shown) == (before, shown)
            return
        after = desk.data
        kept, now = before.split(b"\n"), after.split(b"\n")
        assert [*kept[:at], *kept[at + 1 :]] == [*now[:at], *now[at + 1 :]]
        if before != after:
            await desk.comes_back(before, after, closing=True)

    asyncio.run(episode())
