"""git that does not answer is named, with what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_nvim.errors import UserError
from acp_nvim.files import git
from tests.unit.files.test_git import run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "my project"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "a.py").write_text("1\n")
    run(folder, "init", "-q")
    return folder


def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Let `git` be a script."""
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")


async def test_a_sound_repository_is_not_named(project: Path) -> None:
    assert await git.refusal(str(project)) is None
    assert await git.refusal(str(project / "src")) is None


async def test_a_folder_without_one_is_not_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert await git.refusal(str(tmp_path)) is None


async def test_dubious_ownership(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(
        tmp_path,
        monkeypatch,
        f"echo \"fatal: detected dubious ownership in repository at '{project}'\" >&2; exit 128",
    )
    said = await git.refusal(str(project / "src"))
    assert said is not None
    assert f"git config --global --add safe.directory '{project}'" in said
    with pytest.raises(UserError, match=r"safe\.directory"):
        await git.diff(str(project), 1000)
    assert "src/a.py" in await git.files(str(project))  # the rest goes on


async def test_real_dubious_ownership(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.setattr(git, "environment", lambda: git._ALONE | {"PATH": "/usr/bin:/bin"} | OTHER)
    assert "safe.directory" in (await git.refusal(str(project)) or "")


OTHER = {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1", "HOME": "/nowhere"}


@pytest.mark.parametrize("broken", ["HEAD", "config", "file", "empty"])
async def test_a_broken_repository(project: Path, broken: str) -> None:
    inside = project / ".git"
    if broken == "HEAD":
        (inside / "HEAD").unlink()
    elif broken == "config":
        (inside / "config").write_text("[core\n")
    else:
        for path in sorted(inside.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        inside.rmdir()
        inside.write_text("gitdir: /nowhere\n" if broken == "file" else "")
    said = await git.refusal(str(project))
    assert said is not None and str(project) in said and "git status" in said
    assert "\n" not in said


async def test_no_git(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert "git is not on your PATH" in (await git.refusal(str(project)) or "")


async def test_a_git_that_is_too_old(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(
        tmp_path,
        monkeypatch,
        'echo "error: unknown option \\`deduplicate\'" >&2; exit 129',
    )
    assert "too old: install 2.31" in (await git.refusal(str(project)) or "")


async def test_a_git_without_an_end_is_no_trouble(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git, "PATIENCE", 0.2)
    fake(tmp_path, monkeypatch, "exec sleep 60")
    assert await git.refusal(str(project)) is None


async def test_a_git_that_has_hung_is_asked_again_only_after_some_time(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each write would wait for it; what nobody knows meanwhile is guarded."""
    monkeypatch.setattr(git, "PATIENCE", 0.2)
    asked = tmp_path / "asked"
    fake(tmp_path, monkeypatch, f"echo x >> {asked}; exec sleep 60")
    for _ in range(3):
        assert await git.settings(str(project)) is None
        assert await git.listing(str(project), 100) is None
        assert git.hangs(str(project))
        assert asked.read_text() == "x\n"
    monkeypatch.setattr(git, "HUNG", -1.0)
    git._hung.clear()
    for count in (2, 3):
        assert await git.settings(str(project)) is None
        assert asked.read_text() == "x\n" * count
