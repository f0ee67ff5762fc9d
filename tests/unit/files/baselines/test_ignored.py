"""What git ignores, or ignored, and what was moved: in doubt a file is not new."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from acp_nvim.files.baselines.baselines import Baselines, DiskChange
from acp_nvim.files.roots import Roots
from tests.support.files.baselines import NOTHING, known, plain, repository, run, unknown


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
    assert await seen.look(str(root / "new[1]*")) == DiskChange(str(root / "new[1]*"), None, "1")
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
    assert DiskChange(str(root / "a"), None, "1") in (await seen.changes(roots)).known


async def test_stricter_rules_hide_nothing_that_was_seen(root: Path, roots: Roots) -> None:
    repository(root)
    (root / "a").write_text("1")
    seen = Baselines()
    await seen.refresh(roots)
    (root / ".gitignore").write_text("a\n")
    (root / "a").write_text("2")
    (root / "b").write_text("new")
    told = await seen.changes(roots)
    assert DiskChange(str(root / "a"), "1", "2") in told.known
    assert DiskChange(str(root / "b"), None, "new") in told.known


async def test_rules_that_were_looked_at_before_the_pass_still_count(
    root: Path, roots: Roots
) -> None:
    repository(root, ".env")
    (root / ".env").write_text("1")
    seen, rules = Baselines(), root / ".gitignore"
    await seen.refresh(roots)
    rules.write_text("")
    assert await seen.look(str(rules)) == DiskChange(str(rules), ".env\n", "")
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
    assert await seen.look(str(root / "a")) == DiskChange(str(root / "a"), None, "1")
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
        DiskChange(str(root / "folder/a"), "1", None),
        DiskChange(str(root / "moved/a"), None, "1"),
    }
