"""A repository may be anyone's: whatever its configuration names, nothing of it is run."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from acp_nvim.errors import UserError
from acp_nvim.files import git
from tests.unit.files.test_git import run

LIMIT = 100_000


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a repository with a commit and a change; what it runs touches `ran` beside it."""
    folder = tmp_path / "project"
    folder.mkdir()
    run(folder, "init", "-q")
    (folder / "a.txt").write_text("one\n")
    (folder / "b.evil").write_text("one\n")
    run(folder, "add", ".")
    run(folder, "commit", "-qm", "x")
    (folder / "a.txt").write_text("two\n")
    (folder / "b.evil").write_text("two\n")
    return folder


def evil(project: Path, name: str = "ran") -> str:
    """Return a command that leaves a trace, and passes on what it reads."""
    script = project.parent / f"{name}.sh"
    script.write_text(f"#!/bin/sh\ntouch {project.parent}/{name}\nexec cat\n")
    script.chmod(0o755)
    return str(script)


async def look(project: Path) -> str:
    """Do all that is ever asked of git."""
    await git.files(str(project))
    await git.listing(str(project), LIMIT)
    await git.listing(str(project), LIMIT, "a.txt")
    await git.ignored(str(project), LIMIT)
    return await git.diff(str(project), LIMIT)


CONFIGURATIONS = {
    "fsmonitor": '[core]\n fsmonitor = "EVIL"\n',
    "hooks": "[core]\n hooksPath = HOOKS\n",
    "pager": '[core]\n pager = "EVIL"\n[pager]\n diff = "EVIL"\n ls-files = "EVIL"\n',
    "clean": '[filter "evil"]\n clean = "EVIL"\n smudge = "EVIL"\n required = true\n',
    "process": '[filter "evil"]\n process = "EVIL"\n required = true\n',
    "a filter with dots": '[filter "e.v.i.l"]\n clean = "EVIL"\n',
    "case": '[FILTER "Evil"]\n CLEAN = "EVIL"\n',
    "external": '[diff]\n external = "EVIL"\n',
    "driver": '[diff "evil"]\n command = "EVIL"\n',
    "textconv": '[diff "evil"]\n textconv = "EVIL"\n cachetextconv = true\n',
    "alias": '[alias]\n diff = "!EVIL"\n ls-files = "!EVIL"\n config = "!EVIL"\n',
    "include": "[include]\n path = INCLUDED\n",
    "conditional include": '[includeIf "gitdir:**"]\n path = INCLUDED\n',
}


@pytest.mark.parametrize("kind", CONFIGURATIONS)
async def test_nothing_of_the_configuration_is_run(project: Path, kind: str) -> None:
    command = evil(project)
    (project.parent / "included").write_text(f'[filter "evil"]\n clean = "{command}"\n')
    hooks = project.parent / "hooks"
    hooks.mkdir()
    for hook in ("post-index-change", "fsmonitor-watchman", "pre-auto-gc", "reference-transaction"):
        (hooks / hook).write_text(Path(command).read_text())
        (hooks / hook).chmod(0o755)
    for hook in hooks.iterdir():
        (project / ".git/hooks" / hook.name).write_text(hook.read_text())
        (project / ".git/hooks" / hook.name).chmod(0o755)
    text = CONFIGURATIONS[kind].replace("EVIL", command).replace("HOOKS", str(hooks))
    with (project / ".git/config").open("a") as config:
        config.write(text.replace("INCLUDED", str(project.parent / "included")))
    name = {"a filter with dots": "e.v.i.l", "case": "Evil"}.get(kind, "evil")
    (project / ".gitattributes").write_text(f"* filter={name} diff={name} merge={name}\n")
    (project / ".git/info/attributes").write_text(f"*.evil filter={name} diff={name}\n")
    said = await look(project)
    assert "+two" in said
    assert not (project.parent / "ran").exists()
    # the trap is one: git itself, as a user calls it, is caught by the filters
    if "filter" in text or "include" in kind:
        output(project, "diff")
        assert (project.parent / "ran").exists()


async def test_hooks_that_are_configured_are_off(project: Path) -> None:
    """From 2.54 on git runs these whatever `core.hooksPath` is; an older one knows the keys."""
    with (project / ".git/config").open("a") as config:
        for name in ("lint", "e.v i l"):
            config.write(f'[hook "{name}"]\n event = post-checkout\n event = pre-commit\n')
            config.write(f' enabled = true\n command = "{evil(project)}"\n')
        config.write("[hook]\n jobs = 2\n")
    off = await git.without_filters(str(project))
    assert off is not None
    for name in ("lint", "e.v i l"):
        events = output(project, *off, "config", "-z", "--get-all", f"hook.{name}.event")
        assert events.split("\0") == ["post-checkout", "pre-commit", "", ""]  # the last resets
        assert output(project, *off, "config", "--bool", f"hook.{name}.enabled") == "false"
    assert "+two" in await look(project)


async def test_a_filter_whose_name_cannot_be_turned_off_stops_the_diff(project: Path) -> None:
    with (project / ".git/config").open("a") as config:
        config.write(f'[filter "a=b"]\n clean = "{evil(project)}"\n')
    (project / ".gitattributes").write_text("* filter=a=b\n")
    with pytest.raises(UserError, match="no diff"):
        await look(project)
    assert not (project.parent / "ran").exists()


async def test_nothing_of_a_submodule_is_run(project: Path) -> None:
    inner = project / "inner"
    inner.mkdir()
    run(inner, "init", "-q")
    (inner / "c.txt").write_text("one\n")
    run(inner, "add", ".")
    run(inner, "commit", "-qm", "x")
    run(project, "add", "inner")
    run(project, "commit", "-qm", "with it")
    command = evil(project)
    with (inner / ".git/config").open("a") as config:
        config.write(f'[core]\n fsmonitor = "{command}"\n[filter "evil"]\n clean = "{command}"\n')
    (inner / ".gitattributes").write_text("* filter=evil\n")
    (inner / "c.txt").write_text("two\n")
    with (project / ".git/config").open("a") as config:
        config.write("[diff]\n submodule = diff\n ignoreSubmodules = none\n")
    await look(project)
    assert not (project.parent / "ran").exists()


def output(project: Path, *arguments: str) -> str:
    told = subprocess.run(["git", *arguments], cwd=project, capture_output=True, check=False)
    return told.stdout.decode().strip()


async def test_what_a_partial_clone_lacks_is_not_fetched(project: Path) -> None:
    command = evil(project)
    found = output(project, "rev-parse", "HEAD:a.txt")
    (project / ".git/objects" / found[:2] / found[2:]).unlink()
    with (project / ".git/config").open("a") as config:
        config.write(
            "[extensions]\n partialClone = origin\n"
            '[remote "origin"]\n promisor = true\n url = ssh://host/x\n'
            f'[core]\n repositoryformatversion = 1\n sshCommand = "{command}"\n'
            '[protocol]\n allow = always\n[protocol "ssh"]\n allow = always\n'
        )
    with pytest.raises(UserError, match="no diff"):
        await look(project)
    assert not (project.parent / "ran").exists()


async def test_a_folder_made_like_a_bare_repository_is_none(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    run(tmp_path, "init", "-q", "--bare", str(folder))
    with (folder / "config").open("a") as config:
        config.write(
            f'[core]\n bare = false\n worktree = {folder}\n fsmonitor = "{evil(folder)}"\n'
        )
    assert await git.listing(str(folder), LIMIT) is None
    assert not (tmp_path / "ran").exists()


async def test_a_work_tree_elsewhere_is_not_told(project: Path) -> None:
    (project.parent / "secret").write_text("first\n")
    run(project, "config", "core.worktree", str(project.parent))
    run(project, "add", "-f", "../secret")
    (project.parent / "secret").write_text("hunter2\n")
    assert "hunter2" not in await git.diff(str(project), LIMIT)


async def test_what_was_said_to_another_git_does_not_count(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = evil(project)
    for name in ("GIT_EXTERNAL_DIFF", "GIT_SSH", "GIT_PAGER", "GIT_PROXY_COMMAND"):
        monkeypatch.setenv(name, command)
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", command)
    assert "+two" in await look(project)
    assert not (project.parent / "ran").exists()


async def test_a_program_of_the_project_is_not_taken_for_git(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "git").write_text(Path(evil(project)).read_text())
    (project / "git").chmod(0o755)
    monkeypatch.chdir(project)
    monkeypatch.setenv("PATH", ".::" + os.environ["PATH"])
    assert "+two" in await look(project)
    assert not (project.parent / "ran").exists()


async def test_a_repository_of_somebody_else_is_left_alone(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = git.environment
    monkeypatch.setattr(
        git, "environment", lambda: known() | {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}
    )
    assert await git.listing(str(project), LIMIT) is None
    with pytest.raises(UserError, match="no diff"):
        await git.diff(str(project), LIMIT)
