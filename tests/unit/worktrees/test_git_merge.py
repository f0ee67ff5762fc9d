"""A worktree's branch merged by git: of a hostile configuration nothing runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_nvim.errors import UserError
from acp_nvim.worktrees.git_merge import Merged, incoming, merge_branch
from acp_nvim.worktrees.merging import pending
from acp_nvim.worktrees.records import Worktree, Worktrees
from tests.unit.worktrees.test_making import commit, evil, made, project, records, run

__all__ = ["project", "records"]


async def merge(worktree: Worktree, *unsaved: str) -> Merged:
    waits = await pending(worktree)
    return await merge_branch(
        worktree, waits, "the title", unsaved, await incoming(worktree, waits)
    )


@pytest.fixture
async def worktree(project: Path, records: Worktrees) -> Worktree:
    """Return a worktree with a change that is not committed, beside a commit of the user's."""
    run(project, "config", "user.name", "me")
    run(project, "config", "user.email", "me@here")
    found = await made(records, project)
    (Path(found.folder) / "a.txt").write_text("one\ntwo\nthree\n")
    commit(project, b="mine\n")
    return found


HOSTILE = (
    '[branch "main"]\n mergeOptions = -s evil\n[alias]\n merge-evil = !EVIL\n',
    "[pull]\n twohead = evil\n[alias]\n merge-evil = !EVIL\n",
    "[core]\n editor = EVIL\n fsmonitor = EVIL\n pager = EVIL\n",
    "[commit]\n gpgSign = true\n[merge]\n verifySignatures = true\n[gpg]\n program = EVIL\n",
    '[diff]\n external = EVIL\n[diff "evil"]\n textconv = EVIL\n',
)


@pytest.mark.parametrize("config", HOSTILE)
async def test_nothing_of_the_configuration_is_run(
    project: Path, worktree: Worktree, tmp_path: Path, config: str
) -> None:
    command = evil(tmp_path)
    with (project / ".git/config").open("a") as file:
        file.write(config.replace("EVIL", command))
    for hook in ("pre-commit", "commit-msg", "pre-merge-commit", "post-merge", "post-commit"):
        (project / ".git/hooks" / hook).symlink_to(command)
    assert (await merge(worktree)).paths == (str(project / "a.txt"),)
    assert (project / "a.txt").read_text() == "one\ntwo\nthree\n"
    assert not (tmp_path / "ran").exists()


async def test_it_is_the_users_commit_and_what_is_merged_is_known(
    project: Path, worktree: Worktree
) -> None:
    merged = await merge(worktree)
    assert merged.text == "1 file changed, 1 insertion(+)"
    assert run(project, "log", "--format=%an %s", "-1") == "me Merge branch 'acp/claude-1'\n"
    assert run(project, "log", "--format=%an %s", "-1", "acp/claude-1") == "me the title\n"
    assert not (await pending(worktree))[0].changes
    with pytest.raises(UserError, match="has nothing that your branch has not"):
        await merge(worktree)


async def test_a_merge_driver_and_a_filter_are_named_and_nothing_is_merged(
    project: Path, worktree: Worktree, tmp_path: Path
) -> None:
    head = run(project, "rev-parse", "HEAD")
    command = evil(tmp_path)
    run(project, "config", "merge.evil.driver", command)
    with pytest.raises(UserError, match="names a merge driver"):
        await merge(worktree)
    run(project, "config", "--unset", "merge.evil.driver")
    (Path(worktree.folder) / "b.bin").write_text("b\n")
    (Path(worktree.folder) / ".gitattributes").write_text("*.bin filter=lfs\n")
    run(project, "config", "filter.lfs.smudge", command)
    with pytest.raises(UserError, match=r"b\.bin goes through the filter lfs: commit that"):
        await merge(worktree)
    assert run(project, "rev-parse", "HEAD") == head
    assert not (tmp_path / "ran").exists()


async def test_a_filter_that_comes_with_the_merge_is_named(
    project: Path, worktree: Worktree, tmp_path: Path
) -> None:
    run(project, "config", "filter.lfs.smudge", evil(tmp_path))
    there = Path(worktree.folder)
    (there / ".gitattributes").write_text("*.bin filter=lfs\n")
    commit(there)
    (there / "b.bin").write_text("version https://git-lfs\n")
    run(there, "-c", "filter.lfs.smudge=", "add", ".")
    run(there, "-c", "filter.lfs.smudge=", "commit", "-qm", "by the agent")
    with pytest.raises(UserError, match=r"b\.bin goes through the filter lfs: merge by hand"):
        await merge(worktree)
    assert not (project / "b.bin").exists()


async def test_what_the_user_was_not_told_of_is_not_merged(
    project: Path, worktree: Worktree
) -> None:
    waits = await pending(worktree)
    known = await incoming(worktree, waits)
    assert known == [str(project / "a.txt")]
    (Path(worktree.folder) / ".envrc").write_text("evil\n")
    with pytest.raises(UserError, match="claude-1 changes meanwhile"):
        await merge_branch(worktree, await pending(worktree), "the title", (), known)
    assert not (project / ".envrc").exists()


async def test_nothing_is_committed_on_a_branch_of_the_users(
    project: Path, worktree: Worktree, tmp_path: Path
) -> None:
    """An agent may lead git to another worktree, or put its own on a branch there."""
    run(project, "worktree", "add", "-q", "-b", "mine", str(tmp_path / "mine"))
    there = Path(worktree.folder)
    for branch in ("main", "mine"):
        run(there, "symbolic-ref", "HEAD", f"refs/heads/{branch}")
        before = run(project, "for-each-ref", "refs/heads")
        with pytest.raises(UserError, match=f"{worktree.folder} is on your branch {branch}"):
            await merge(worktree)
        assert run(project, "for-each-ref", "refs/heads") == before
    (there / ".git").write_text((tmp_path / "mine/.git").read_text())
    with pytest.raises(UserError, match="is not a worktree of"):
        await pending(worktree)
    (there / ".git").unlink()
    (there / ".git").symlink_to(tmp_path / "mine/.git")
    with pytest.raises(UserError, match="is not a worktree of"):
        await pending(worktree)
    there.rename(tmp_path / "aside")
    there.symlink_to(tmp_path / "mine")
    with pytest.raises(UserError, match="is not a worktree of"):
        await pending(worktree)
    assert run(project, "for-each-ref", "refs/heads") == before
    assert run(tmp_path / "mine", "status", "--porcelain") == ""


async def test_unsaved_text_and_conflicts_hold_it_up(project: Path, worktree: Worktree) -> None:
    with pytest.raises(UserError, match=r"a\.txt is not saved: :write it"):
        await merge(worktree, str(project / "a.txt"))
    (project / "a.txt").write_text("mine\n")
    with pytest.raises(UserError, match=r"git merges nothing: .*would be overwritten"):
        await merge(worktree)
    run(project, "commit", "-qam", "mine")
    with pytest.raises(UserError, match=r"conflicts in a\.txt, nothing is merged"):
        await merge(worktree)
    assert run(project, "status", "--porcelain") == ""
