"""What changed on disk since it was last seen: told once, with the text before and after."""

from __future__ import annotations

import itertools
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acp_nvim.services import baselines as module
from acp_nvim.services import comparison, git, sight
from acp_nvim.services.baselines import UNKNOWN, Baselines, Change, Changes
from acp_nvim.services.inventory import Inventories
from acp_nvim.services.roots import Roots

NOTHING = Changes((), ())


async def no_git(folder: str, limit: int, *only: str) -> git.Names | None:
    return None


def plain(**options: Any) -> Baselines:
    """Return baselines for folders that are no repositories; git is never asked."""
    return Baselines(inventories=Inventories(names=no_git), **options)


def known(*changes: tuple[Path, str | None, str | None]) -> Changes:
    return Changes(tuple(Change(str(path), *texts) for path, *texts in changes), ())


def unknown(*paths: Path) -> Changes:
    return Changes((), tuple(map(str, paths)))


def run(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def repository(folder: Path, *ignored: str) -> None:
    run(folder, "init", "-q")
    (folder / ".gitignore").write_text("".join(f"{rule}\n" for rule in ignored))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


@pytest.fixture
def roots(root: Path) -> Roots:
    return Roots(str(root))


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let files count as old at once, as they do after two seconds."""
    monkeypatch.setattr(sight, "RACY", 0)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that were read."""
    names: list[str] = []
    read = sight._read

    def spy(path: str, size: int, largest: int) -> bytes:
        names.append(os.path.basename(path))
        return read(path, size, largest)

    monkeypatch.setattr(sight, "_read", spy)
    return names


@pytest.mark.parametrize("with_git", [False, True])
async def test_changed_new_and_gone_files_are_told_once(root: Path, with_git: bool) -> None:
    roots = Roots(str(root))
    seen = Baselines() if with_git else plain()
    (root / "sub").mkdir()
    for name in ("changed", "gone", "same", "sub/moved"):
        (root / name).write_text(f"{name}\n")
    if with_git:
        repository(root)
    assert await seen.refresh(roots) == NOTHING
    (root / "changed").write_text("CHANGED\n")
    (root / "gone").unlink()
    (root / "new").write_text("new\n")
    os.rename(root / "sub/moved", root / "sub/there")
    os.utime(root / "same", (1, 1))
    told = await seen.changes(roots)
    assert set(told.known) == set(
        known(
            (root / "changed", "changed\n", "CHANGED\n"),
            (root / "gone", "gone\n", None),
            (root / "new", None, "new\n"),
            (root / "sub/moved", "sub/moved\n", None),
            (root / "sub/there", None, "sub/moved\n"),
        ).known
    )
    assert told.unknown == ()
    assert await seen.changes(roots) == NOTHING
    assert await seen.look(str(root / "changed")) is None


async def test_texts_are_exact(root: Path, roots: Roots) -> None:
    seen = plain()
    texts = {
        b"\xef\xbb\xbfa\r\nb": "\ufeffa\r\nb",
        b"caf\xe9\n": "café\n",
        "ü\r".encode(): "ü\r",
        b"": "",
    }
    for number, data in enumerate(texts):
        (root / str(number)).write_bytes(data)
    await seen.refresh(roots)
    for number, text in enumerate(texts.values()):
        assert seen.text(str(root / str(number))) == text
    (root / "0").unlink()
    assert await seen.changes(roots) == known((root / "0", "\ufeffa\r\nb", None))
    assert seen.text(str(root / "0")) is None
    assert seen.text(str(root / "elsewhere")) is UNKNOWN


async def test_a_buffers_encoding_is_used_where_it_is_given(root: Path, roots: Roots) -> None:
    seen, file = plain(), root / "cyrillic"
    file.write_bytes("ж\n".encode("cp1251"))
    await seen.refresh(roots)
    assert seen.text(str(file)) == "ж\n".encode("cp1251").decode("latin-1")
    assert seen.text(str(file), "cp1251") == "ж\n"
    file.write_bytes("ю\n".encode("cp1251"))
    assert await seen.changes(roots, {str(file): "cp1251"}) == known((file, "ж\n", "ю\n"))
    file.write_bytes("я\n".encode("cp1251"))
    assert await seen.look(str(file), "cp1251") == Change(str(file), "ю\n", "я\n")


@pytest.mark.usefixtures("settled")
async def test_files_that_look_the_same_are_not_read_again(
    root: Path, roots: Roots, opened: list[str]
) -> None:
    seen = plain()
    for name in ("a", "b", "c"):
        (root / name).write_text("1")
    await seen.refresh(roots)
    assert sorted(opened) == ["a", "b", "c"]
    await seen.refresh(roots)
    os.utime(root / "b", (1, 1))
    (root / "c").write_text("2")
    opened.clear()
    assert await seen.changes(roots) == known((root / "c", "1", "2"))
    assert sorted(opened) == ["b", "c"]


async def test_a_change_that_leaves_the_stamp_as_it_was_is_found(
    root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    """File systems count time in steps: two writes of the same size may look like one."""
    seen, file = plain(), root / "a"
    file.write_text("one")
    still = os.lstat(file)
    monkeypatch.setattr(os, "lstat", lambda path: still)
    await seen.refresh(roots)
    file.write_text("two")
    assert await seen.changes(roots) == known((file, "one", "two"))
    assert await seen.changes(roots) == NOTHING


async def test_what_is_too_large_or_binary_is_found_without_its_text(
    root: Path, roots: Roots
) -> None:
    seen = plain(largest=10)
    large, binary, grown = root / "large", root / "picture", root / "grown"
    large.write_text("x" * 11)
    binary.write_bytes(b"\0" * 5)
    grown.write_text("x")
    await seen.refresh(roots)
    assert seen.text(str(large)) is UNKNOWN
    assert seen.text(str(binary)) is UNKNOWN
    os.utime(binary, (1, 1))
    assert await seen.changes(roots) == NOTHING
    large.write_text("y" * 12)
    binary.write_bytes(b"\0" * 4)
    grown.write_text("x" * 11)
    assert sorted((await seen.changes(roots)).unknown) == sorted(map(str, (large, binary, grown)))
    assert await seen.changes(roots) == NOTHING
    large.write_text("short")
    assert await seen.look(str(large)) is None
    assert seen.text(str(large)) == "short"
    assert await seen.changes(roots) == unknown(large), "look could not tell"
    large.write_text("x" * 11)
    assert await seen.look(str(large)) is None
    large.write_text("ours")
    seen.note(str(large), "ours")
    assert await seen.changes(roots) == NOTHING, "what it was does not matter any more"
    large.unlink()
    assert await seen.changes(roots) == known((large, "ours", None))


async def test_over_the_budget_the_largest_texts_go(root: Path, roots: Roots) -> None:
    seen = plain(budget=4000)
    sizes = (500, 1000, 1500, 2000, 3000)
    for size in sizes:
        (root / str(size)).write_bytes(os.urandom(size).replace(b"\0", b"x"))
    await seen.refresh(roots)
    assert [it for it in sizes if seen.text(str(root / str(it))) is not UNKNOWN] == [
        500,
        1000,
        1500,
    ]
    (root / "3000").write_bytes(b"3")
    assert await seen.changes(roots) == unknown(root / "3000")
    big = root / "2000"
    await seen.look(str(big))
    assert seen.text(str(big)) is not UNKNOWN, "an agent has to do with it"
    assert seen.text(str(root / "1500")) is UNKNOWN
    assert seen.text(str(root / "500")) is not UNKNOWN


async def test_what_found_no_room_is_not_read_again(
    root: Path, roots: Roots, opened: list[str]
) -> None:
    seen = plain(budget=2500)
    names = ("a", "b", "c", "d")
    for name in names:
        (root / name).write_bytes(os.urandom(1000).replace(b"\0", b"x"))
    await seen.refresh(roots)
    assert opened == ["a", "b", "c"], "the fourth is as large as the third, which had to go"
    kept = [it for it in names if seen.text(str(root / it)) is not UNKNOWN]
    assert kept == ["a", "b"]
    opened.clear()
    await seen.refresh(roots)
    assert "d" not in opened
    assert [it for it in names if seen.text(str(root / it)) is not UNKNOWN] == kept


@pytest.mark.usefixtures("settled")
async def test_what_was_looked_at_goes_last(root: Path, roots: Roots) -> None:
    seen = plain(budget=4000)
    for name in ("a", "b", "c"):
        (root / name).write_bytes(os.urandom(1000).replace(b"\0", b"x"))
    await seen.refresh(roots)
    await seen.look(str(root / "a"))
    (root / "d").write_bytes(os.urandom(3000).replace(b"\0", b"x"))
    await seen.look(str(root / "d"))
    (root / "c").write_text("c")
    await seen.changes(roots)
    kept = [it for it in "abcd" if seen.text(str(root / it)) is not UNKNOWN]
    assert "a" in kept
    assert "b" not in kept


async def test_a_file_pushed_out_in_the_same_pass_is_told_with_its_text(
    root: Path, roots: Roots
) -> None:
    seen, early, late = plain(budget=4000), root / "a", root / "b"
    early.write_bytes(b"1")
    text = os.urandom(3000).replace(b"\0", b"x")
    late.write_bytes(text)
    await seen.refresh(roots)
    early.write_bytes(os.urandom(3500).replace(b"\0", b"x"))
    late.write_bytes(b"2")
    told = {it.path: it.before for it in (await seen.changes(roots)).known}
    assert told[str(late)] == sight.decode(text)[0]


async def test_a_slow_refresh_goes_on_at_the_next(
    root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = plain()
    for name in ("1", "22", "333", "4444"):
        (root / name).write_text(name)
    monkeypatch.setattr(module, "PATIENCE", -1.0)
    for name in ("1", "22"):
        await seen.refresh(roots)
        assert seen.text(str(root / name)) == name
    assert seen.text(str(root / "333")) is UNKNOWN
    assert seen.text(str(root / "4444")) is UNKNOWN
    assert await seen.look(str(root / "4444")) is None, "it has not changed"
    assert seen.text(str(root / "4444")) == "4444"
    assert await seen.changes(roots) == NOTHING
    (root / "333").write_text("changed")
    assert await seen.changes(roots) == unknown(root / "333")
    assert seen.text(str(root / "333")) == "changed"


async def test_the_first_pass_of_a_root_tells_nothing(root: Path, roots: Roots) -> None:
    (root / "a").write_text("1")
    seen = plain()
    assert await seen.changes(roots) == NOTHING
    await seen.refresh(roots)
    (root / "a").write_text("2")
    assert await seen.changes(Roots(str(root), (str(root), f"{root}/"))) == known(
        (root / "a", "1", "2")
    )


async def test_a_root_within_a_root_is_seen_once(root: Path) -> None:
    repository(root, "inner/")
    inner = root / "inner"
    inner.mkdir()
    (inner / "a").write_text("1")
    outer, both = Roots(str(root)), Roots(str(root), (str(inner),))
    seen = Baselines()
    await seen.refresh(outer)
    assert not seen.watches(str(inner / "a"))
    assert await seen.refresh(both) == NOTHING, "it was there, if ignored"
    (inner / "a").write_text("2")
    assert await seen.changes(both) == known((inner / "a", "1", "2"))
    assert await seen.changes(outer) == NOTHING


async def test_what_is_beyond_a_limit_is_not_new_when_it_comes_into_view(root: Path) -> None:
    roots = Roots(str(root))
    for name in ("a", "b", "c"):
        (root / name).write_text("1")
    seen = Baselines(inventories=Inventories(names=no_git, most=2))
    await seen.refresh(roots)
    assert [seen.text(str(root / name)) for name in "abc"] == ["1", "1", UNKNOWN]
    (root / "a").unlink()
    assert await seen.changes(roots) == Changes(
        (Change(str(root / "a"), "1", None),), (str(root / "c"),)
    )


async def test_a_known_absence_makes_a_file_new_beyond_all_limits(root: Path) -> None:
    seen = Baselines(inventories=Inventories(names=no_git, most=1))
    (root / "a").write_text("1")
    (root / "b").write_text("1")
    await seen.refresh(Roots(str(root)))
    path = root / "z"
    assert await seen.look(str(path)) is None
    assert seen.text(str(path)) is None
    path.write_text("new")
    assert await seen.look(str(path)) == Change(str(path), None, "new")


async def test_ignored_files_are_seen_from_the_first_look_on(root: Path, roots: Roots) -> None:
    repository(root, ".env")
    (root / ".env").write_text("1")
    seen = Baselines()
    await seen.refresh(roots)
    assert not seen.watches(str(root / ".env"))
    (root / ".env").write_text("2")
    assert await seen.changes(roots) == NOTHING
    assert await seen.look(str(root / ".env")) is None
    assert seen.watches(str(root / ".env"))
    (root / ".env").write_text("3")
    assert await seen.changes(roots) == known((root / ".env", "2", "3"))


async def test_a_look_at_a_file_that_was_just_made_tells_so(root: Path, roots: Roots) -> None:
    repository(root, "*.log")
    seen = Baselines()
    await seen.refresh(roots)
    (root / "new[1]*").write_text("1")
    (root / "new.log").write_text("1")
    assert await seen.look(str(root / "new[1]*")) == Change(str(root / "new[1]*"), None, "1")
    assert await seen.look(str(root / "new.log")) is None
    assert await seen.changes(roots) == NOTHING


@pytest.mark.usefixtures("settled")
async def test_files_that_git_no_longer_ignores_are_not_new(root: Path, roots: Roots) -> None:
    repository(root, "*.log", "*.tmp", ".env")
    (root / "old.log").write_text("1")
    (root / ".env").write_text("1")
    (root / "a.tmp").write_text("1")
    seen = Baselines()
    await seen.refresh(roots)
    (root / ".env").write_text("2")
    (root / ".gitignore").write_text("*.tmp\n")
    assert await seen.look(str(root / ".env")) is None
    told = await seen.changes(roots)
    assert [it.path for it in told.known] == [str(root / ".gitignore")]
    assert told.unknown == (str(root / ".env"),)
    assert await seen.refresh(roots) == NOTHING
    assert seen.text(str(root / "old.log")) == "1"
    (root / ".gitignore").write_text("*.tmp\n!a.tmp\n")
    (root / "a.tmp").write_text("2")
    told = await seen.changes(roots)
    assert told.unknown == (str(root / "a.tmp"),)


async def test_files_that_a_lost_rule_file_hid_are_not_new(root: Path, roots: Roots) -> None:
    repository(root, "*.log")
    (root / "a.log").write_text("1")
    seen = Baselines()
    await seen.refresh(roots)
    (root / ".gitignore").unlink()
    assert (await seen.changes(roots)).unknown == (str(root / "a.log"),)


async def test_a_comment_hides_nothing(root: Path, roots: Roots) -> None:
    repository(root, "# logs", "*.log")
    seen = Baselines()
    await seen.refresh(roots)
    (root / ".gitignore").write_text("\n*.log\n# !all logs\n")
    (root / "a").write_text("1")
    assert Change(str(root / "a"), None, "1") in (await seen.changes(roots)).known


async def test_stricter_rules_hide_nothing_that_was_seen(root: Path, roots: Roots) -> None:
    repository(root)
    (root / "a").write_text("1")
    seen = Baselines()
    await seen.refresh(roots)
    (root / ".gitignore").write_text("a\n")
    (root / "a").write_text("2")
    (root / "b").write_text("new")
    told = await seen.changes(roots)
    assert Change(str(root / "a"), "1", "2") in told.known
    assert Change(str(root / "b"), None, "new") in told.known


async def test_rules_that_were_looked_at_before_the_pass_still_count(
    root: Path, roots: Roots
) -> None:
    repository(root, ".env")
    (root / ".env").write_text("1")
    seen, rules = Baselines(), root / ".gitignore"
    await seen.refresh(roots)
    rules.write_text("")
    assert await seen.look(str(rules)) == Change(str(rules), ".env\n", "")
    (root / ".env").write_text("2")
    assert await seen.changes(roots) == unknown(root / ".env")


async def test_new_rules_and_new_files_come_together(root: Path, roots: Roots) -> None:
    run(root, "init", "-q")
    seen = Baselines()
    await seen.refresh(roots)
    (root / ".gitignore").write_text("# what is built\ntarget/\n")
    (root / "a").write_text("1")
    (root / "target").mkdir()
    (root / "target/a").write_text("1")
    assert await seen.look(str(root / "a")) == Change(str(root / "a"), None, "1")
    assert await seen.changes(roots) == known(
        (root / ".gitignore", None, "# what is built\ntarget/\n")
    )


@pytest.mark.usefixtures("settled")
async def test_a_folder_that_was_moved_is_gone_there_and_new_here(root: Path) -> None:
    roots = Roots(str(root))
    (root / "old").mkdir()
    (root / "old/a").write_text("1")
    seen = plain()
    await seen.refresh(roots)
    os.rename(root / "old", root / "new")
    assert await seen.look(str(root / "new/a")) is None, "that is for the pass to judge"
    assert await seen.changes(roots) == known(
        (root / "old/a", "1", None), (root / "new/a", None, "1")
    )


async def test_when_git_stops_to_answer_what_it_ignored_is_not_new(root: Path) -> None:
    repository(root, "*.log")
    (root / "a.log").write_text("1")
    roots, seen = Roots(str(root)), Baselines()
    await seen.refresh(roots)
    os.rename(root / ".git", root / ".svn")
    assert await seen.changes(roots) == unknown(root / "a.log")


async def test_links_are_no_files_and_lead_nowhere(root: Path, roots: Roots) -> None:
    repository(root)
    (root / "folder").mkdir()
    (root / "folder/a").write_text("1")
    run(root, "add", ".")
    (root.parent / "outside").write_text("1")
    (root / "link").symlink_to(root.parent / "outside")
    seen = Baselines()
    await seen.refresh(roots)
    (root.parent / "outside").write_text("2")
    assert not seen.watches(str(root / "link"))
    os.rename(root / "folder", root / "moved")
    (root / "folder").symlink_to(root / "moved")
    assert set((await seen.changes(roots)).known) == {
        Change(str(root / "folder/a"), "1", None),
        Change(str(root / "moved/a"), None, "1"),
    }


async def test_what_we_wrote_ourselves_is_no_change(root: Path, roots: Roots) -> None:
    seen, file, latin = plain(), root / "a", root / "latin"
    latin.write_bytes(b"\xe9")
    await seen.refresh(roots)
    file.write_text("ours\n")
    seen.note(str(file), "ours\n")
    latin.write_bytes(b"\xe8")
    seen.note(str(latin), "è", "latin1")
    assert seen.text(str(file)) == "ours\n"
    assert await seen.changes(roots) == NOTHING
    latin.write_bytes(b"\xe9")
    seen.note(str(latin), "é")
    assert await seen.changes(roots) == NOTHING, "it was read as Latin-1 before, too"
    file.write_text("more\n")
    assert await seen.changes(roots) == known((file, "ours\n", "more\n"))
    file.unlink()
    seen.note(str(file), None)
    assert await seen.changes(roots) == NOTHING
    seen.note(str(file), "gone already")
    assert seen.text(str(file)) is None


def meanwhile(monkeypatch: pytest.MonkeyPatch, act: Callable[[str], None]) -> None:
    """Let something happen after a file was stat'ed and before it is read, once."""
    see, done = comparison.see, []

    def late(path: str, *rest: Any) -> Any:
        if not done:
            done.append(path)
            act(path)
        return see(path, *rest)

    monkeypatch.setattr(comparison, "see", late)


def ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the patience with a file that is being written end after some looks at the clock."""
    now = itertools.count(step=comparison.PATIENCE / 10)
    monkeypatch.setattr(comparison, "monotonic", lambda: next(now))


async def test_a_note_in_the_middle_of_a_pass_counts(
    root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, file = plain(), root / "a"
    file.write_text("1")
    await seen.refresh(roots)
    file.write_text("theirs")

    def write(path: str) -> None:
        file.write_text("ours")
        seen.note(path, "ours")

    meanwhile(monkeypatch, write)
    assert await seen.changes(roots) == NOTHING
    assert seen.text(str(file)) == "ours"
    assert await seen.changes(roots) == NOTHING


async def test_a_file_that_vanishes_while_we_look_is_gone_at_the_next(
    root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, file = plain(), root / "a"
    file.write_text("1")
    await seen.refresh(roots)
    file.write_text("2")
    meanwhile(monkeypatch, os.unlink)
    assert await seen.changes(roots) == NOTHING
    assert await seen.changes(roots) == known((file, "1", None))


@pytest.mark.parametrize("more", [5, 20])
async def test_a_file_that_grows_while_we_look_is_read_to_its_end(
    root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch, more: int
) -> None:
    seen, file = plain(largest=10), root / "a"
    file.write_text("1")
    await seen.refresh(roots)
    file.write_text("2")

    def grow(path: str) -> None:
        with open(path, "a", encoding="utf-8") as stream:
            stream.write("x" * more)

    meanwhile(monkeypatch, grow)
    told = await seen.changes(roots)
    assert told == (known((file, "1", "2xxxxx")) if more == 5 else unknown(file))
    assert seen.text(str(file)) == ("2xxxxx" if more == 5 else UNKNOWN)
    assert await seen.changes(roots) == (NOTHING if more == 5 else unknown(file))


async def test_a_file_that_is_being_written_is_read_when_that_is_over(
    root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, file = plain(quiet=3600.0), root / "a"
    file.write_text("old")
    await seen.refresh(roots)
    file.write_text("")
    writes = iter(["n", "new"])
    waited: list[float] = []

    def rest(seconds: float) -> None:
        waited.append(seconds)
        if text := next(writes, ""):
            file.write_text(text)
        else:
            past = time.time_ns() + 2 * 3600 * 10**9
            monkeypatch.setattr(comparison, "time_ns", lambda: past)

    monkeypatch.setattr(comparison, "sleep", rest)
    assert await seen.changes(roots) == known((file, "old", "new"))
    assert len(waited) == 3
    assert max(waited) <= comparison.PATIENCE


async def test_a_file_that_is_emptied_while_we_look_is_read_when_it_is_written(
    root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, file = plain(quiet=3600.0), root / "a"
    file.write_text("old")
    await seen.refresh(roots)
    file.write_text("older")
    late = iter([2 * 3600 * 10**9])
    monkeypatch.setattr(comparison, "time_ns", lambda: time.time_ns() + next(late, 0))
    monkeypatch.setattr(comparison, "sleep", lambda _: file.write_text("new"))
    ticking(monkeypatch)
    meanwhile(monkeypatch, lambda path: Path(path).write_text(""))
    assert await seen.look(str(file)) == Change(str(file), "old", "new")


async def test_a_file_that_is_written_on_and_on_is_read_all_the_same(
    root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, file = plain(quiet=3600.0), root / "a"
    file.write_text("")
    await seen.refresh(roots)
    file.write_text("1")
    ticking(monkeypatch)
    monkeypatch.setattr(comparison, "sleep", lambda _: file.write_text(file.read_text() + "1"))
    told = (await seen.changes(roots)).known
    assert [set(it.after or "") for it in told] == [{"1"}]


async def test_what_becomes_a_folder_or_a_pipe_is_gone(root: Path, roots: Roots) -> None:
    seen = plain()
    (root / "a").write_text("1")
    (root / "b").write_text("1")
    await seen.refresh(roots)
    for name in "ab":
        (root / name).unlink()
    (root / "a").mkdir()
    os.mkfifo(root / "b")
    told = await seen.changes(roots)
    assert set(told.known) == {Change(str(root / it), "1", None) for it in "ab"}


async def test_an_unreadable_file_keeps_its_text_until_it_can_be_read(
    root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, file = plain(), root / "a"
    file.write_text("1")
    await seen.refresh(roots)
    file.write_text("2")

    def refuse(path: str, size: int, largest: int) -> bytes:
        raise PermissionError(path)

    with monkeypatch.context() as patch:
        patch.setattr(sight, "_read", refuse)
        assert await seen.changes(roots) == NOTHING
    assert await seen.changes(roots) == known((file, "1", "2"))


async def test_calls_at_the_same_time_tell_each_change_once(root: Path, roots: Roots) -> None:
    seen = plain()
    for number in range(20):
        (root / str(number)).write_text("1")
    await seen.refresh(roots)
    for number in range(20):
        (root / str(number)).write_text("2")
    told: list[Change | None] = []

    async def look(number: int) -> None:
        told.append(await seen.look(str(root / str(number))))

    async def sweep() -> None:
        told.extend((await seen.changes(roots)).known)

    async with anyio.create_task_group() as tasks:
        for number in range(20):
            tasks.start_soon(look, number)
            if number in (5, 15):
                tasks.start_soon(sweep)
    assert sorted(it.path for it in told if it) == sorted(str(root / str(it)) for it in range(20))


NAMES = st.sampled_from(("a", "b", "d/a", "d/b", "d/e/a"))
TEXTS = st.sampled_from(("1", "2", "three\n", ""))
ACTS = st.one_of(
    st.tuples(st.sampled_from(("write", "replace", "note")), NAMES, TEXTS),
    st.tuples(st.sampled_from(("delete", "drop", "touch", "look")), NAMES),
    st.tuples(st.just("rename"), NAMES, NAMES),
    st.tuples(st.sampled_from(("changes", "refresh"))),
)


class Model:
    """A folder, and what its baselines must have seen: a path that is not in a dict is no file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.roots = Roots(str(folder))
        self.baselines = plain()
        self.disk: dict[str, str] = {}
        self.seen: dict[str, str] = {}

    async def play(self, acts: list[tuple[str, ...]]) -> None:
        await self.baselines.refresh(self.roots)
        for act, *rest in [*acts, ("changes",)]:
            if act in ("changes", "refresh"):
                await self.sweep(act)
            elif act == "look":
                await self.look(rest[0])
            else:
                getattr(self, act)(*rest)

    async def sweep(self, act: str) -> None:
        told: Changes = await getattr(self.baselines, act)(self.roots)
        assert told.unknown == ()
        assert len(set(told.known)) == len(told.known)
        names = self.disk.keys() | self.seen.keys()
        assert set(told.known) == {it for it in map(self.change, names) if it}
        self.seen = dict(self.disk)
        for name in names:
            assert self.baselines.text(str(self.folder / name)) == self.disk.get(name)

    async def look(self, name: str) -> None:
        assert await self.baselines.look(str(self.folder / name)) == self.change(name)
        self.settle(name)

    def change(self, name: str) -> Change | None:
        before, after = self.seen.get(name), self.disk.get(name)
        return None if before == after else Change(str(self.folder / name), before, after)

    def settle(self, name: str) -> None:
        self.seen.pop(name, None)
        if name in self.disk:
            self.seen[name] = self.disk[name]

    def write(self, name: str, text: str) -> None:
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text)
        self.disk[name] = text

    def replace(self, name: str, text: str) -> None:
        self.write("new~", text)
        self.rename("new~", name)

    def note(self, name: str, text: str) -> None:
        self.write(name, text)
        self.baselines.note(str(self.folder / name), text)
        self.settle(name)

    def delete(self, name: str) -> None:
        if self.disk.pop(name, None) is not None:
            (self.folder / name).unlink()

    def drop(self, name: str) -> None:
        self.delete(name)
        self.baselines.note(str(self.folder / name), None)
        self.settle(name)

    def touch(self, name: str) -> None:
        if name in self.disk:
            os.utime(self.folder / name, (1, 1))

    def rename(self, name: str, to: str) -> None:
        if name in self.disk:
            (self.folder / to).parent.mkdir(parents=True, exist_ok=True)
            os.rename(self.folder / name, self.folder / to)
            self.disk[to] = self.disk.pop(name)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(acts=st.lists(ACTS, max_size=25))
def test_whatever_happens_each_change_is_told_once_and_right(
    acts: list[tuple[str, ...]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        anyio.run(Model(Path(os.path.realpath(folder))).play, acts)
