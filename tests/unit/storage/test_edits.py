"""Ledgers on disk: what is noted is found by the next host, whatever happened to the folder."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import anyio
import pytest

from acp_nvim.history.author import Author
from acp_nvim.history.change import wrote
from acp_nvim.history.file import File
from acp_nvim.history.fold import begin
from acp_nvim.history.review import keep
from acp_nvim.storage import edits, json_store
from acp_nvim.storage.edits import EditStore, KeptLessons

AUTHOR = Author("gemini", "s", 1, 1.0)
PENDING = wrote(begin("a\n"), "b\n", AUTHOR, 1.0)
SETTLED = keep(PENDING).file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "edits"


@pytest.fixture
def store(folder: Path) -> EditStore:
    return EditStore(lambda: str(folder))


def put(store: EditStore, **ledgers: File) -> None:
    for name, ledger in ledgers.items():
        store.note(f"/{name}", ledger)
    store.flush()


def age(folder: Path) -> None:
    """Make the files a second older."""
    for file in folder.iterdir():
        status = file.stat()
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns - 10**9))


async def test_what_was_noted_is_read_by_another_host(store: EditStore, folder: Path) -> None:
    put(store, a=SETTLED, b=PENDING)
    put(store, a=PENDING)
    again = EditStore(lambda: str(folder))
    assert await again.read_all() == {"/a": PENDING, "/b": PENDING}


async def test_nobody_else_can_read_it(store: EditStore, folder: Path) -> None:
    put(store, a=PENDING)
    (file,) = folder.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


async def test_names_of_files_may_be_long_or_no_text(store: EditStore) -> None:
    paths = ["/" + "long/" * 500, "/\udcff", "/é\n"]
    for path in paths:
        store.note(path, PENDING)
    store.flush()
    assert sorted(await store.read_all()) == sorted(paths)


async def test_it_is_written_a_moment_later_and_without_being_asked(
    store: EditStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_store, "PAUSE", 0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(store.run)
        for path in ("/a", "/b"):
            store.note(path, PENDING)
            with anyio.fail_after(40):
                while path not in await store.read_all():
                    await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()


async def test_an_empty_flush_makes_no_folder(store: EditStore, folder: Path) -> None:
    store.flush()
    assert not folder.exists()
    assert await store.read_all() == {}


async def test_what_is_no_ledger_is_passed_over(store: EditStore, folder: Path) -> None:
    put(store, a=PENDING, b=PENDING, c=PENDING)
    cut, other = sorted(folder.iterdir())[:2]
    cut.write_text(cut.read_text()[:-20])
    other.write_text(other.read_text().replace('"acp_edits":3', '"acp_edits":4'))
    (folder / "empty.jsonl").touch()
    (folder / "folder.jsonl").mkdir()
    (folder / "bytes.jsonl").write_bytes(b"\xff\xfe\n\0\n")
    (folder / "dangling.jsonl").symlink_to(folder / "nowhere")
    assert list((await store.read_all()).values()) == [PENDING]
    put(store, d=PENDING)
    assert len(await store.read_all()) == 2
    assert "acp_edits" in other.read_text(), "another version may still read its own"


async def test_a_folder_that_takes_nothing_costs_no_session(store: EditStore, folder: Path) -> None:
    folder.parent.mkdir()
    folder.write_text("not a folder\n")
    put(store, a=PENDING)
    assert await store.read_all() == {}
    folder.unlink()
    put(store, b=PENDING)
    assert list(await store.read_all()) == ["/b"]


async def test_a_failed_replacement_leaves_the_old_one_and_no_rubbish(
    store: EditStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, a=PENDING)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("acp_nvim.storage.private.os.replace", full)
    put(store, a=SETTLED)
    assert await store.read_all() == {"/a": PENDING}
    assert [file.suffix for file in folder.iterdir()] == [".jsonl"]


async def test_what_waits_is_kept_and_of_the_rest_the_newest(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edits, "MOST_SETTLED", 2)
    store = EditStore(lambda: str(folder))
    put(store, a=SETTLED, b=PENDING)
    age(folder)
    put(store, c=SETTLED)
    age(folder)
    put(store, d=SETTLED, e=PENDING)
    assert sorted(await store.read_all()) == ["/b", "/c", "/d", "/e"]
    age(folder)
    put(store, c=SETTLED, f=SETTLED)
    assert sorted(await store.read_all()) == ["/b", "/c", "/e", "/f"]
    assert sorted(await EditStore(lambda: str(folder)).read_all()) == ["/b", "/c", "/e", "/f"]


def test_of_a_store_for_lists_what_was_noted_last_counts(folder: Path) -> None:
    store = json_store.JsonStore(lambda: str(folder), ".json", edits.LESSONS, most=2)
    one, two = (edits.KeptLessons("gemini", session, {}) for session in ("s", "t"))
    store.note("a", one)
    store.note("b", one)
    store.flush()
    store.note("a", two)
    store.note("b", None)
    assert (store.heads(), store.read("a"), store.read("b")) == ([two], two, None)
    assert store.read_all() == [one, one], "that is what another host would find"


# --- what agents were not told


async def test_what_agents_were_not_told_is_kept_by_session(store: EditStore, folder: Path) -> None:
    store.note_lessons(("gemini", "s"), {"/a": "theirs\n", "/\udcff": None})
    store.note_lessons(("gemini", "t"), {"/b": ""})
    store.note_lessons(("vibe", "s"), {"/c": "c\n"})
    store.flush()
    store.note_lessons(("gemini", "t"), {})
    store.flush()
    again = EditStore(lambda: str(folder))
    assert {it.key: it.rejected for it in await again.read_lessons()} == {
        ("gemini", "s"): {"/a": "theirs\n", "/\udcff": None},
        ("vibe", "s"): {"/c": "c\n"},
    }
    assert await again.read_all() == {}


async def test_what_is_no_record_of_lessons_is_passed_over(store: EditStore, folder: Path) -> None:
    store.note_lessons(("gemini", "s"), {"/a": "theirs\n"})
    store.flush()
    (file,) = folder.iterdir()
    text = file.read_text()
    for number, wrong in enumerate(
        (
            "", "[]", "7", text[:-5], text.replace('"gemini"', "7"), text.replace('"s"', "null"),
            text.replace('"theirs\\n"', "3"), text.replace('"acp_lessons":1', '"acp_lessons":2'),
            text.replace('{"/a":"theirs\\n"}', '["/a"]'), "[" * 100_000,
        )
    ):  # fmt: skip
        (folder / f"{number}.lessons.json").write_text(wrong)
    assert await store.read_lessons() == [KeptLessons("gemini", "s", {"/a": "theirs\n"})]


async def test_of_many_sessions_the_newest_are_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edits, "MOST_LESSONS", 2)
    store = EditStore(lambda: str(folder))
    for number in range(4):
        store.note_lessons(("gemini", str(number)), {"/a": ""})
        store.flush()
        age(folder)
    left = sorted(it.key for it in await store.read_lessons())
    assert left == [("gemini", "2"), ("gemini", "3")]
