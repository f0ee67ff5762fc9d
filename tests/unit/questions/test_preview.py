"""What a permission is about, as the files are: live text, unsaved edits, what does not fit."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from acp_nvim.files.roots import Roots
from acp_nvim.questions import preview as previews
from acp_nvim.questions.preview import PreviewService
from acp_nvim.session.content import Diff
from acp_nvim.session.proposal.proposal import Preview
from acp_nvim.session.state import ToolCall
from tests.conformance.requests.files import put
from tests.support.fakes.fake_ports import FakeFiles

TEXT = "one\ntwo\nthree\nfour\nfive\n"
EDIT = {"old_string": "two", "new_string": "TWO"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path.resolve() / "a.txt"
    file.write_text(TEXT)
    return file


async def gathered(path: Path, raw: Any, *content: Diff, files: FakeFiles | None = None) -> Any:
    """Return the preview of one file, None if there is none."""
    raw_input = json.dumps({"path": str(path), **raw}) if raw is not None else None
    call = ToolCall("tool:t", "t", 1, kind="edit", content=content, raw_input=raw_input)
    found = await PreviewService(files or FakeFiles()).gather(call, Roots(str(path.parent)))
    return found[0][0] if found else None


async def test_a_file_on_disk_as_it_is_and_would_be(path: Path) -> None:
    expected = Preview(str(path), TEXT, TEXT.replace("two", "TWO"))
    assert await gathered(path, EDIT) == expected


async def test_a_file_that_only_the_input_names_is_told_beside_a_diff_of_another(
    path: Path,
) -> None:
    diff = Diff(str(path), "two", "TWO")
    for other in ("/etc/profile", str(path.parent / "b.txt"), "/a\0b"):
        raw_input = json.dumps({"path": other, "content": "x\n"})
        call = ToolCall("tool:t", "t", 1, kind="edit", content=(diff,), raw_input=raw_input)
        found = await PreviewService(FakeFiles()).gather(call, Roots(str(path.parent)))
        assert [it.path for it, _ in found] == [str(path), other]
        assert found[1][0].contradicted is (other != str(path.parent / "b.txt"))
    link = path.parent / "link.txt"
    link.symlink_to(path)
    assert not (await gathered(link, EDIT, diff)).contradicted
    assert (await gathered(link, {**EDIT, "new_string": "evil"}, diff)).contradicted


async def test_a_new_file_and_one_that_goes(path: Path) -> None:
    new = path.parent / "folder" / "new.txt"
    found = await gathered(new, {"content": "x\n"})
    assert (found.before, found.after) == (None, "x\n")
    assert not new.parent.exists()
    call = ToolCall("tool:t", "t", 1, kind="delete", raw_input=json.dumps({"path": str(path)}))
    ((gone, _),) = await PreviewService(FakeFiles()).gather(call, Roots(str(path.parent)))
    assert (gone.before, gone.after) == (TEXT, None)


async def test_unsaved_edits_are_in_both_texts(path: Path) -> None:
    files = FakeFiles()
    files.open(path, "one", "two", "three", "four", "5")
    live = "one\ntwo\nthree\nfour\n5\n"
    found = await gathered(path, EDIT, files=files)
    assert (found.before, found.after) == (live, live.replace("two", "TWO"))
    assert found.unsaved
    whole = await gathered(path, {"content": TEXT.replace("two", "TWO")}, files=files)
    assert (whole.before, whole.after) == (found.before, found.after)
    diff = Diff(str(path), TEXT, TEXT.replace("two", "TWO"))
    told = await gathered(path, None, diff, files=files)
    assert (told.before, told.after) == (found.before, found.after)


async def test_an_agent_that_has_read_the_unsaved_text(path: Path) -> None:
    files = FakeFiles()
    files.open(path, "one", "2", "three", "four", "five")
    found = await gathered(path, {"old_string": "2", "new_string": "TWO"}, files=files)
    assert found.after == TEXT.replace("two", "TWO")
    whole = await gathered(path, {"content": "one\n2\nthree\n4\nfive\n"}, files=files)
    assert whole.after == "one\n2\nthree\n4\nfive\n"


async def test_what_changes_the_same_as_unsaved_edits_does_not_fit(path: Path) -> None:
    files = FakeFiles()
    files.open(path, "one", "2", "three", "four", "five")
    for raw in (EDIT, {"content": TEXT.replace("two", "TWO")}):
        found = await gathered(path, raw, files=files)
        assert "unsaved edits" in found.misfit
        assert found.before is found.after is None


async def test_what_does_not_fit_says_why_and_keeps_what_the_agent_told(path: Path) -> None:
    diff = Diff(str(path), "six", "6")
    found = await gathered(path, None, diff)
    assert found.misfit == "what is to be replaced is not in it"
    assert found.told == (diff,)


async def test_an_unmodified_buffer_counts_as_its_file(path: Path) -> None:
    files = FakeFiles()
    files.open(path)
    assert not (await gathered(path, EDIT, files=files)).unsaved


async def test_a_file_that_was_deleted_under_its_buffer_is_still_the_users(path: Path) -> None:
    files = FakeFiles()
    files.open(path)
    os.unlink(path)
    found = await gathered(path, EDIT, files=files)
    assert (found.before, found.unsaved) == (TEXT, True)


async def test_a_new_buffer_without_a_file_is_no_file(path: Path) -> None:
    files = FakeFiles()
    new = path.parent / "new.txt"
    files.open(new)
    found = await gathered(new, {"content": "x"}, files=files)
    assert (found.before, found.unsaved) == (None, False)


async def test_nothing_outside_of_the_roots_is_read(path: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to(path)
    for name in (path, root / "link", root / ".." / "a.txt"):
        call = ToolCall(
            "tool:t", "t", 1, kind="edit", raw_input=json.dumps({"path": str(name), **EDIT})
        )
        assert await PreviewService(FakeFiles()).gather(call, Roots(str(root))) == ()


async def test_what_is_no_text_or_too_large_or_no_file_has_no_preview(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(path, "two\0")
    assert await gathered(path, EDIT) is None
    assert await gathered(path, {"content": "x"}) is None
    assert await gathered(path.parent, {"content": "x"}) is None
    fifo = path.parent / "fifo"
    os.mkfifo(fifo)
    assert await gathered(fifo, {"content": "x"}) is None
    put(path, TEXT)
    monkeypatch.setattr(previews, "LARGEST", 3)
    assert await gathered(path, EDIT) is None


async def test_a_relative_path_is_one_of_the_working_folder(path: Path) -> None:
    call = ToolCall("tool:t", "t", 1, kind="edit", raw_input=json.dumps({"path": "a.txt", **EDIT}))
    ((found, _),) = await PreviewService(FakeFiles()).gather(call, Roots(str(path.parent)))
    assert found.path == str(path)
    assert not found.misfit
