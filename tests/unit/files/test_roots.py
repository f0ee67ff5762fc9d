from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest

from acp_nvim.client.session import Session
from acp_nvim.errors import OutsideRoots
from acp_nvim.files.attribution import resolved_within
from acp_nvim.files.roots import Roots


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "root"
    folder.mkdir()
    return folder


def refused(roots: Roots, path: object) -> str:
    with pytest.raises(OutsideRoots) as caught:
        roots.resolve(str(path))
    return str(caught.value)


def test_files_below_the_folders_are_allowed_also_new_ones(root: Path) -> None:
    roots = Roots(str(root), (str(root.parent / "more"),))
    assert roots.resolve(f"{root}/a") == f"{root}/a"
    assert roots.resolve(f"{root}/new/folder/x") == f"{root}/new/folder/x"
    assert roots.resolve(f"{root}/b/../a") == f"{root}/a"
    assert roots.resolve(f"{root.parent}/more/a") == f"{root.parent}/more/a"


def test_a_folder_that_is_a_symlink_works(root: Path) -> None:
    link = root.parent / "link"
    link.symlink_to(root)
    roots = Roots(str(link))
    assert roots.resolve(f"{link}/a") == f"{root}/a"
    assert roots.resolve(f"{root}/a") == f"{root}/a"


def test_ways_out_are_refused(root: Path) -> None:
    outside = root.parent / "outside"
    outside.mkdir()
    (root / "out").symlink_to(outside)
    (root / "dangling").symlink_to(outside / "new")
    (root / "relative").symlink_to("../outside/file")
    roots = Roots(str(root))
    for path in ("/etc/passwd", root / "../x", root / "out/x", root / "out/../root2/x"):
        assert "outside" in refused(roots, path)
    for path in (root / "dangling", root / "relative", f"{root}2/x", root / "a/../../x"):
        assert str(root) in refused(roots, path)


def test_a_symlink_inside_leads_to_its_target(root: Path) -> None:
    (root / "link").symlink_to(root / "new")
    assert Roots(str(root)).resolve(f"{root}/link") == f"{root}/new"


def test_a_folder_that_is_exchanged_for_a_link_later_is_none_any_more(
    root: Path, tmp_path: Path
) -> None:
    session = Session("a", str(root), lambda *_: None)
    assert session.roots(()).resolve(f"{root}/x") == f"{root.resolve()}/x"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    root.rename(tmp_path / "moved")
    root.symlink_to(elsewhere)
    for path in (f"{root}/x", f"{elsewhere}/x"):
        with pytest.raises(OutsideRoots, match="something else"):
            session.roots(()).resolve(path)
    assert session.roots(()).folders() == ()


def test_a_link_that_was_the_folder_and_leads_elsewhere_later_leads_out(tmp_path: Path) -> None:
    one, two, link = (tmp_path / it for it in ("one", "two", "link"))
    one.mkdir()
    two.mkdir()
    link.symlink_to(one)
    session = Session("a", str(link), lambda *_: None)
    assert session.roots(()).folders() == (str(one.resolve()),)
    link.unlink()
    link.symlink_to(two)
    with pytest.raises(OutsideRoots):
        session.roots(()).resolve(f"{link}/x")
    assert session.roots(()).has(f"{one.resolve()}/x")


@pytest.mark.parametrize("path", ["a", "./a", "", "file:///a", "~/a"])
def test_relative_paths_are_refused(root: Path, path: str) -> None:
    assert "absolute" in refused(Roots(str(root)), path)


@pytest.mark.parametrize("path", ["/a\0b", "/\ud800"])
def test_what_is_no_path_is_refused(root: Path, path: str) -> None:
    refused(Roots(str(root)), path)


def test_the_root_of_all_is_a_folder_too() -> None:
    assert Roots("/").resolve("/nowhere/x") == "/nowhere/x"


def test_what_no_system_opens_is_refused_before_its_links_are_looked_for(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    monkeypatch.setattr("os.path.realpath", lambda path: looked.append(path) or path)
    said = refused(Roots(str(root)), f"{root}" + "/a" * 5_000_000)
    assert "characters" in said
    assert len(said) < 300
    assert looked == []


def test_the_folders_are_looked_at_once_for_many_paths(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, looked = os.path.realpath, list[str]()
    monkeypatch.setattr("os.path.realpath", lambda path: looked.append(path) or real(path))
    paths = [f"{root}/src/{number}" for number in range(50)]
    assert [*resolved_within(Roots(str(root)), [*paths, "/etc/passwd"]).values()] == paths
    assert looked == [str(root), f"{root}/src", "/etc"]


def test_many_paths_are_resolved_as_each_of_them_is(root: Path) -> None:
    (root / "folder").mkdir()
    (root / "link").symlink_to(root / "folder")
    (root / "out").symlink_to("/etc")
    (root / "leaf").symlink_to("/etc/passwd")
    (root / "folder" / "inner").symlink_to(root / "other.py")
    names = ("", "/", "/a", "/folder", "/folder/", "/folder/.", "/folder/..", "/folder/../a")
    more = ("/link/a", "/link", "/out/passwd", "/leaf", "/folder/inner", "/out", "/a\0b", "/../a")
    paths = [f"{root}{name}" for name in (*names, *more, f"/{'a' * 5_000}", f"/{'b' * 255}")]
    paths += ["a", "./a", "", "/", "/a", "//a", "/etc/passwd"]
    roots, one_by_one = Roots(str(root)), dict[str, str]()
    for path in paths:
        with suppress(OutsideRoots):
            one_by_one[path] = roots.resolve(path)
    assert resolved_within(roots, paths) == one_by_one
