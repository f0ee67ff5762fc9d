"""Which folders are no project: never a root unless the user says so."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from acp_nvim.workspace.root import is_too_wide


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "people" / "me"
    folder.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.mark.parametrize(
    "root",
    [
        *("/run/user/1000", "/var/spool/cron", "/home/somebody", "/mnt/c", "/mnt/c/Users/me"),
        *("/mnt/d", "/mnt/c/Windows/System32"),
        *("/usr/local/bin", "/usr/local/etc/x", "/snap/bin", "/var/backups", "/private/var/root"),
        *["/", "//", "/etc", "/etc/nginx", "/usr", "/usr/bin", "/proc/1", "/tmp", "/var"],
    ],
)
def test_folders_of_the_system(home: Path, root: str) -> None:
    assert is_too_wide(root)


@pytest.mark.parametrize(
    "root",
    [
        *("/private/tmp", "/private/var", "/private/etc/x", "/private/var/log", "/private/var/tmp"),
        *("/Users", "/users", "/USERS", "/System/Library", "/Applications"),
        *("/run", "/usr/lib/x", "/usr/lib64", "/nix/store"),
    ],
)
def test_folders_of_other_systems(home: Path, root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os.path, "realpath", os.path.normpath)  # as where these are no links
    assert is_too_wide(root)


@pytest.mark.parametrize("name", [".SSH", ".Config/GH", "Library/Keychains/x"])
def test_keys_where_names_have_no_case(home: Path, name: str) -> None:
    assert is_too_wide(str(home / name))


def test_a_link_that_may_not_be_read(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str) -> str:
        raise PermissionError(path)

    monkeypatch.setattr(os.path, "realpath", refuse)
    assert is_too_wide("/proc/1/cwd")


@pytest.mark.parametrize(
    "root",
    [
        "/private/var/folders/ab/project",
        "/privateer",
        "/nix/x",
        "/mnt/c/Users/me/code",
        "/mnt/code",
        "/home/somebody/code",
        "/Users/somebody/code",
    ],
)
def test_projects_beside_them(home: Path, root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os.path, "realpath", os.path.normpath)
    assert not is_too_wide(root)


@pytest.mark.parametrize(
    "name",
    [
        *(".", "..", "../..", ".ssh", ".ssh/keys", ".gnupg", "work/..", ".config", ".local"),
        ".local/share",
        "Library",
        ".config/google-chrome/Default",
    ],
)
def test_the_home_directory_what_holds_it_and_keys(home: Path, name: str) -> None:
    (home / "work").mkdir()
    assert is_too_wide(str(home / name))


def test_a_link_is_where_it_leads(home: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(home)
    assert is_too_wide(str(tmp_path / "link"))


@pytest.mark.parametrize("name", ["work", ".config/nvim", ".dotfiles", ".sshfs"])
def test_projects(home: Path, name: str) -> None:
    (home / name).mkdir(parents=True)
    assert not is_too_wide(str(home / name))
    assert not is_too_wide(str(home.parent / "meander"))
