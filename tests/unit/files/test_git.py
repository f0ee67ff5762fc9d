"""What git tells of a folder, and what is told where there is no git."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from acp_nvim.errors import UserError
from acp_nvim.files import git

AUTHOR = ("-c", "user.name=a", "-c", "user.email=a@b")


def run(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *AUTHOR, *arguments], cwd=folder, check=True, capture_output=True)


def fill(folder: Path) -> None:
    (folder / "src").mkdir()
    for name in ("a b.py", "src/ü.py", "src/ignored.log", ".hidden", "new\nline"):
        (folder / name).write_text("1\n")


async def test_a_repository_lists_what_it_does_not_ignore(tmp_path: Path) -> None:
    fill(tmp_path)
    (tmp_path / ".gitignore").write_text("*.log\n")
    run(tmp_path, "init", "-q")
    run(tmp_path, "add", "src/ü.py")
    assert await git.files(str(tmp_path)) == [".gitignore", ".hidden", "a b.py", "src/ü.py"]
    assert await git.files(str(tmp_path / "src")) == ["ü.py"]


async def test_a_plain_folder_lists_what_is_not_hidden(tmp_path: Path) -> None:
    fill(tmp_path)
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache" / "x").write_text("")
    assert await git.files(str(tmp_path)) == ["a b.py", "src/ignored.log", "src/ü.py"]


async def test_names_have_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path)
    monkeypatch.setattr(git, "MOST_NAMES", 1)
    assert await git.files(str(tmp_path)) == ["a b.py"]
    run(tmp_path, "init", "-q")
    assert await git.files(str(tmp_path)) == [".hidden"]


async def test_without_git_there_are_still_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path)
    monkeypatch.setenv("PATH", "/nowhere")
    assert "a b.py" in await git.files(str(tmp_path))
    with pytest.raises(UserError, match="no diff"):
        await git.diff(str(tmp_path), 1000)


async def test_the_diff_before_and_after_the_first_commit(tmp_path: Path) -> None:
    run(tmp_path, "init", "-q")
    (tmp_path / "a").write_text("one\n")
    run(tmp_path, "add", "a")
    (tmp_path / "a").write_text("two\n")
    assert "-one\n+two\n" in await git.diff(str(tmp_path), 1000)
    run(tmp_path, "commit", "-qam", "x")
    assert await git.diff(str(tmp_path), 1000) == ""


async def test_a_long_diff_is_cut(tmp_path: Path) -> None:
    run(tmp_path, "init", "-q")
    run(tmp_path, "commit", "-q", "--allow-empty", "-m", "x")
    (tmp_path / "a").write_text("x\n" * 500_000)
    run(tmp_path, "add", "a")
    text = await git.diff(str(tmp_path), 1000)
    assert text.endswith("[the rest of the diff is left out]\n")
    assert len(text) < 1100
