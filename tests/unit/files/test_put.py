"""A file exactly as it stands, and made another text: by the editor or on the disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from acp_nvim.errors import FileProblem
from acp_nvim.files.live import load
from acp_nvim.files.text import buffer_text
from acp_nvim.files.write import put
from tests.support.fakes.fake_ports import FakeFiles

EXACT = {
    "dos": b"one\r\ntwo\r\n",
    "no final line end": b"one\ntwo",
    "byte order mark": b"\xef\xbb\xbfone\n",
    "latin-1": b"caf\xe9\n",
    "form feeds and separators": "a\fb\u2028c\x85d\n".encode(),
    "empty": b"",
    "one empty line": b"\n",
}


@pytest.fixture
def files() -> FakeFiles:
    return FakeFiles()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path.resolve() / "a"


async def change(files: FakeFiles, path: Path, text: str | None) -> bool:
    return await put(files, await load(files, str(path)), text)


@pytest.mark.parametrize("data", EXACT.values(), ids=EXACT.keys())
async def test_what_was_read_is_written_byte_for_byte(
    files: FakeFiles, path: Path, data: bytes
) -> None:
    path.write_bytes(data)
    live = await load(files, str(path))
    assert live.exact is not None
    assert await put(files, live, live.exact + "more\n")
    assert path.read_bytes() == data + b"more\n"
    assert await put(files, await load(files, str(path)), live.exact)
    assert path.read_bytes() == data


async def test_a_file_is_written_in_utf_8_where_its_encoding_lacks_a_letter(
    files: FakeFiles, path: Path
) -> None:
    path.write_bytes(b"caf\xe9\n")
    assert await change(files, path, "café €\n")
    assert path.read_text("utf-8") == "café €\n"


async def test_a_buffer_is_what_counts_and_says_how_many_lines_there_are(
    files: FakeFiles, path: Path
) -> None:
    path.write_text("on disk\n")
    files.open(path, "mine", "too")
    live = await load(files, str(path))
    assert (live.exact, live.rows) == ("mine\ntoo\n", 2)


@pytest.mark.parametrize(("text", "rows"), [("a\fb\u2028c\n", 1), ("a\nb", 2), ("", 0)])
async def test_lines_on_disk_end_where_the_editor_ends_them(
    files: FakeFiles, path: Path, text: str, rows: int
) -> None:
    path.write_text(text)
    assert (await load(files, str(path))).rows == rows


async def test_what_is_not_there_has_no_text(files: FakeFiles, path: Path) -> None:
    live = await load(files, str(path))
    assert (live.exact, live.rows) == (None, 0)


async def test_a_buffer_whose_file_is_gone_shows_what_is_no_more(
    files: FakeFiles, path: Path
) -> None:
    path.write_text("one\n")
    files.open(path)
    path.unlink()
    assert (await load(files, str(path))).exact is None
    files.type(path, "mine")
    assert (await load(files, str(path))).exact == "mine\n"


async def test_what_is_no_text_is_said_when_it_is_asked_for(files: FakeFiles, path: Path) -> None:
    path.write_bytes(b"\0\1\2")
    live = await load(files, str(path))
    for text in ("exact", "shown", "for_agent", "on_disk"):
        with pytest.raises(FileProblem, match="binary"):
            getattr(live, text)
    path.unlink()
    path.mkdir()
    live = await load(files, str(path))
    with pytest.raises(FileProblem, match="directory"):
        live.exact  # noqa: B018


async def test_a_file_comes_back_with_its_folders(files: FakeFiles, path: Path) -> None:
    deep = path / "b" / "c"
    assert await change(files, deep, "back\n")
    assert deep.read_text() == "back\n"


async def test_a_saved_buffer_is_saved_again(files: FakeFiles, path: Path) -> None:
    path.write_text("one\ntwo\n")
    files.open(path)
    assert await change(files, path, "one\n")
    assert (files.lines(path), path.read_text()) == (["one"], "one\n")
    assert not files.buffers[str(path)].modified


async def test_unsaved_edits_stay_unsaved(files: FakeFiles, path: Path) -> None:
    path.write_text("one\n")
    files.open(path, "one", "mine", "two")
    assert await change(files, path, "one\nmine\n")
    assert (files.lines(path), path.read_text()) == (["one", "mine"], "one\n")
    assert files.buffers[str(path)].modified


async def test_bytes_that_are_no_text_stay_in_a_buffer(files: FakeFiles, path: Path) -> None:
    path.write_bytes(b"\xff\xfe?\none\n")
    files.open(path, "\udcff\udcfe?", "one", modified=False)
    assert await change(files, path, "\udcff\udcfe?\n")
    assert path.read_bytes() == b"\xff\xfe?\n"
    assert buffer_text(files.buffers[str(path)]) == "\udcff\udcfe?\n"


@pytest.mark.parametrize("locked", ["read-only", "not modifiable"])
async def test_a_locked_buffer_is_left_alone(files: FakeFiles, path: Path, locked: str) -> None:
    path.write_text("one\n")
    files.open(path, locked=locked)
    with pytest.raises(FileProblem, match=f"{path} is {locked}: nothing was changed"):
        await change(files, path, "two\n")
    assert (files.lines(path), path.read_text()) == (["one"], "one\n")


@pytest.mark.parametrize("opened", [False, True])
async def test_a_read_only_file_is_left_alone(
    files: FakeFiles, path: Path, *, opened: bool
) -> None:
    path.write_text("one\n")
    if opened:
        files.open(path)
    path.chmod(0o444)
    with pytest.raises(FileProblem, match="read-only"):
        await change(files, path, "two\n")
    assert path.read_text() == "one\n"


async def test_a_buffer_that_changes_meanwhile_is_not_touched(files: FakeFiles, path: Path) -> None:
    path.write_text("one\n")
    files.open(path)
    files.before_change = lambda: files.type(path, "typed")
    assert not await change(files, path, "two\n")
    assert files.lines(path) == ["typed"]


async def test_the_editors_refusal_is_told(files: FakeFiles, path: Path) -> None:
    path.write_text("one\n")
    files.open(path)
    files.refuse = "E37: no"
    with pytest.raises(FileProblem, match="E37"):
        await change(files, path, "two\n")


async def test_a_removed_file_leaves_an_empty_buffer(files: FakeFiles, path: Path) -> None:
    path.write_text("one\n")
    files.open(path)
    assert await change(files, path, None)
    assert not path.exists()
    assert files.lines(path) == [""]
    assert await change(files, path, None)


async def test_a_file_is_not_removed_under_a_buffer_that_changes_meanwhile(
    files: FakeFiles, path: Path
) -> None:
    path.write_text("one\n")
    for typed in (["typed"], ["typed", "more"]):
        if typed == ["typed"]:
            files.open(path)
        files.before_change = lambda typed=typed: files.type(path, *typed)
        assert not await change(files, path, None)
        assert (files.lines(path), path.exists()) == (typed, True)


async def test_a_file_that_cannot_be_removed_is_told(files: FakeFiles, path: Path) -> None:
    path.mkdir()
    (path / "b").write_text("one\n")
    live = await load(files, str(path / "b"))
    (path / "b").unlink()
    (path / "b").mkdir()
    with pytest.raises(FileProblem, match="cannot be removed"):
        await put(files, live, None)
    assert os.path.isdir(path / "b")


@pytest.mark.parametrize("text", ["two\n", None])
@pytest.mark.parametrize("is_open", [True, False])
async def test_what_another_program_writes_meanwhile_is_not_written_over(
    files: FakeFiles, path: Path, text: str | None, is_open: bool
) -> None:
    path.write_text("one\n")
    live = await load(files, str(path))
    if is_open:
        files.open(path)
        live = await load(files, str(path))
        files.before_change = lambda: path.write_text("another's\n")
    else:
        path.write_text("another's\n")
    assert not await put(files, live, text)
    assert path.read_text() == "another's\n"


@pytest.mark.parametrize("in_place", [True, False])
async def test_a_file_is_replaced_only_as_long_as_it_is_the_one_that_was_seen(
    files: FakeFiles, path: Path, monkeypatch: pytest.MonkeyPatch, *, in_place: bool
) -> None:
    async def slow() -> bool:
        path.write_text("another's\n")
        return in_place

    monkeypatch.setattr(files, "in_place", slow)
    path.write_text("one\n")
    assert not await change(files, path, "two\n")
    assert (path.read_text(), os.listdir(path.parent)) == ("another's\n", ["a"])
