"""Files that are read, and files that are written without being open."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_nvim.errors import Code
from acp_nvim.hunks import Hunk
from acp_nvim.session.request import ReadFileRequest
from tests.support.file_desk import Desk

# --- reading


async def test_c225_a_modified_buffer_is_what_is_read(desk: Desk) -> None:
    path = desk.file("disk\n")
    desk.files.open(path, "unsaved", "text")
    assert await desk.read(path) == "unsaved\ntext\n"
    assert await desk.read(path, line=2, limit=1) == "text\n"
    assert desk.told == [("read", "s", str(path))] * 2


async def test_c226_an_unmodified_buffer_does_not_hide_the_disk(desk: Desk) -> None:
    path = desk.file("old\n")
    desk.files.open(path)
    desk.file("new\n")
    assert await desk.read(path) == "new\n"


async def test_text_is_exact_also_from_disk(desk: Desk) -> None:
    path = desk.file(b"\xef\xbb\xbfa\r\nb")
    assert await desk.read(path) == "\ufeffa\r\nb"
    desk.files.open(path, "a", "b", fileformat="dos", bom=True, endofline=False)
    assert await desk.read(path) == "\ufeffa\r\nb"


async def test_a_buffer_of_another_encoding(desk: Desk) -> None:
    path = desk.file("\ufeffé\n".encode("utf-16-le"))
    desk.files.open(path, "é", encoding="utf-16le", bom=True, modified=False)
    assert await desk.read(path) == "\ufeffé\n"


async def test_bytes_that_are_no_text_reach_the_agent_as_a_sign(desk: Desk) -> None:
    path = desk.file(b"caf\xe9\nx\n")
    desk.files.open(path, "caf\udce9", "x", modified=False)
    assert await desk.read(path) == "caf\ufffd\nx\n"
    await desk.write(path, "caf\ufffd\ny\n")
    assert desk.files.changes[0][2] == (Hunk(1, 2, ("y",)),)
    assert path.read_bytes() == b"caf\xe9\ny\n"


async def test_c229_what_is_not_there_or_no_text(desk: Desk) -> None:
    missing = await desk.failure(desk.folder / "no")
    assert missing.code == Code.RESOURCE_NOT_FOUND
    assert missing.data == {"uri": (desk.folder / "no").as_uri()}
    assert "directory" in (await desk.failure(desk.folder)).message
    assert (await desk.failure(Path("a"))).code == Code.INVALID_PARAMS
    assert "binary" in (await desk.failure(desk.file(b"\0"))).message
    assert desk.told == []


async def test_missing_may_be_empty_for_some_agents(desk: Desk) -> None:
    ask = ReadFileRequest("s", f"{desk.folder}/no")
    answer = await desk.service.read(ask, desk.roots, empty_for_missing=True)
    assert answer.content == ""


async def test_a_buffer_whose_file_is_gone_is_still_text_a_new_one_is_not(desk: Desk) -> None:
    path = desk.file("kept\n")
    desk.files.open(path)
    path.unlink()
    assert await desk.read(path) == "kept\n"
    desk.files.open(desk.folder / "new")
    assert (await desk.failure(desk.folder / "new")).code == Code.RESOURCE_NOT_FOUND


async def test_a_binary_buffer_is_refused(desk: Desk) -> None:
    path = desk.file("x")
    desk.files.open(path, "a\0b")
    assert "binary" in (await desk.failure(path)).message


# --- writing files that are not open


@pytest.mark.parametrize("content", ["x", "", "a\r\nb\r\n", "\ufeffé\n", "a\n\n"])
async def test_c230_c232_new_files_are_exact(desk: Desk, content: str) -> None:
    path = desk.folder / "new/folder/x"
    await desk.write(path, content)
    assert path.read_bytes() == content.encode()
    assert await desk.read(path) == content
    assert desk.told[0] == ("written", "s", str(path))


async def test_a_file_of_another_encoding_keeps_it(desk: Desk) -> None:
    path = desk.file(b"caf\xe9\n")
    await desk.write(path, "caf\xe9!\n")
    assert path.read_bytes() == b"caf\xe9!\n"
    await desk.write(path, "5 €\n")
    assert path.read_bytes() == "5 €\n".encode()


async def test_a_symlink_stays_one(desk: Desk) -> None:
    path = desk.file("old")
    link = desk.folder / "link"
    link.symlink_to(path)
    await desk.write(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"


async def test_c236_what_must_not_be_written_fails_and_stays(desk: Desk) -> None:
    path = desk.file("old")
    path.chmod(0o444)
    assert "read-only" in (await desk.failure(path, "new")).message
    assert path.read_text() == "old"
    assert "directory" in (await desk.failure(desk.folder, "new")).message
    assert (await desk.failure(Path("/etc/x"), "new")).code == Code.INVALID_PARAMS
    assert desk.told == []


async def test_what_changed_on_disk_since_it_was_read_is_kept(desk: Desk) -> None:
    path = desk.file("a\nb\nc\n")
    await desk.read(path)
    desk.file("A\nb\nc\n")
    await desk.write(path, "a\nb\nC\n")
    assert path.read_text() == "A\nb\nC\n"
    desk.file("mine\nb\nC\n")
    error = await desk.failure(path, "theirs\nb\nC\n")
    assert "read it again" in error.message
    assert path.read_text() == "mine\nb\nC\n"


async def test_a_write_without_a_read_replaces_the_file(desk: Desk) -> None:
    path = desk.file("whatever\n")
    await desk.write(path, "new\n")
    assert path.read_text() == "new\n"
