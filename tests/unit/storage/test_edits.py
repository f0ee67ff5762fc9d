"""Histories on disk: what is noted is found by the next host, whatever happened to the folder."""

from __future__ import annotations

import os
import stat
from pathlib import Path

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


def put(store: EditStore, **files: File) -> None:
    for name, file in files.items():
        store.histories.append(f"/{name}", file.facts, file)
    store.flush()


def age(folder: Path) -> None:
    """Make the files a second older."""
    for file in folder.iterdir():
        status = file.stat()
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns - 10**9))


async def files(store: EditStore) -> dict[str, File | None]:
    return {it.path: it.file for it in await store.read_all()}


async def test_what_was_noted_is_read_by_another_host(store: EditStore, folder: Path) -> None:
    put(store, a=SETTLED, b=PENDING)
    assert await files(EditStore(lambda: str(folder))) == {"/a": SETTLED, "/b": PENDING}
    modes = [stat.S_IMODE(it.stat().st_mode) for it in (folder, *folder.iterdir())]
    assert modes == [0o700, 0o600, 0o600]


async def test_a_folder_that_takes_nothing_costs_no_session(store: EditStore, folder: Path) -> None:
    folder.parent.mkdir()
    folder.write_text("not a folder\n")
    put(store, a=PENDING)
    assert await store.read_all() == [] and store.histories.set_aside() == 0
    folder.unlink()
    put(store, b=PENDING)
    assert await files(EditStore(lambda: str(folder))) == {"/a": PENDING, "/b": PENDING}


async def test_what_is_begun_names_its_host_which_can_be_told_to_live(
    store: EditStore, folder: Path
) -> None:
    store.begin("/a", ("a\n", "b\n"), PENDING.facts, None)
    await store.noted()
    other = EditStore(lambda: str(folder))
    (history,) = await other.read_all()
    (host,) = history.begun
    assert host == store.journal.name and other.journal.has(host)
    store.flush()
    (history,) = await other.read_all()
    assert not history.begun and not other.journal.has(host)


async def test_what_is_no_list_is_passed_over(store: EditStore, folder: Path) -> None:
    put(store, a=PENDING, b=PENDING)
    cut = sorted(folder.iterdir())[0]
    cut.write_text(cut.read_text()[:20])
    (folder / "empty.history").touch()
    (folder / "folder.history").mkdir()
    (folder / "bytes.history").write_bytes(b"\xff\xfe\n\0\n")
    (folder / "dangling.history").symlink_to(folder / "nowhere")
    (folder / "old.jsonl").write_text("of a version before\n")
    again = EditStore(lambda: str(folder))
    assert [it.file for it in await again.read_all()] == [PENDING]
    assert again.histories.set_aside() == 3
    assert (folder / "folder.history").is_dir() and (folder / "dangling.history").is_symlink()
    assert (folder / "old.jsonl").exists()
    last = EditStore(lambda: str(folder))
    assert [it.file for it in await last.read_all()] == [
        PENDING
    ] and last.histories.set_aside() == 0


def test_of_a_store_for_lists_what_was_noted_last_counts(folder: Path) -> None:
    store = json_store.JsonStore(lambda: str(folder), ".json", edits.LESSONS, most=2)
    one, two = (edits.KeptLessons("gemini", session, {}) for session in ("s", "t"))
    store.note("a", one)
    store.note("b", one)
    store.flush()
    store.note("a", two)
    store.note("b", None)

    def head_of(line: bytes) -> edits.KeptLessons | None:
        return edits.LESSONS.from_text(line.decode())

    assert (store.heads(head_of), store.read("a"), store.read("b")) == ([two], two, None)
    assert store.read_all() == [one, one], "that is what another host would find"


# --- what agents were not told


async def test_what_agents_were_not_told_is_kept_by_session(store: EditStore, folder: Path) -> None:
    store.lessons.note("gemini s", KeptLessons("gemini", "s", {"/a": "theirs\n", "/\udcff": None}))
    store.lessons.note("gemini t", KeptLessons("gemini", "t", {"/b": ""}))
    store.lessons.note("vibe s", KeptLessons("vibe", "s", {"/c": "c\n"}))
    store.flush()
    store.lessons.note("gemini t", None)
    store.flush()
    again = EditStore(lambda: str(folder))
    assert {it.key: it.rejected for it in await again.lessons.restore()} == {
        ("gemini", "s"): {"/a": "theirs\n", "/\udcff": None},
        ("vibe", "s"): {"/c": "c\n"},
    }
    assert await again.read_all() == []


async def test_what_is_no_record_of_lessons_is_passed_over(store: EditStore, folder: Path) -> None:
    store.lessons.note("gemini s", KeptLessons("gemini", "s", {"/a": "theirs\n"}))
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
    assert store.lessons.read_all() == [KeptLessons("gemini", "s", {"/a": "theirs\n"})]


async def test_of_many_sessions_the_newest_are_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edits, "MOST_LESSONS", 2)
    store = EditStore(lambda: str(folder))
    for number in range(4):
        store.lessons.note(str(number), KeptLessons("gemini", str(number), {"/a": ""}))
        store.flush()
        age(folder)
    left = sorted(it.key for it in store.lessons.read_all())
    assert left == [("gemini", "2"), ("gemini", "3")]
