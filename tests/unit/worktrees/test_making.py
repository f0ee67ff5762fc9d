"""Worktrees of real repositories: what they are made of, and that nothing is left of them."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from acp_nvim.errors import UserError
from acp_nvim.worktrees import copying, losses, making
from acp_nvim.worktrees.losses import own_commits
from acp_nvim.worktrees.merging import pending, took
from acp_nvim.worktrees.records import Worktree, Worktrees
from acp_nvim.worktrees.repository import Repository, repository

AUTHOR = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always")


def run(folder: Path, *arguments: str) -> str:
    command = ["git", *AUTHOR, *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def commit(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.txt").write_text(text)
    run(folder, "add", "-A")
    run(folder, "commit", "-qm", "x")


def begun(folder: Path) -> Path:
    folder.mkdir(parents=True)
    run(folder, "init", "-q", "-b", "main")
    commit(folder, a="one\ntwo\n", b="b\n")
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return begun(tmp_path / "project").resolve()


@pytest.fixture
def records(tmp_path: Path) -> Worktrees:
    return Worktrees(str(tmp_path / "acp.nvim" / "worktrees"))


async def made(records: Worktrees, project: Path, *copied: str) -> Worktree:
    (worktree,) = await making.planned(records, str(project), ["claude"])
    assert await making.make(records, worktree, copied) == ()
    return next(it for it in records.all() if it.folder == worktree.folder)


def state(project: Path) -> tuple[str, ...]:
    """Return all that git knows of a project, and what its tree holds."""
    modules = [it.parent for it in project.glob("**/.git") if it.is_file()]
    return tuple(
        run(it, *arguments)
        for it in (project, *modules)
        for arguments in (
            ("for-each-ref",),
            ("worktree", "list"),
            ("status", "--porcelain"),
            ("ls-files", "--stage"),
            ("config", "--list", "--local"),
        )
    )


async def test_it_has_what_is_saved_and_not_committed_and_touches_nothing(
    project: Path, records: Worktrees
) -> None:
    (project / "a.txt").write_text("one\n2\n")
    (project / "b.txt").unlink()
    (project / "new.txt").write_text("new\n")
    (project / ".gitignore").write_text("*.log\n")
    (project / "x.log").write_text("")
    run(project, "add", "new.txt")
    before = state(project)
    worktree = await made(records, project)
    there = Path(worktree.folder)
    names = {it.name: it.read_text() for it in there.iterdir() if it.name != ".git"}
    assert names == {"a.txt": "one\n2\n", "new.txt": "new\n", ".gitignore": "*.log\n"}
    assert worktree.name == "claude-1"
    assert run(there, "branch", "--show-current") == "acp/claude-1\n"
    assert run(there, "log", "--format=%s") == "x\n"
    assert await pending_names(worktree) == ([], [])
    await making.remove(records, worktree)
    assert state(project) == before
    assert not list(there.parent.iterdir())


async def pending_names(worktree: Worktree) -> tuple[list[str], list[str]]:
    found = await pending(worktree)
    changes = [Path(it.path).name for of in found for it in of.changes]
    return changes, [f"{Path(it.source).name} {it.reason}" for of in found for it in of.left]


async def test_names_are_new_and_safe(project: Path, records: Worktrees) -> None:
    first, second = await made(records, project), await made(records, project)
    assert [it.name for it in records.of(str(project))] == ["claude-1", "claude-2"]
    assert records.at(f"{second.folder}/src") == second
    assert records.home(first.folder) == str(project)
    run(project, "branch", "acp/odd-1")
    (odd,) = await making.planned(records, str(project), ["../Odd; $(x)"])
    assert odd.name == "odd-x-1"
    more = await making.planned(records, str(project), ["Odd!", "odd"])
    assert [it.name for it in more] == ["odd-2", "odd-3"]


async def test_what_differs_is_merged_once(project: Path, records: Worktrees) -> None:
    worktree = await made(records, project)
    there = Path(worktree.folder)
    (there / "a.txt").write_text("one\ntwo\nthree\n")
    (there / "b.txt").unlink()
    (there / "run.sh").write_text("new\n")
    (there / "run.sh").chmod(0o755)
    (there / "logo").write_bytes(b"\0\1")
    (there / "link").symlink_to("a.txt")
    run(there, "add", "a.txt")
    found = (await pending(worktree))[0]
    kinds = [(it.entry.name, it.base, it.theirs, it.mode) for it in found.changes]
    assert kinds == [
        ("a.txt", b"one\ntwo\n", b"one\ntwo\nthree\n", 0),
        ("b.txt", b"b\n", None, 0),
        ("run.sh", None, b"new\n", 0o755),
    ]
    left = ["link is a symbolic link", "logo is binary"]
    assert [f"{Path(it.source).name} {it.reason}" for it in found.left] == left
    await took(worktree, found, ["a.txt", "b.txt"])
    assert await pending_names(worktree) == (["run.sh"], left)
    (there / "a.txt").write_text("one\ntwo\nthree\nfour\n")
    (there / "run.sh").unlink()
    (again,) = (await pending(worktree))[0].changes
    assert (again.base, again.theirs) == (b"one\ntwo\nthree\n", b"one\ntwo\nthree\nfour\n")


async def test_commits_on_no_other_branch_are_counted(project: Path, records: Worktrees) -> None:
    worktree = await made(records, project)
    assert await own_commits(worktree) == 0
    commit(Path(worktree.folder), a="1\n")
    commit(Path(worktree.folder), a="2\n")
    assert await own_commits(worktree) == 2
    run(project, "branch", "mine", "acp/claude-1~1")
    assert await own_commits(worktree) == 1


async def test_commits_that_only_the_worktree_has_are_counted_wherever_they_are(
    tmp_path: Path, records: Worktrees
) -> None:
    inner, outer = begun(tmp_path / "inner"), begun(tmp_path / "outer")
    run(outer, "submodule", "add", "-q", str(inner), "lib/sub")
    commit(outer)
    commit(outer / "lib/sub", b="the user's own, on no branch\n")
    run(outer / "lib/sub", "checkout", "-q", "--detach")
    worktree = await made(records, outer.resolve())
    there = Path(worktree.folder)
    assert await own_commits(worktree) == 0
    commit(there / "lib/sub", a="1\n")
    assert await own_commits(worktree) == 1
    commit(there, a="on its branch\n")
    run(there, "checkout", "-q", "-b", "another", "main")
    assert await own_commits(worktree) == 2


async def test_ignored_files_that_the_user_has_not_are_counted(
    untracked: Path, records: Worktrees
) -> None:
    worktree = await made(records, untracked, "conf", "x.env")
    assert await losses.ignored(worktree) == losses.Ignored(0, ())
    folder = Path(worktree.folder)
    (folder / "x.env").write_text("another")
    (folder / "conf/deep/c.yml").write_text("")
    (folder / "a.env").write_text("")
    found = await losses.ignored(worktree)
    assert found == losses.Ignored(3, ("a.env", "conf/", "x.env"))


async def test_stashes_of_its_branch_are_named_and_dropped(
    project: Path, records: Worktrees
) -> None:
    worktree = await made(records, project)
    folder = Path(worktree.folder)
    assert await losses.stashes(worktree) == {}
    for place, text in ((folder, "1\n"), (project, "mine\n"), (folder, "2\n")):
        (place / "a.txt").write_text(text)
        run(place, "stash", "push", *(["-m", "on acp/claude-1: no"] if place == project else []))
    found = await losses.stashes(worktree)
    assert [it.split(":")[0] for it in found.values()] == 2 * ["WIP on acp/claude-1"]
    await losses.drop(worktree, [*found])
    assert run(project, "stash", "list", "--format=%gs") == "On main: on acp/claude-1: no\n"
    await losses.drop(worktree, [*found])


async def test_submodules_come_along_without_a_fetch(tmp_path: Path, records: Worktrees) -> None:
    inner, outer = begun(tmp_path / "inner"), begun(tmp_path / "outer")
    run(outer, "submodule", "add", "-q", str(inner), "lib/sub")
    commit(outer)
    inner.rename(tmp_path / "away")
    (outer / "lib/sub/a.txt").write_text("mine\n")
    outer = outer.resolve()
    before = state(outer)
    worktree = await made(records, outer)
    there = Path(worktree.folder) / "lib/sub"
    assert (there / "a.txt").read_text() == "mine\n"
    assert await pending_names(worktree) == ([], [])
    (there / "b.txt").write_text("sub\n")
    changes = [it for of in await pending(worktree) for it in of.changes]
    assert [it.path for it in changes] == [str(outer / "lib/sub/b.txt")]
    await making.remove(records, worktree)
    assert state(outer) == before


def evil(folder: Path) -> str:
    script = folder / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {folder}/ran\nexec cat\n")
    script.chmod(0o755)
    return str(script)


HOOKS = ("post-checkout", "reference-transaction", "post-index-change", "pre-commit", "post-merge")


async def test_no_hook_and_no_filter_runs_and_pointers_stay(
    project: Path, records: Worktrees, tmp_path: Path
) -> None:
    command = evil(tmp_path)
    (project / ".gitattributes").write_text("*.bin filter=lfs\n")
    (project / "a.bin").write_text("version https://git-lfs\n")
    commit(project)
    for hook in HOOKS:
        (project / ".git/hooks" / hook).symlink_to(command)
    with (project / ".git/config").open("a") as config:
        config.write(f'[filter "lfs"]\nclean = {command}\nsmudge = {command}\nrequired = true\n')
        config.write(f"[core]\nfsmonitor = {command}\nsshCommand = {command}\n")
        config.write(f"[commit]\ngpgSign = true\n[gpg]\nprogram = {command}\n")
    (project / "a.bin").write_text("the large file itself\n")
    (worktree,) = await making.planned(records, str(project), ["claude"])
    said = await making.make(records, worktree, ())
    assert said == ("a.bin goes through the filter lfs",)
    there = Path(worktree.folder)
    assert (there / "a.bin").read_text() == "version https://git-lfs\n"
    (there / "b.bin").write_text("made there\n")
    assert await pending_names(worktree) == ([], ["b.bin goes through the filter lfs"])
    await making.remove(records, worktree)
    assert not (tmp_path / "ran").exists()


async def test_a_sparse_checkout_stays_one(project: Path, records: Worktrees) -> None:
    (project / "big").mkdir()
    (project / "big/c.txt").write_text("c\n")
    commit(project)
    run(project, "sparse-checkout", "set", "--no-cone", "/*", "!/big/")
    assert not (project / "big").exists()
    worktree = await made(records, project)
    assert not (Path(worktree.folder) / "big").exists()
    assert await pending_names(worktree) == ([], [])
    (Path(worktree.folder) / "a.txt").write_text("1\n")
    assert await pending_names(worktree) == (["a.txt"], [])


async def test_beside_a_bare_repository_and_in_a_linked_worktree(
    tmp_path: Path, project: Path, records: Worktrees
) -> None:
    run(tmp_path, "clone", "-q", "--bare", str(project), "bare.git")
    run(tmp_path / "bare.git", "worktree", "add", "-q", str(tmp_path / "mine"), "main")
    mine = (tmp_path / "mine").resolve()
    (mine / "a.txt").write_text("mine\n")
    before = state(mine)
    worktree = await made(records, mine)
    assert (Path(worktree.folder) / "a.txt").read_text() == "mine\n"
    await making.remove(records, worktree)
    assert state(mine) == before
    with pytest.raises(UserError, match="no work tree of git"):
        await making.planned(records, str(tmp_path / "bare.git"), "claude")


async def test_where_there_can_be_none_it_says_why(tmp_path: Path, records: Worktrees) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(UserError, match="no work tree of git"):
        await making.planned(records, str(empty), ["claude"])
    run(empty, "init", "-q")
    with pytest.raises(UserError, match="has no commit yet: git commit"):
        await making.planned(records, str(empty), ["claude"])
    commit(empty, a="1\n")
    run(empty, "branch", "acp")
    with pytest.raises(UserError, match="a branch is called acp"):
        await making.planned(records, str(empty), ["claude"])
    run(empty, "branch", "-D", "acp")
    (empty / "sub").mkdir()
    with pytest.raises(UserError, match=f"not the top of its work tree, which is {empty}"):
        await making.planned(records, str(empty / "sub"), "claude")


OLD = "case $* in *--path-format*|*--deduplicate*) echo usage: git >&2; exit 129;; esac"


@pytest.mark.parametrize(
    ("script", "said"),
    [(None, "not on your PATH: install it"), (OLD, "too old: install 2.31 or newer")],
)
async def test_git_that_is_not_there_or_too_old_is_named(
    project: Path, records: Worktrees, monkeypatch: pytest.MonkeyPatch, script: str, said: str
) -> None:
    folder = project.parent / "bin"
    folder.mkdir()
    if script:
        (folder / "git").write_text(f"#!/bin/sh\n{script}\nexec {shutil.which('git')} $*\n")
        (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    for place in (project, project.parent)[: 1 if script else 2]:
        with pytest.raises(UserError, match=f"{said}$"):
            await making.planned(records, str(place), ["claude"])


async def test_a_record_that_cannot_be_written_leaves_nothing(
    project: Path, records: Worktrees
) -> None:
    (worktree,) = await making.planned(records, str(project), ["claude"])
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    try:
        with pytest.raises(UserError, match="claude-1 is not made: File too large: make room"):
            await making.make(records, worktree, ())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    assert not list(Path(records.folder).iterdir())


async def test_of_a_project_whose_path_is_not_text_there_is_none(
    tmp_path: Path, records: Worktrees
) -> None:
    home = begun(Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff")))
    (worktree,) = await making.planned(records, str(home), ["claude"])
    with pytest.raises(UserError, match=r"claude-1 is not made: .*\\udcff' is not UTF-8"):
        await making.make(records, worktree, ())
    assert not Path(f"{worktree.folder}.json").exists()


@pytest.mark.parametrize("what", ["folder", ".git", "all that git knows"])
async def test_what_somebody_has_removed_by_hand_is_named_and_the_rest_goes(
    project: Path, records: Worktrees, what: str
) -> None:
    before = state(project)
    worktree = await made(records, project)
    there = Path(worktree.folder)
    if what == "folder":
        shutil.rmtree(there)
    elif what == ".git":
        (there / ".git").unlink()
    else:
        shutil.rmtree(project / ".git/worktrees")
    with pytest.raises(UserError, match=":Acp worktree remove"):
        await pending(worktree)
    await making.remove(records, worktree)
    assert state(project) == before
    assert not list(there.parent.iterdir())


async def test_a_submodule_that_is_not_initialized_stays_empty(
    tmp_path: Path, records: Worktrees
) -> None:
    inner, outer = begun(tmp_path / "inner"), begun(tmp_path / "outer")
    run(outer, "submodule", "add", "-q", str(inner), "lib/sub")
    commit(outer)
    run(tmp_path, "clone", "-q", str(outer), "clone")
    clone = (tmp_path / "clone").resolve()
    before = state(clone)
    worktree = await made(records, clone, "lib/sub/x", "lib")
    assert not list((Path(worktree.folder) / "lib/sub").iterdir())
    assert await pending_names(worktree) == ([], [])
    assert await own_commits(worktree) == 0
    await making.remove(records, worktree)
    assert state(clone) == before


async def test_names_may_differ_by_case_where_it_counts(project: Path, records: Worktrees) -> None:
    (project / "A.txt").write_text("other\n")
    commit(project)
    worktree = await made(records, project)
    there = Path(worktree.folder)
    assert ((there / "A.txt").read_text(), (there / "a.txt").read_text()) == (
        "other\n",
        "one\ntwo\n",
    )
    (there / "A.TXT").write_text("third\n")
    assert await pending_names(worktree) == (["A.TXT"], [])


async def test_files_that_are_named_come_along(project: Path, records: Worktrees) -> None:
    (project / ".gitignore").write_text(".env\nlink\nsub\n")
    commit(project)
    (project / ".env").write_text("KEY=1\n")
    (project / ".env").chmod(0o600)
    (project / "link").symlink_to("/etc/passwd")
    (project.parent / "outside").write_text("x")
    (worktree,) = await making.planned(records, str(project), ["claude"])
    names = (".env", "not there", "link", "../outside", "/etc/passwd", ".git/config")
    said = await making.make(records, worktree, names)
    there = Path(worktree.folder)
    assert (there / ".env").read_text() == "KEY=1\n"
    assert (there / ".env").stat().st_mode & 0o777 == 0o600
    outside = "is not copied: it is not in the project itself"
    refused = ("../outside", "/etc/passwd", ".git/config", "link")
    assert said == tuple(f"{it} {outside}" for it in refused)
    assert (there / ".git").is_file()


@pytest.fixture
def untracked(project: Path) -> Path:
    """Return a project with files that git ignores in folders, and links among them."""
    (project / ".gitignore").write_text("conf/\n*.env\n/odd*\n")
    commit(project)
    for name in ("conf/a.yml", "conf/deep/b.yml", "x.env", "src/y.env", "odd[1]", "odd1"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(name)
    (project / "conf/run.sh").write_text("x")
    (project / "conf/run.sh").chmod(0o755)
    (project / "conf/near").symlink_to("deep/b.yml")
    return project


def there(worktree: Worktree) -> set[str]:
    """Return the files of a worktree that git does not track, links among them."""
    return {*run(Path(worktree.folder), "ls-files", "-o").splitlines()}


CONF = {"conf/a.yml", "conf/deep/b.yml", "conf/near", "conf/run.sh"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("conf", CONF),
        ("conf/", CONF),
        ("./conf/deep", {"conf/deep/b.yml"}),
        ("con*", CONF),
        ("conf/**", CONF),
        ("conf/*.yml", {"conf/a.yml"}),
        ("*.env", {"x.env"}),
        ("**/*.env", {"x.env", "src/y.env"}),
        ("a.txt", set()),
        ("odd1", {"odd1"}),
    ],
)
async def test_folders_and_patterns_come_along(
    untracked: Path, records: Worktrees, name: str, expected: set[str]
) -> None:
    worktree = await made(records, untracked, name)
    assert there(worktree) == expected
    if "conf/run.sh" in expected:
        folder = Path(worktree.folder)
        assert (folder / "conf/run.sh").stat().st_mode & 0o777 == 0o755
        assert (folder / "conf/near").readlink() == Path("deep/b.yml")
    assert await pending_names(worktree) == ([], [])


async def test_what_leads_out_of_the_project_does_not_come_along(
    untracked: Path, records: Worktrees
) -> None:
    conf = untracked / "conf"
    (conf / "out").symlink_to("../../elsewhere")
    (conf / "whole").symlink_to(untracked / "a.txt")
    (conf / "round").symlink_to(f"../../{untracked.name}/a.txt")
    (conf / "folder").symlink_to(untracked.parent)
    begun(conf / "inner")
    (worktree,) = await making.planned(records, str(untracked), ["claude"])
    said = await making.make(records, worktree, ("conf", "conf/folder/*", "conf/folder/x"))
    assert there(worktree) == CONF
    refused = {it.split(" is not copied: ")[0] for it in said}
    names = ("out", "whole", "round", "folder", "inner/", "folder/*", "folder/x")
    assert refused == {f"conf/{it}" for it in names}


async def test_what_is_copied_has_a_limit(
    untracked: Path, records: Worktrees, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "MOST_FILES", 5)
    own = await repository(str(untracked))
    found = await copying.named(own, ["conf", "**/*.env", "x.env"])
    why = f"all that is named is more than 5 files or {copying.MOST_BYTES >> 20} MiB"
    assert [it.refused for it in found] == ["", f"**/*.env is not copied: {why}", ""]
    assert [it.text for it in found if it.files] == ["conf (4 files)", "x.env"]
    monkeypatch.setattr(copying, "MOST_BYTES", 20)
    assert [bool(it.files) for it in await copying.named(own, ["x.env", "conf"])] == [True, False]


async def test_files_of_submodules_come_along(tmp_path: Path, records: Worktrees) -> None:
    inner, outer = begun(tmp_path / "inner"), begun(tmp_path / "outer")
    commit(inner, **{".gitignore": ""})
    run(outer, "submodule", "add", "-q", str(inner), "lib/sub")
    commit(outer)
    (outer / "lib/sub/x.env").write_text("x")
    (outer / ".git/modules/lib/sub/info/exclude").write_text("*.env\n")
    for name in ("lib/sub/x.env", "**/*.env"):
        (worktree,) = await making.planned(records, str(outer.resolve()), ["claude"])
        assert await making.make(records, worktree, (name,)) == ()
        assert (Path(worktree.folder) / "lib/sub/x.env").read_text() == "x"


async def test_a_full_disk_leaves_nothing(
    untracked: Path, records: Worktrees, monkeypatch: pytest.MonkeyPatch
) -> None:
    (untracked / "conf/large").write_bytes(b"x" * (1 << 20))
    before = state(untracked)
    (worktree,) = await making.planned(records, str(untracked), ["claude"])
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 19, hard))
    try:
        room = f"not made: File too large: make room for {worktree.folder}"
        with pytest.raises(UserError, match=room):
            await making.make(records, worktree, ("conf",))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    assert state(untracked) == before
    assert not list(Path(records.folder).iterdir())


@pytest.mark.parametrize("full", ["kept", "project", "passing"])
async def test_where_the_disk_is_full_is_said(
    project: Path, records: Worktrees, full: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """git writes to its own store, and to temporary files, too."""
    (worktree,) = await making.planned(records, str(project), ["claude"])
    places = {"kept": records.folder, "project": str(project), "passing": "/passing"}
    monkeypatch.setattr(making, "gettempdir", lambda: "/passing")
    monkeypatch.setattr(
        making, "disk_usage", lambda it: SimpleNamespace(free=0 if it == places[full] else 9)
    )
    monkeypatch.setattr(making, "_make", out_of_room)
    where = {"kept": f"for {worktree.folder}", "project": f"in {project}", "passing": "in /passing"}
    with pytest.raises(UserError, match=f"make room {where[full]}$"):
        await making.make(records, worktree, ())


async def out_of_room(_worktree: Worktree) -> None:
    raise UserError("git update-index: No space left on device")


@pytest.mark.parametrize("step", ["before", "after"])
async def test_of_a_git_that_is_killed_amid_the_first_step_nothing_is_left(
    project: Path, records: Worktrees, tmp_path: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it has made the branch by then, or not."""
    git, before = shutil.which("git"), state(project)
    wrapper = tmp_path / "bin/git"
    wrapper.parent.mkdir()
    work = f'{git} "$@"' if step == "after" else ":"
    killing = f'case "$*" in *update-ref\\ --stdin*) {work}; kill -9 $$;; esac'
    wrapper.write_text(f'#!/bin/sh\n{killing}\nexec {git} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}:{os.environ['PATH']}")
    (worktree,) = await making.planned(records, str(project), ["claude"])
    with pytest.raises(UserError, match="is not made: git update-ref: it was killed"):
        await making.make(records, worktree, ())
    assert (state(project), records.all()) == (before, ())


async def test_dos_line_ends_are_those_of_the_disk(project: Path, records: Worktrees) -> None:
    run(project, "config", "core.autocrlf", "true")
    (project / "dos.txt").write_bytes(b"one\r\ntwo\r\n")
    worktree = await made(records, project)
    there = Path(worktree.folder) / "dos.txt"
    assert there.read_bytes() == b"one\r\ntwo\r\n"
    there.write_bytes(b"one\r\n2\r\n")
    (change,) = (await pending(worktree))[0].changes
    assert (change.base, change.theirs) == (b"one\r\ntwo\r\n", b"one\r\n2\r\n")


class Killed(BaseException):
    """The host is gone."""


STEPS = ("update-ref", "worktree", "read-tree", "reset")


@pytest.fixture
def killed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Yield a list: git is killed before what is in it, and so are we."""
    at: list[str] = []
    usual = Repository.run

    async def dying(self: Repository, *arguments: str, **options: object) -> object:
        if arguments[0] in at:
            raise Killed
        return await usual(self, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Repository, "run", dying)
    yield at


@pytest.mark.parametrize("step", STEPS)
async def test_a_kill_amid_making_leaves_what_is_found_and_removed(
    project: Path, records: Worktrees, killed: list[str], step: str
) -> None:
    before = state(project)
    (worktree,) = await making.planned(records, str(project), ["claude"])
    killed.append(step)
    with pytest.raises(Killed):
        await making.make(records, worktree, ())
    killed.clear()
    (found,) = records.of(str(project))
    assert not found.is_made
    await making.remove(records, found)
    assert state(project) == before
    assert records.all() == ()


@pytest.mark.parametrize("step", ["worktree", "update-ref", "branch"])
async def test_a_kill_amid_removing_is_gone_on_with(
    project: Path, records: Worktrees, killed: list[str], step: str
) -> None:
    before = state(project)
    worktree = await made(records, project)
    killed.append(step)
    with pytest.raises(Killed):
        await making.remove(records, worktree)
    killed.clear()
    (found,) = records.of(str(project))
    assert not found.is_made
    await making.remove(records, found)
    assert state(project) == before


@pytest.mark.parametrize("what", ["base", "branch", "all"])
async def test_what_git_does_not_let_go_is_named_and_goes_later(
    project: Path, records: Worktrees, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state(project)
    worktree = await made(records, project)
    lock = project / ".git" / f"{worktree.ref('base')}.lock"
    lock = project / f".git/refs/heads/{worktree.branch}.lock" if what == "branch" else lock
    lock.touch()
    path = os.environ["PATH"]
    if what == "all":
        monkeypatch.setenv("PATH", "")
    with pytest.raises(UserError, match=f"{worktree.name} is not gone: git"):
        await making.remove(records, worktree)
    (found,) = records.all()
    lock.unlink()
    monkeypatch.setenv("PATH", path)
    await making.remove(records, found)
    assert state(project) == before
    assert records.all() == ()


async def test_a_link_that_took_the_place_of_a_worktree_goes_and_leads_nowhere(
    project: Path, records: Worktrees, tmp_path: Path
) -> None:
    before = state(project)
    worktree = await made(records, project)
    moved = Path(worktree.folder).rename(tmp_path / "moved")
    Path(worktree.folder).symlink_to(moved)
    await making.remove(records, worktree)
    assert (state(project), records.all()) == (before, ())
    assert not Path(worktree.folder).is_symlink() and (moved / "a.txt").exists()


async def test_what_git_had_begun_to_note_when_it_was_killed_goes(
    project: Path, records: Worktrees
) -> None:
    (worktree,) = await making.planned(records, str(project), ["claude"])
    records.note(worktree)
    half = project / ".git/worktrees" / Path(worktree.folder).name
    half.mkdir(parents=True)
    (half / "locked").write_text("initializing")
    await making.remove(records, worktree)
    assert not half.exists()


async def test_a_failure_leaves_nothing(project: Path, records: Worktrees) -> None:
    before = state(project)
    (worktree,) = await making.planned(records, str(project), ["claude"])
    Path(worktree.folder).mkdir(parents=True)
    (Path(worktree.folder) / "in the way").write_text("")
    with pytest.raises(UserError, match="is there already"):
        await making.make(records, worktree, ())
    assert (Path(worktree.folder) / "in the way").exists()
    assert state(project) == before
    assert records.all() == ()


async def test_what_has_the_name_already_is_left_alone(project: Path, records: Worktrees) -> None:
    first, second = [(await making.planned(records, str(project), ["claude"]))[0] for _ in range(2)]
    await making.make(records, first, ())
    with pytest.raises(UserError, match="claude-1 is not made: File exists"):
        await making.make(records, second, ())
    assert await pending_names(first) == ([], [])
    (third,) = await making.planned(records, str(project), ["claude"])
    run(project, "branch", third.branch)
    before = state(project)
    with pytest.raises(UserError, match="already exists"):
        await making.make(records, third, ())
    assert state(project) == before
    assert [it.name for it in records.all()] == ["claude-1"]


async def test_an_agent_leads_git_to_no_other_repository(
    project: Path, records: Worktrees, tmp_path: Path
) -> None:
    worktree = await made(records, project)
    other = begun(tmp_path / "other")
    for place in (other, project):
        (Path(worktree.folder) / ".git").write_text(f"gitdir: {place}/.git\n")
        run(other, "config", "core.worktree", worktree.folder)
        before = state(project)
        with pytest.raises(UserError, match=r"is not a worktree of|is not the top of"):
            await pending(worktree)
        with pytest.raises(UserError, match=r"is not a worktree of|is not the top of"):
            await own_commits(worktree)
        assert state(project) == before


async def test_a_project_that_is_gone_leaves_none_behind(project: Path, records: Worktrees) -> None:
    worktree = await made(records, project)
    project.rename(project.parent / "moved")
    await making.remove(records, worktree)
    assert records.all() == ()
    assert not Path(worktree.folder).exists()


async def test_a_configuration_that_leads_elsewhere_is_not_followed(
    project: Path, records: Worktrees, tmp_path: Path
) -> None:
    run(project, "config", "core.worktree", str(tmp_path))
    with pytest.raises(UserError, match="is not the top of its work tree"):
        await repository(str(project))
