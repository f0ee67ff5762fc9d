"""An agent builds repositories by `fs/write` alone, and the user's own git runs nothing unasked.

Each way is real: without the guard it runs the agent's program.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest

from acp_nvim.config import GUARD
from acp_nvim.errors import RequestFailed
from acp_nvim.files import git
from acp_nvim.files.guard import Guard, is_guarded
from acp_nvim.session.content import Diff
from acp_nvim.session.request import WriteFileRequest
from tests.support.files.file_rig import FileRig
from tests.unit.files.test_git import run


def nothing(_project: Path) -> None:
    """The project has what each has: a repository with a commit."""


@dataclass(frozen=True)
class Way:
    """What is in the project before, and what the agent writes then: EVIL is a command, and PROJECT
    the folder."""

    files: tuple[tuple[str, str], ...]
    before: Callable[[Path], object] = field(default=nothing)


HEAD = "ref: refs/heads/main\n"
MONITOR = '[core]\n fsmonitor = "EVIL #"\n'
CONFIG = f"{MONITOR} repositoryformatversion = 0\n bare = false\n worktree = PROJECT\n"
BARE = (("m/config", CONFIG), ("m/objects/a", ""), ("m/refs/a", ""), ("m/HEAD", HEAD))
COMMON = (
    ("m/config", f"{CONFIG}[extensions]\n worktreeConfig = true\n"),
    ("m/objects/a", ""),
    ("m/refs/a", ""),
)
LINKED = (
    ("x/config.worktree", "[core]\n worktree = PROJECT\n bare = false\n"),
    ("x/HEAD", HEAD),
    ("x/commondir", "../m\n"),
)
SCRIPT = "#!/bin/sh\nEVIL\n"


def write(project: Path, name: str, text: str) -> None:
    (project / name).parent.mkdir(exist_ok=True)
    (project / name).write_text(text.replace("PROJECT", str(project)))


def script(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)


def hooks_in_the_project(project: Path) -> None:
    script(project / "tools/hooks/post-index-change")
    run(project, "config", "core.hooksPath", "tools/hooks")


def hooks_of_husky(project: Path) -> None:
    script(project / ".husky/post-index-change")
    runs = project / ".husky/_/post-index-change"
    script(runs)
    runs.write_text('#!/bin/sh\nexec "$(dirname "$0")/../post-index-change"\n')
    run(project, "config", "core.hooksPath", ".husky/_")


def a_linked_hook(project: Path) -> None:
    script(project / "scripts/check")
    (project / ".git/hooks").mkdir(exist_ok=True)
    (project / ".git/hooks/post-index-change").symlink_to("../../scripts/check")


def linked_hooks(project: Path) -> None:
    script(project / "scripts/post-index-change")
    for file in (project / ".git/hooks").glob("*"):
        file.unlink()
    (project / ".git/hooks").rmdir()
    (project / ".git/hooks").symlink_to("../scripts")


def an_include(project: Path) -> None:
    run(project, "config", "include.path", "../.gitconfig")


def a_monitor(project: Path) -> None:
    script(project / "tools/monitor.sh")
    run(project, "config", "core.fsmonitor", "tools/monitor.sh")


def a_command(command: str, name: str = "tools/monitor.sh") -> Way:
    def before(project: Path) -> None:
        script(project / name)
        run(project, "config", "core.fsmonitor", command)

    return Way(((name, SCRIPT),), before)


def a_link_of_the_user(name: str) -> Way:
    """Their own configuration is a file of the project, which has nothing yet."""

    def before(project: Path) -> None:
        link = project.parent / "home" / name
        link.parent.mkdir(parents=True, exist_ok=True)
        (project / "mine").touch()
        link.symlink_to(project / "mine")

    return Way((("mine", MONITOR),), before)


def a_filter(project: Path) -> None:
    script(project / "tools/clean.sh")
    run(project, "config", "filter.x.clean", "sh 'tools/clean.sh' %f")
    (project / ".gitattributes").write_text("a.txt filter=x\n")
    os.utime(project / "a.txt", (1, 1))


def a_submodule(project: Path) -> None:
    other = project.parent / "other"
    other.mkdir()
    repository(other)
    allow = ("-c", "protocol.file.allow=always")
    run(project, *allow, "submodule", "--quiet", "add", "--force", str(other), "deep/sub")


def a_hook_of_a_submodule_by_another_name(project: Path) -> None:
    a_submodule(project)
    hook = project / ".git/modules/deep/sub/hooks/post-index-change"
    script(hook)
    (project / "innocent").hardlink_to(hook)


def a_hook_of_a_repository_within_by_another_name(project: Path) -> None:
    (project / "deep/er").mkdir(parents=True)
    repository(project / "deep/er")
    hook = project / "deep/er/.git/hooks/post-index-change"
    script(hook)
    (project / "innocent").hardlink_to(hook)


def a_separate_folder(project: Path) -> None:
    run(project, "init", "--quiet", "--separate-git-dir", str(project / "elsewhere"))


def a_worktree(project: Path) -> None:
    run(project, "worktree", "add", "--quiet", "wt")
    run(project, "config", "extensions.worktreeConfig", "true")
    (project / ".git").rename(project / "meta")
    (project / ".git").symlink_to("meta")


WAYS = {
    **{f"bare, {number} parts later": Way((*BARE[number:], *BARE[:number])) for number in range(4)},
    "bare, but a head that is a link": Way(
        BARE[:3], lambda it: (it / "m").mkdir() or (it / "m/HEAD").symlink_to("refs/heads/main")
    ),
    "a common folder": Way((*COMMON, *LINKED)),
    "a common folder that is last": Way((*LINKED, *COMMON)),
    "a common folder, whose name is there": Way(
        (*COMMON, *LINKED[:2]),
        lambda it: write(it, *LINKED[2]),
    ),
    "a common folder, all of whose names are there": Way(
        COMMON,
        lambda it: [write(it, name, text) for name, text in LINKED],
    ),
    "a file .git": Way((*BARE[:3], ("s/.git", "gitdir: ../m\n"), BARE[3])),
    "a folder .git": Way(tuple((f"s/.git/{name[2:]}", text) for name, text in BARE)),
    "hooks in the project": Way((("tools/hooks/post-index-change", SCRIPT),), hooks_in_the_project),
    "hooks of husky": Way(((".husky/post-index-change", SCRIPT),), hooks_of_husky),
    "a linked hook": Way((("scripts/check", SCRIPT),), a_linked_hook),
    "linked hooks": Way((("scripts/post-index-change", SCRIPT),), linked_hooks),
    "an include": Way(((".gitconfig", MONITOR),), an_include),
    "a monitor": Way((("tools/monitor.sh", SCRIPT),), a_monitor),
    "a monitor by the folder of all": a_command(
        '"$(git rev-parse --show-toplevel)"/tools/monitor.sh'
    ),
    "a monitor by another folder": a_command("cd tools && sh monitor.sh"),
    "a monitor by a variable": a_command('"${PWD}/tools/monitor.sh"'),
    "a monitor by a pattern": a_command("sh tools/mon*.sh"),
    "a monitor with a blank": a_command("'my tools/monitor.sh'", "my tools/monitor.sh"),
    "a configuration of the user that is a link": a_link_of_the_user(".gitconfig"),
    "another configuration of the user": a_link_of_the_user(".config/git/config"),
    "a filter": Way((("tools/clean.sh", SCRIPT),), a_filter),
    "a submodule": Way(
        ((".git/modules/deep/sub/config", CONFIG.replace("PROJECT", "PROJECT/deep/sub")),),
        a_submodule,
    ),
    "a hard link to a submodule's hook": Way(
        (("innocent", SCRIPT),), a_hook_of_a_submodule_by_another_name
    ),
    "a hard link to a hook of a repository within": Way(
        (("innocent", SCRIPT),), a_hook_of_a_repository_within_by_another_name
    ),
    "a git folder elsewhere": Way((("elsewhere/config", MONITOR),), a_separate_folder),
    "the configuration of a worktree": Way(
        (("meta/worktrees/wt/config.worktree", MONITOR),), a_worktree
    ),
}


def repository(folder: Path) -> None:
    run(folder, "init", "--quiet")
    (folder / "a.txt").write_text("a\n")
    run(folder, "add", "a.txt")
    run(folder, "commit", "--quiet", "-m", "a")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project of a user who has no configuration of their own."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    folder = tmp_path / "project"
    folder.mkdir()
    repository(folder)
    return folder


def has_run(project: Path) -> bool:
    """Let the user look around with git in every folder, and tell whether EVIL was run."""
    for folder, below, _ in os.walk(project):
        below[:] = [it for it in below if it not in {".git", "objects", "refs", "hooks", "logs"}]
        os.utime(project / "a.txt")
        for command in (("status",), ("add", "-A"), ("status",)):
            subprocess.run(
                ["git", *command],
                cwd=folder,
                capture_output=True,
                stdin=subprocess.DEVNULL,
                timeout=30,
            )
    return (project.parent / "ran").exists()


async def play(project: Path, way: Way, guard: Guard) -> None:
    """Let an agent write all of it, whatever it is told."""
    way.before(project)
    rig = FileRig(project)
    for name, text in way.files:
        text = text.replace("PROJECT", str(project)).replace("EVIL", f"touch {project.parent}/ran")
        try:
            await rig.service.write(
                WriteFileRequest("s", str(project / name), text), rig.roots, guard
            )
        except RequestFailed as error:
            assert "does not let" in error.message


@pytest.mark.parametrize("name", WAYS)
async def test_a_repository_that_an_agent_builds_runs_nothing_unasked(
    project: Path, name: str
) -> None:
    asked: list[Diff] = []

    async def no(change: Diff) -> bool:
        asked.append(change)
        return False

    await play(project, WAYS[name], Guard(GUARD, no))
    assert not has_run(project)
    assert asked


@pytest.mark.parametrize(
    "failure", [TimeoutError(), OSError("too many files"), git.Ran(-9, b"", "")]
)
async def test_where_git_does_not_say_what_it_obeys_the_user_is_asked(
    project: Path, monkeypatch: pytest.MonkeyPatch, failure: object
) -> None:
    asked: list[Diff] = []

    async def no(change: Diff) -> bool:
        asked.append(change)
        return False

    async def fail(*_arguments: object, **_options: object) -> object:
        if isinstance(failure, Exception):
            raise failure
        return failure

    monkeypatch.setattr(git, "run", fail)
    await play(project, Way((("hooks.sh", "EVIL"),)), Guard(GUARD, no))
    assert len(asked) == 1


@pytest.mark.parametrize("name", WAYS)
async def test_without_the_guard_it_would_run(project: Path, name: str) -> None:
    async def no(_change: Diff) -> bool:
        return False

    await play(project, WAYS[name], Guard((), no))
    assert has_run(project)


async def test_two_writes_at_once_make_no_repository(project: Path) -> None:
    """What is asked for is decided when it is written, not when it is wanted."""
    asked: list[str] = []

    async def no(change: Diff) -> bool:
        asked.append(change.path)
        return False

    rig = FileRig(project)

    async def write(name: str, text: str) -> None:
        request = WriteFileRequest("s", str(project / name), text.replace("PROJECT", str(project)))
        try:
            await rig.service.write(request, rig.roots, Guard(GUARD, no))
        except RequestFailed:
            assert asked

    async with anyio.create_task_group() as tasks:
        for name, text in BARE:
            tasks.start_soon(write, name, text)
    assert len(asked) == 1
    assert not has_run(project)


def names(project: Path, *paths: str) -> Iterable[str]:
    return [str(project / path) for path in paths]


async def test_ordinary_files_are_not_asked_for(project: Path) -> None:
    hooks_in_the_project(project)
    run(project, "remote", "add", "origin", "https://host/a.txt")
    run(project, "config", "alias.show", "!f() { git log $1 -- x/$2.py; }; f")
    for name in (
        "objects/a.py",
        "head.html",
        "HEAD.md",
        "refs.bib",
        "src/info/a",
        "src/hooks/a.ts",
    ):
        file = project / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")
    (project / "copy").hardlink_to(project / "refs.bib")

    async def no(_change: Diff) -> bool:
        raise AssertionError

    guard = Guard(GUARD, no)
    for name in (
        "a.txt",
        "objects/a.py",
        "head.html",
        "copy",
        "tools/x",
        "src/hooks/a.ts",
        "new/x",
    ):
        assert not await guard.means([str(project / name)], [str(project)]), name


@pytest.mark.parametrize("name", [".nvimrc", "a/commondir", "COMMONDIR", "x/GitDir", ".husky/x"])
def test_names_of_the_standard_guard(name: str) -> None:
    assert is_guarded([f"/work/{name}"], GUARD)
