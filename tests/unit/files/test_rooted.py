"""A folder that becomes a link between check and use leads nowhere."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from acp_nvim.errors import FileProblem, OutsideRoots
from acp_nvim.files import disk, rooted
from acp_nvim.files.baselines.snapshot import fingerprint, read_snapshot
from acp_nvim.files.roots import Roots

SECRET = b"secret"
MOST = 3000
"""Rounds of an exchange: a thousand were enough to leave the roots hundreds of times."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A root with a folder `sub`, and beside it a folder `away` with a file of the same name."""
    for folder, content in (("root/sub", b"mine"), ("away", SECRET)):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a").write_bytes(content)
    return tmp_path / "root"


def turn_into_link(project: Path) -> None:
    (project / "sub").rename(project / "was")
    (project / "sub").symlink_to(project.parent / "away")


def turn_back(project: Path) -> None:
    (project / "sub").unlink()
    (project / "was").rename(project / "sub")


def away(project: Path) -> dict[str, bytes]:
    return {it.name: it.read_bytes() for it in (project.parent / "away").iterdir()}


@contextmanager
def exchanging(project: Path) -> Iterator[Event]:
    """Exchange the folder for the link and back until the end, or until so many rounds are over."""
    ended = Event()

    def exchange() -> None:
        try:
            for _ in range(MOST):
                if ended.is_set():
                    break
                turn_into_link(project)
                turn_back(project)
        finally:
            ended.set()

    thread = Thread(target=exchange)
    thread.start()
    try:
        yield ended
    finally:
        ended.set()
        thread.join()


async def test_no_round_of_an_exchange_leads_out_of_the_roots(project: Path) -> None:
    roots, path, rounds = Roots(str(project)), f"{project}/sub/a", 0
    (project.parent / "away/b").write_bytes(SECRET)
    with exchanging(project) as ended:
        while not ended.is_set():
            rounds += 1
            with suppress(OutsideRoots, FileProblem):
                real = roots.resolve(path)
                found = await disk.read(real)
                assert found is None or found != SECRET.decode()
                await disk.write(real, b"written")
                disk.remove(f"{os.path.dirname(real)}/b")
    assert away(project) == {"a": SECRET, "b": SECRET}
    assert rounds > 0


Act = Callable[[str], Any]


async def read(path: str) -> None:
    await disk.read(path)


async def write(path: str) -> None:
    await disk.write(path, b"x")


async def write_in_place(path: str) -> None:
    await disk.write(path, b"x", in_place=True)


async def remove(path: str) -> None:
    disk.remove(path)


async def make_folders(path: str) -> None:
    disk.make_folders(f"{path}.d/b")


async def set_mode(path: str) -> None:
    disk.set_mode(path, 0o777)


async def read_bytes(path: str) -> None:
    await disk.read_bytes(path)


ACTS = (read, write, write_in_place, remove, make_folders, set_mode, read_bytes)


@pytest.mark.parametrize("act", ACTS)
async def test_a_folder_that_is_a_link_is_refused_by_every_act(project: Path, act: Act) -> None:
    mode = (project.parent / "away/a").stat().st_mode
    turn_into_link(project)
    with pytest.raises(FileProblem, match="its folder is a symbolic link now"):
        await act(f"{project}/sub/a")
    assert away(project) == {"a": SECRET}
    assert (project.parent / "away/a").stat().st_mode == mode


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("step", range(1, 6))
async def test_an_exchange_at_any_step_reaches_nothing_else(
    project: Path, act: Act, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`step`: before so many calls from the end of the way to the file, the folder is a link."""
    opened, ways = os.open, [0]
    depth = len((project / "sub/a").parts)

    def interposed(path: Any, *args: Any, **named: Any) -> int:
        ways[0] += 1
        if ways[0] == depth - 3 + step:
            turn_into_link(project)
        return opened(path, *args, **named)

    mode = (project.parent / "away/a").stat().st_mode
    monkeypatch.setattr(os, "open", interposed)
    with suppress(FileProblem):
        await act(f"{project}/sub/a")
    assert away(project) == {"a": SECRET}
    assert (project.parent / "away/a").stat().st_mode == mode


def test_a_baseline_holds_nothing_of_elsewhere(project: Path) -> None:
    path = f"{project}/sub/a"
    at = fingerprint(path)
    turn_into_link(project)
    assert read_snapshot(path, at, 1000) is None


@pytest.mark.parametrize("kind", [os.mkfifo, os.mkdir])
async def test_what_took_the_place_of_a_file_blocks_nobody(
    project: Path, kind: Callable[[Path], None]
) -> None:
    path = project / "sub/a"
    at = fingerprint(str(path))
    path.unlink()
    kind(path)
    for act in (read, write, write_in_place, remove, set_mode, read_bytes):
        with pytest.raises(FileProblem, match="it is"):
            await act(str(path))
    assert read_snapshot(str(path), at, 1000) is None
    assert disk.size(str(path)) == 0


def test_a_pipe_that_comes_after_the_look_blocks_nobody(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = project / "sub/a"
    status = os.stat(path)
    with rooted.place(str(path)) as place:
        path.unlink()
        os.mkfifo(path)
        monkeypatch.setattr(rooted.Place, "status", lambda _: status)
        with pytest.raises(OSError, match="not a plain file"):
            place.open(os.O_RDONLY)


def test_a_path_that_is_not_resolved_is_refused(project: Path) -> None:
    with (
        pytest.raises(OSError, match="not resolved"),
        rooted.folder(f"{project}/sub/../../away"),
    ):
        raise AssertionError


def test_no_descriptor_stays_open(project: Path) -> None:
    def count() -> int:
        first = os.open("/", os.O_RDONLY)
        os.close(first)
        return first

    before = count()
    for path in ("sub/a", "sub/none", "none/a", "sub", "sub/a/b"):
        with suppress(OSError):
            rooted.file(f"{project}/{path}").close()
    turn_into_link(project)
    with suppress(OSError):
        rooted.file(f"{project}/sub/a").close()
    assert count() == before


async def test_links_within_the_roots_lead_where_they_did(project: Path) -> None:
    (project / "link").symlink_to("sub")
    (project / "sub/other").symlink_to("../link/a")
    roots = Roots(str(project))
    for name in ("link/a", "sub/other", "link/other"):
        assert await disk.read(roots.resolve(f"{project}/{name}")) == "mine"
