"""C-225 to C-239, and C-041: an agent reads and writes the files that the user has open."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import anyio
import pytest

from acp_nvim.config import parse
from acp_nvim.editor import LiveBuffer
from acp_nvim.errors import Code
from acp_nvim.hunks import Hunk
from acp_nvim.workspace.launching import launch
from tests.conformance.requests.files import Files, put, text_of, tree
from tests.support.agents.scripted_agent import SESSION
from tests.support.fakes.fake_ports import FakeFiles


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file of the session that does not exist yet."""
    return tmp_path.resolve() / "a.txt"


@pytest.mark.parametrize(("read", "write"), [(False, False), (True, False), (False, True)])
async def test_c041_what_vim_g_acp_fs_switches_off_is_not_served(
    path: Path, *, read: bool, write: bool
):
    options, problems = parse({"fs": {"read": read, "write": write}})
    assert not problems
    plan = launch("tutor", options, root="/", cwd=str(path.parent))
    put(path, "mine\n")
    fields = {"read_files": plan.read_files, "write_files": plan.write_files}
    async with Files(path.parent, **fields) as stage:
        await stage.start()
        offered = stage.agent.received[0]["params"]["clientCapabilities"]["fs"]
        assert offered == {"readTextFile": read, "writeTextFile": write}
        assert await stage.read(path) == ("mine\n" if read else Code.METHOD_NOT_FOUND)
        assert await stage.write(path, "x\n") == ({} if write else Code.METHOD_NOT_FOUND)
        assert text_of(path) == ("x\n" if write else "mine\n")


async def test_c225_unsaved_text_is_what_the_agent_reads(path: Path):
    put(path, "saved\n")
    async with Files(path.parent) as stage:
        await stage.start()
        stage.files.open(path, "unsaved", "lines")
        assert await stage.read(path) == "unsaved\nlines\n"


async def test_c226_an_unmodified_buffer_does_not_hide_the_disk(path: Path):
    put(path, "old\n")
    async with Files(path.parent) as stage:
        await stage.start()
        stage.files.open(path)
        put(path, "new\n")
        assert await stage.read(path) == "new\n"
        assert stage.files.lines(path) == ["new"]  # which the user is shown, too


@pytest.mark.parametrize("window", [{"line": "x"}, {"line": -1}, {"limit": {}}, {"limit": 1.5}])
async def test_c320_what_is_malformed_reads_nothing(path: Path, window: dict[str, Any]):
    put(path, "1\n2\n")
    async with Files(path.parent) as stage:
        await stage.start()
        assert await stage.read(path, **window) == Code.INVALID_PARAMS


@pytest.mark.parametrize(
    ("window", "text"),
    [
        ({"line": 2, "limit": 2}, "2\n3\n"),
        ({"line": 2}, "2\n3\n4\n5\n"),
        ({"limit": 2}, "1\n2\n"),
        ({"line": 99, "limit": 5}, ""),
        ({"line": 1, "limit": 0}, ""),
        ({"line": 5, "limit": 9}, "5\n"),
        ({"line": None, "limit": None}, "1\n2\n3\n4\n5\n"),
    ],
)
@pytest.mark.parametrize("is_open", [False, True])
async def test_c227_line_and_limit(path: Path, window: dict[str, Any], text: str, *, is_open: bool):
    put(path, "1\n2\n3\n4\n5\n")
    async with Files(path.parent) as stage:
        await stage.start()
        if is_open:
            stage.files.open(path, *"12345")
        assert await stage.read(path, **window) == text


EXACT = ["a\nb", "a\r\nb\r\n", "a\nb\r\n", "\ufeffa\n", "a\fb\u2028c\x85d\n", "\n", "", "ü😀\n"]


@pytest.mark.parametrize("text", EXACT)
async def test_c228_a_window_is_an_exact_piece(path: Path, text: str):
    put(path, text)
    async with Files(path.parent) as stage:
        await stage.start()
        assert await stage.read(path) == text
        head, tail = await stage.read(path, limit=1), await stage.read(path, line=2)
        assert head + tail == text


async def test_c229_what_cannot_be_read(path: Path):
    put(path, b"\x7fELF\0\0")
    async with Files(path.parent) as stage:
        await stage.start()
        assert await stage.read("a.txt") == Code.INVALID_PARAMS
        assert await stage.read(path) == Code.INTERNAL_ERROR
        assert await stage.read(path.parent) == Code.INTERNAL_ERROR
        assert await stage.write("b.txt", "x") == Code.INVALID_PARAMS
        assert await stage.write(path.parent, "x") == Code.INTERNAL_ERROR


async def test_c229_a_missing_file_is_named(path: Path):
    async with Files(path.parent) as stage:
        await stage.start()
        missing = path.with_name("ä b.txt")
        params = {"sessionId": SESSION, "path": str(missing)}
        error = (await stage.agent.ask("fs/read_text_file", params))["error"]
        assert error["code"] == Code.RESOURCE_NOT_FOUND
        assert error["data"] == {"uri": missing.as_uri()}
        assert str(missing) in error["message"]


async def test_c230_a_missing_file_is_made(path: Path):
    async with Files(path.parent) as stage:
        await stage.start()
        assert await stage.write(path, "new\n") == {}
        assert text_of(path) == "new\n"


async def test_c231_missing_folders_are_made(path: Path):
    deep = path.parent / "new" / "dir" / "x"
    async with Files(path.parent) as stage:
        await stage.start()
        assert await stage.write(deep, "new\n") == {}
        assert text_of(deep) == "new\n"


@pytest.mark.parametrize("text", ["x", *EXACT])
@pytest.mark.parametrize("is_open", [False, True])
async def test_c232_bytes_are_exact(path: Path, text: str, *, is_open: bool):
    put(path, "before\n")
    async with Files(path.parent) as stage:
        await stage.start()
        if is_open:
            stage.files.open(path)
        assert await stage.write(path, text) == {}
        assert text_of(path) == text


async def test_c233_an_open_buffer_gets_the_text_and_only_its_changes(path: Path):
    put(path, "1\n2\n3\n")
    async with Files(path.parent) as stage:
        await stage.start()
        stage.files.open(path)
        assert await stage.write(path, "1\ntwo\n3\n") == {}
        assert stage.files.lines(path) == ["1", "two", "3"]
        assert not stage.files.buffers[str(path)].modified
        assert stage.files.changes == [("write", str(path), (Hunk(1, 2, ("two",)),))]


async def test_c234_unsaved_edits_elsewhere_are_kept(path: Path):
    put(path, "1\n2\n3\n4\n5\n")
    async with Files(path.parent) as stage:
        await stage.start()
        stage.files.open(path)
        base = await stage.read(path)
        stage.files.type(path, "mine", "2", "3", "4", "5")
        assert await stage.write(path, base.replace("5", "five")) == {}
        assert stage.files.lines(path) == ["mine", "2", "3", "4", "five"]
        assert text_of(path) == "mine\n2\n3\n4\nfive\n"


async def test_c234_unsaved_edits_at_the_same_place_refuse_the_write(path: Path):
    put(path, "1\n2\n")
    async with Files(path.parent) as stage:
        await stage.start()
        stage.files.open(path)
        await stage.read(path)
        stage.files.type(path, "1", "mine")
        params = {"sessionId": SESSION, "path": str(path), "content": "1\ntheirs\n"}
        error = (await stage.agent.ask("fs/write_text_file", params))["error"]
        assert "at line 2" in error["message"] and "read it again" in error["message"]
        assert stage.files.lines(path) == ["1", "mine"] and text_of(path) == "1\n2\n"
        assert await stage.read(path) == "1\nmine\n"
        assert await stage.write(path, "1\nmine and theirs\n") == {}
        assert text_of(path) == "1\nmine and theirs\n"


@pytest.mark.parametrize("is_open", [False, True])
async def test_c235_a_read_gets_what_was_written(path: Path, *, is_open: bool):
    put(path, "before\n")
    async with Files(path.parent) as stage:
        await stage.start()
        if is_open:
            stage.files.open(path, "unsaved")
            await stage.read(path)
        stage.agent.request(
            "fs/write_text_file", {"sessionId": SESSION, "path": str(path), "content": "x\ny"}, "w"
        )
        assert await stage.read(path) == "x\ny"
        assert (await stage.agent.answer_to("w"))["result"] == {}


async def test_c236_a_write_is_answered_when_it_is_done(path: Path):
    gate = anyio.Event()

    class SlowFiles(FakeFiles):
        async def write(self, *arguments: Any, **options: Any) -> LiveBuffer | None:
            await gate.wait()
            return await super().write(*arguments, **options)

    put(path, "before\n")
    stage = Files(path.parent)
    stage.files = SlowFiles()
    async with stage:
        await stage.start()
        stage.files.open(path)
        params = {"sessionId": SESSION, "path": str(path), "content": "after\n"}
        stage.agent.request("fs/write_text_file", params, "w")
        await stage.agent.quiet()
        assert text_of(path) == "before\n"
        gate.set()
        assert (await stage.agent.answer_to("w"))["result"] == {}
        assert text_of(path) == "after\n"


async def test_c236_a_write_that_fails_is_an_error(path: Path):
    put(path, "mine\n")
    os.chmod(path, 0o444)
    other = path.with_name("b.txt")
    put(other, "b\n")
    async with Files(path.parent) as stage:
        await stage.start()
        assert await stage.write(path, "x") == Code.INTERNAL_ERROR
        assert await stage.write(path / "below-a-file", "x") == Code.INTERNAL_ERROR
        stage.files.open(other, locked="read-only")
        assert await stage.write(other, "x") == Code.INTERNAL_ERROR
        stage.files.open(other)
        stage.files.refuse = "E514: write error"
        assert await stage.write(other, "x") == Code.INTERNAL_ERROR
        assert stage.files.lines(other) == ["b"]
    assert text_of(path) == "mine\n" and text_of(other) == "b\n"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Make `root`, links in it that lead out, and a secret beside it; return the root."""
    root = tmp_path.resolve() / "root"
    root.mkdir()
    secret = root.parent / "secret"
    put(secret, "secret\n")
    (root / "link").symlink_to(secret)
    (root / "dangling").symlink_to(root.parent / "new")
    (root / "folder").symlink_to(root.parent)
    (root.parent / "root-not").mkdir()
    return root


OUT = ["../secret", "link", "dangling", "folder/secret", "../root-not/x", "/etc/passwd", "x\0y"]


@pytest.mark.parametrize("name", OUT)
async def test_c237_nothing_outside_of_the_roots(outside: Path, name: str):
    before = tree(outside.parent)
    async with Files(outside) as stage:
        await stage.start()
        path = f"{outside}/{name}" if name[0] != "/" else name
        assert await stage.read(path) == Code.INVALID_PARAMS
        assert await stage.write(path, "x") == Code.INVALID_PARAMS
    assert tree(outside.parent) == before
    assert text_of(outside.parent / "secret") == "secret\n"


async def test_c237_a_root_that_is_a_link_and_one_more_root(outside: Path):
    link, more = outside.parent / "work", outside.parent / "root-not"
    link.symlink_to(outside)
    async with Files(link, additional_directories=(str(more),)) as stage:
        await stage.start()
        for path in (link / "a", outside / "b", link / "x" / ".." / "c", more / "d"):
            assert await stage.write(path, "x") == {}
            assert await stage.read(path) == "x"


@pytest.mark.parametrize("session", ["bogus", "", SESSION.upper()])
async def test_c238_an_unknown_session_is_an_error(path: Path, session: str):
    put(path, "mine\n")
    async with Files(path.parent) as stage:
        await stage.start()
        assert await stage.read(path, session) == Code.RESOURCE_NOT_FOUND
        assert await stage.write(path, "x", session) == Code.RESOURCE_NOT_FOUND
        assert text_of(path) == "mine\n"


async def test_c239_the_result_of_a_write_is_an_empty_object(path: Path):
    async with Files(path.parent) as stage:
        await stage.start()
        params = {"sessionId": SESSION, "path": str(path), "content": "x"}
        answer = await stage.agent.ask("fs/write_text_file", params)
        assert answer == {"jsonrpc": "2.0", "id": 1, "result": {}}
