"""What changed on disk since it was last seen: told once, with the text before and after."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from acp_nvim.files.baselines.baselines import UNKNOWN, Baselines, DiskChange
from acp_nvim.files.roots import Roots
from tests.support.files.baselines import NOTHING, known, plain, repository


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
        b"caf\xe9\n": "caf\udce9\n",
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


async def test_a_buffers_encoding_tells_that_it_is_wide(root: Path, roots: Roots) -> None:
    seen, file = plain(), root / "wide"
    file.write_bytes("ж\n".encode("utf-16-le"))
    await seen.refresh(roots)
    assert seen.text(str(file)) is UNKNOWN
    assert seen.text(str(file), "utf-16le") == "\udd16ж\n"
    file.write_bytes("ю\n".encode("utf-16-le"))
    told = await seen.changes(roots, {str(file): "utf-16le"})
    assert told == known((file, "\udd16ж\n", "\udd16ю\n"))
    file.write_bytes("я\n".encode("utf-16-le"))
    told_one = await seen.look(str(file), "utf-16le")
    assert told_one == DiskChange(str(file), "\udd16ю\n", "\udd16я\n")


async def test_the_same_text_in_other_bytes_is_a_change(root: Path, roots: Roots) -> None:
    seen, file = plain(), root / "latin"
    file.write_bytes(b"caf\xe9\n")
    await seen.refresh(roots)
    file.write_bytes("café\n".encode())
    assert await seen.changes(roots) == known((file, "caf\udce9\n", "café\n"))


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


async def test_what_we_wrote_ourselves_is_no_change(root: Path, roots: Roots) -> None:
    seen, file, latin = plain(), root / "a", root / "latin"
    latin.write_bytes(b"\xe9")
    await seen.refresh(roots)
    file.write_text("ours\n")
    seen.note(str(file), "ours\n")
    latin.write_bytes(b"\xe8")
    seen.note(str(latin), "\udce8")
    assert seen.text(str(file)) == "ours\n"
    assert await seen.changes(roots) == NOTHING
    latin.write_bytes(b"\xe9")
    seen.note(str(latin), "\udce9")
    assert await seen.changes(roots) == NOTHING
    file.write_text("more\n")
    assert await seen.changes(roots) == known((file, "ours\n", "more\n"))
    file.unlink()
    seen.note(str(file), None)
    assert await seen.changes(roots) == NOTHING
    seen.note(str(file), "gone already")
    assert seen.text(str(file)) is None
