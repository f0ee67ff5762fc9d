"""Which files are guarded: by name at any depth, however a file system reads names."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from acp_nvim.config import GUARD
from acp_nvim.files.guard import is_guarded


@pytest.mark.parametrize(
    "path",
    [
        "/work/.git/config",
        "/work/.git/hooks/pre-commit",
        "/work/sub/.git/info/attributes",
        "/work/.git",
        "/work/.GIT/config",
        "/work/.Git/config",
        "/work/.g\u200cit/config",
        "/work/.git /config",
        "/work/.git./config",
        "/work/GIT~1/config",
        "/work/.ｇit/config",
        "/work/.git::$INDEX_ALLOCATION/config",
        "/work/.git\u200d:$I30:$INDEX_ALLOCATION/hooks/x",
        "/work/.envrc::$DATA",
        "/work/.nvim.lua",
        "/work/a/b/.Nvim.LUA",
        "/work/.lazy.lua",
        "/work/.hg/hgrc",
        "/work/.hg/sharedpath",
        "/work/.jj/repo/config.toml",
        "/work/.sl/config",
        "/work/_darcs/prefs/defaults",
        "/work/.pre-commit-config.yaml",
        "/work/a/.pre-commit-config.yml",
        "/work/lefthook.yml",
        "/work/.lefthook-local.toml",
        "/work/.lefthook/pre-commit/x.sh",
        "/work/.overcommit.yml",
        "/work/.exrc",
        "/work/.envrc",
        "/work/.vscode/tasks.json",
        "/work/.VSCode/Tasks.json",
    ],
)
def test_what_is_guarded(path: str) -> None:
    assert is_guarded([path], GUARD)
    assert is_guarded(["/elsewhere", path], GUARD)
    assert not is_guarded([path], ())


@pytest.mark.parametrize(
    "path",
    [
        "/work/.gitignore",
        "/work/.hgignore",
        "/work/docs/lefthook",
        "/work/pre-commit-config.yaml",
        "/work/.github/workflows/ci.yml",
        "/work/git/config",
        "/work/x.git.txt",
        "/work/init.nvim.lua",
        "/work/.nvim.lua.md",
        "/work/.nvim.lua/x",
        "/work/tasks.json",
        "/work/a:.envrc",
        "/work/.vscode/settings.json",
    ],
)
def test_what_is_not(path: str) -> None:
    assert not is_guarded([path], GUARD)


def test_patterns_of_the_user() -> None:
    patterns = ("Makefile", "scripts/*.sh", "deploy/**/run?", "/ci/**")
    for path in ("/w/Makefile", "/w/scripts/a.sh", "/w/deploy/a/b/run1", "/w/ci/x/y", "/w/a/ci/x"):
        assert is_guarded([path], patterns), path
    for path in ("/w/Makefile.am", "/w/scripts/a/b.sh", "/w/deploy/run1", "/w/cix"):
        assert not is_guarded([path], patterns), path


def test_a_repository_under_another_name(tmp_path: Path) -> None:
    folder = tmp_path / "meta"
    for name in ("objects", "refs", "hooks"):
        (folder / name).mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    assert is_guarded([str(folder / "config")], GUARD)
    assert is_guarded([str(folder / "hooks" / "post-checkout")], GUARD)
    assert not is_guarded([str(tmp_path / "config")], GUARD)
    assert not is_guarded([str(folder / "config")], (".envrc",))


def test_what_would_make_a_folder_a_repository(tmp_path: Path) -> None:
    meta = tmp_path / "meta"
    for name in ("config", "HEAD", "objects/info/x", "refs/heads/main"):
        file = meta / name
        assert is_guarded([str(file)], GUARD) is (name == "refs/heads/main"), name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")
    shutil.rmtree(meta / "objects")
    assert is_guarded([str(meta / "OBJECTS" / "x")], GUARD)
    assert not is_guarded([str(meta / "readme")], GUARD)


@pytest.mark.parametrize("name", [".git/config", ".git/hooks/pre-commit", ".envrc"])
def test_another_name_of_what_is_guarded(tmp_path: Path, name: str) -> None:
    guarded, other = tmp_path / name, tmp_path / "src" / "innocent"
    for file in (guarded, other):
        file.parent.mkdir(parents=True, exist_ok=True)
    guarded.write_text("x")
    other.hardlink_to(guarded)
    assert is_guarded([str(other)], GUARD)
    guarded.unlink()
    (tmp_path / "src" / "second").hardlink_to(other)
    assert not is_guarded([str(other)], GUARD)
