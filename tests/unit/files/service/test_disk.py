"""Files that are read, and files that are written without being open."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_nvim.errors import Code
from acp_nvim.hunks import Hunk
from acp_nvim.session.request import ReadFileRequest
from tests.support.files.file_rig import FileRig

# --- reading


async def test_c225_a_modified_buffer_is_what_is_read(rig: FileRig) -> None:
    path = rig.file("disk\n")
    rig.files.open(path, "unsaved", "text")
    assert await rig.read(path) == "unsaved\ntext\n"
    assert await rig.read(path, line=2, limit=1) == "text\n"
    assert rig.told == [("read", "s", str(path))] * 2


async def test_c226_an_unmodified_buffer_does_not_hide_the_disk(rig: FileRig) -> None:
    path = rig.file("old\n")
    rig.files.open(path)
    rig.file("new\n")
    assert await rig.read(path) == "new\n"


async def test_text_is_exact_also_from_disk(rig: FileRig) -> None:
    path = rig.file(b"\xef\xbb\xbfa\r\nb")
    assert await rig.read(path) == "\ufeffa\r\nb"
    rig.files.open(path, "a", "b", fileformat="dos", bom=True, endofline=False)
    assert await rig.read(path) == "\ufeffa\r\nb"


async def test_a_buffer_of_another_encoding(rig: FileRig) -> None:
    path = rig.file("\ufeffé\n".encode("utf-16-le"))
    rig.files.open(path, "é", encoding="utf-16le", bom=True, modified=False)
    assert await rig.read(path) == "\ufeffé\n"


async def test_bytes_that_are_no_text_reach_the_agent_as_a_sign(rig: FileRig) -> None:
    path = rig.file(b"caf\xe9\nx\n")
    rig.files.open(path, "caf\udce9", "x", modified=False)
    assert await rig.read(path) == "caf\ufffd\nx\n"
    await rig.write(path, "caf\ufffd\ny\n")
    assert rig.files.changes[0][2] == (Hunk(1, 2, ("y",)),)
    assert path.read_bytes() == b"caf\xe9\ny\n"


async def test_c229_what_is_not_there_or_no_text(rig: FileRig) -> None:
    missing = await rig.failure(rig.folder / "no")
    assert missing.code == Code.RESOURCE_NOT_FOUND
    assert missing.data == {"uri": (rig.folder / "no").as_uri()}
    assert "directory" in (await rig.failure(rig.folder)).message
    assert (await rig.failure(Path("a"))).code == Code.INVALID_PARAMS
    assert "binary" in (await rig.failure(rig.file(b"\0"))).message
    assert rig.told == []


async def test_missing_may_be_empty_for_some_agents(rig: FileRig) -> None:
    ask = ReadFileRequest("s", f"{rig.folder}/no")
    answer = await rig.service.read(ask, rig.roots, empty_for_missing=True)
    assert answer.content == ""


async def test_a_buffer_whose_file_is_gone_is_still_text_a_new_one_is_not(rig: FileRig) -> None:
    path = rig.file("kept\n")
    rig.files.open(path)
    path.unlink()
    assert await rig.read(path) == "kept\n"
    rig.files.open(rig.folder / "new")
    assert (await rig.failure(rig.folder / "new")).code == Code.RESOURCE_NOT_FOUND


async def test_a_binary_buffer_is_refused(rig: FileRig) -> None:
    path = rig.file("x")
    rig.files.open(path, "a\0b")
    assert "binary" in (await rig.failure(path)).message


# --- writing files that are not open


@pytest.mark.parametrize("content", ["x", "", "a\r\nb\r\n", "\ufeffé\n", "a\n\n"])
async def test_c230_c232_new_files_are_exact(rig: FileRig, content: str) -> None:
    path = rig.folder / "new/folder/x"
    await rig.write(path, content)
    assert path.read_bytes() == content.encode()
    assert await rig.read(path) == content
    assert rig.told[0] == ("written", "s", str(path))


async def test_a_file_of_another_encoding_keeps_it(rig: FileRig) -> None:
    path = rig.file(b"caf\xe9\n")
    await rig.write(path, "caf\xe9!\n")
    assert path.read_bytes() == b"caf\xe9!\n"
    problem = await rig.failure(path, "caf\xe9!\n5 €\n")
    assert "cannot hold '€' (line 2)" in str(problem)
    assert path.read_bytes() == b"caf\xe9!\n"


async def test_a_symlink_stays_one(rig: FileRig) -> None:
    path = rig.file("old")
    link = rig.folder / "link"
    link.symlink_to(path)
    await rig.write(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"


async def test_c236_what_must_not_be_written_fails_and_stays(rig: FileRig) -> None:
    path = rig.file("old")
    path.chmod(0o444)
    assert "read-only" in (await rig.failure(path, "new")).message
    assert path.read_text() == "old"
    assert "directory" in (await rig.failure(rig.folder, "new")).message
    assert (await rig.failure(Path("/etc/x"), "new")).code == Code.INVALID_PARAMS
    assert rig.told == []


async def test_what_changed_on_disk_since_it_was_read_is_kept(rig: FileRig) -> None:
    path = rig.file("a\nb\nc\n")
    await rig.read(path)
    rig.file("A\nb\nc\n")
    await rig.write(path, "a\nb\nC\n")
    assert path.read_text() == "A\nb\nC\n"
    rig.file("mine\nb\nC\n")
    error = await rig.failure(path, "theirs\nb\nC\n")
    assert "read it again" in error.message
    assert path.read_text() == "mine\nb\nC\n"


async def test_a_write_without_a_read_replaces_the_file(rig: FileRig) -> None:
    path = rig.file("whatever\n")
    await rig.write(path, "new\n")
    assert path.read_text() == "new\n"


@pytest.mark.parametrize("content", ["a\nB\nc\n", "a\nB\nc"])
async def test_a_write_of_line_feeds_keeps_the_ends_of_the_file(rig: FileRig, content: str) -> None:
    path = rig.file(b"a\r\nb\r\nc\r\n")
    await rig.write(path, content)
    assert path.read_bytes() == content.replace("\n", "\r\n").encode()
    assert (1, "b", "B") in await rig.hunks(path)
