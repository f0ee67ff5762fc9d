"""What a stranger meets first: the top level, the pages and workflows there, and a release."""

from __future__ import annotations

import os
import re
import subprocess
import tarfile
import tomllib
from pathlib import Path

import pytest

from tests.support.nvim import ROOT

TOP = {
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE"),
    *("Makefile", "pyproject.toml", "requirements.txt", "acp.nvim-scm-1.rockspec", "repro.lua"),
    *(".ci", ".github", ".gitignore", ".luacheckrc"),
    *("bench", "doc", "ftplugin", "lua", "plugin", "python", "rplugin", "tests"),
}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
VERSION = PROJECT["version"]
ADDRESS = PROJECT["urls"]["Repository"]
MOST_LINES = 80


def git(folder: Path, *arguments: str) -> str:
    ours = {it: value for it, value in os.environ.items() if not it.startswith("GIT_")}
    who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    run = subprocess.run(
        ["git", "-C", str(folder), *who, *arguments],
        env=ours | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout


def kept() -> list[str]:
    """Return the files that git has; a copy of the plugin without git is not looked at."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is not a checkout: there is no .git")
    return git(ROOT, "ls-files").splitlines()


def script(folder: Path, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(folder / ".ci" / name), *arguments]
    env = os.environ | {"LUAROCKS": ""}  # the rock is for those who have it
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a repository with what a release is about."""
    listed = ("README.md", "CHANGELOG.md", "pyproject.toml", "acp.nvim-scm-1.rockspec")
    for name in (*listed, "doc/acp.txt", *(f".ci/{it.name}" for it in (ROOT / ".ci").iterdir())):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
        (tmp_path / name).chmod((ROOT / name).stat().st_mode)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "All")
    return tmp_path


def test_the_top_level_has_what_is_named_and_nothing_else() -> None:
    assert {name.partition("/")[0] for name in kept()} == TOP


def test_the_changelog_for_users_is_short_and_has_this_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert f"\n## {VERSION}\n" in text
    assert len(text.splitlines()) <= MOST_LINES


def test_workflows_run_the_makefile_with_each_neovim_and_python() -> None:
    folder = ROOT / ".github" / "workflows"
    test = (folder / "test.yml").read_text("utf-8")
    assert 'make test NVIM="$(.ci/nvim ${{ matrix.nvim }})"' in test
    for needed in ("v0.10.4", "v0.11.4", "v0.12.4", "nightly", "ubuntu", "macos"):
        assert needed in test
    assert {"'3.11'", "'3.12'", "'3.13'", "'3.14'"} <= set(re.findall(r"'3\.\d+'", test))
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for workflow in folder.iterdir():
        called = re.findall(r"\bmake (\w+) [A-Z]+=", workflow.read_text("utf-8"))
        assert called, workflow
        assert set(called) <= targets


def test_one_command_names_the_account_everywhere(copy: Path) -> None:
    account = ADDRESS.split("/")[-2]
    held = [it for it in git(copy, "ls-files").splitlines() if not it.startswith(".ci/")]
    before = {it: (copy / it).read_text("utf-8").count(f"{account}/acp.nvim") for it in held}
    assert {"README.md", "doc/acp.txt", "pyproject.toml", "acp.nvim-scm-1.rockspec"} == {
        it for it, count in before.items() if count
    }
    for name in ("somebody", "some-body-2"):
        run = script(copy, "owner", name)
        assert run.returncode == 0, run.stderr
        after = {it: (copy / it).read_text("utf-8") for it in held}
        assert {it: text.count(f"{name}/acp.nvim") for it, text in after.items()} == before
        assert not [it for it, text in after.items() if re.search(r"\bOWNER\b", text)]
    assert script(copy, "owner", "a/b|c").returncode != 0


def test_a_release_has_an_archive_a_rockspec_and_their_checksums(copy: Path) -> None:
    refused = script(copy, "release")
    assert refused.returncode == 1
    assert f"git tag -a v{VERSION}" in refused.stderr
    git(copy, "tag", f"v{VERSION}")
    (copy / "README.md").write_text("what is not in the tag is not in the release")
    run = script(copy, "release")
    assert run.returncode == 0, run.stderr
    made = copy / "dist"
    with tarfile.open(made / f"acp.nvim-{VERSION}.tar.gz") as archive:
        member = archive.extractfile(f"acp.nvim-{VERSION}/README.md")
        assert member
        assert member.read() == (ROOT / "README.md").read_bytes()
    rockspec = (made / f"acp.nvim-{VERSION}-1.rockspec").read_text("utf-8")
    assert f"version = '{VERSION}-1'" in rockspec
    assert f"url = 'git+{ADDRESS}', tag = 'v{VERSION}'" in rockspec
    sums = (made / "SHA256SUMS").read_text("utf-8").splitlines()
    assert {line.split()[1] for line in sums} == {it.name for it in made.iterdir()} - {"SHA256SUMS"}
    assert script(copy, "release").returncode == 0
    assert (made / "SHA256SUMS").read_text("utf-8").splitlines() == sums
