"""Archives of somebody else's: nothing comes to lie outside of the folder, whatever is in them."""

from __future__ import annotations

import io
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_nvim.errors import UserError
from acp_nvim.registry import unpack as module
from acp_nvim.registry.unpack import unpack

PROGRAM = b"#!/bin/sh\necho robo\n"
Fill = Callable[[tarfile.TarFile], None]


def nothing() -> None:
    """Let it go on."""


def add(tar: tarfile.TarFile, name: str, kind: bytes = tarfile.REGTYPE, **fields: object) -> None:
    info = tarfile.TarInfo(name)
    info.type = kind
    info.mode = 0o4777
    for key, value in fields.items():
        setattr(info, key, value)
    info.size = len(PROGRAM) if kind == tarfile.REGTYPE else 0
    tar.addfile(info, io.BytesIO(PROGRAM))


def tar(path: Path, fill: Fill, mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as file:  # type: ignore[call-overload]
        fill(file)
    return path


def taken(tmp_path: Path, archive: Path, command: str = "robo") -> Path:
    folder = tmp_path / "agents" / "robo"
    folder.mkdir(parents=True)
    return unpack(archive, folder, command, nothing)


@pytest.mark.parametrize("mode", ["w:gz", "w:bz2", "w:xz", "w"])
def test_a_tar(tmp_path: Path, mode: str) -> None:
    def fill(file: tarfile.TarFile) -> None:
        add(file, "./bin", tarfile.DIRTYPE)
        add(file, "./bin/robo")
        add(file, "./lib/link", tarfile.SYMTYPE, linkname="../bin/robo")
        add(file, "./lib/hard", tarfile.LNKTYPE, linkname="./bin/robo")

    program = taken(tmp_path, tar(tmp_path / "a", fill, mode), "bin/robo")
    assert program.read_bytes() == PROGRAM
    assert stat.S_IMODE(program.stat().st_mode) == 0o700
    assert (tmp_path / "agents/robo/lib/link").read_bytes() == PROGRAM
    assert (tmp_path / "agents/robo/lib/hard").read_bytes() == PROGRAM


def test_a_zip(tmp_path: Path) -> None:
    archive = tmp_path / "a.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("robo/robo", PROGRAM)
        link = zipfile.ZipInfo("robo/again")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        file.writestr(link, "robo")
    assert taken(tmp_path, archive).read_bytes() == PROGRAM
    assert os.readlink(tmp_path / "agents/robo/robo/again") == "robo"


def test_the_program_itself(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(PROGRAM)
    program = taken(tmp_path, tmp_path / "a", "bin/robo")
    assert (program.name, os.access(program, os.X_OK)) == ("robo", True)


def outside(name: str) -> Fill:
    return lambda file: add(file, name)


def linked(*links: tuple[str, str], kind: bytes = tarfile.SYMTYPE) -> Fill:
    def fill(file: tarfile.TarFile) -> None:
        for name, target in links:
            add(file, name, kind, linkname=target)
        add(file, "robo")

    return fill


def through(file: tarfile.TarFile) -> None:
    add(file, "out", tarfile.SYMTYPE, linkname="..")
    add(file, "out/planted")


def deep(file: tarfile.TarFile) -> None:
    """Each link stays inside by its letters; together they lead out."""
    add(file, "robo")
    add(file, "d", tarfile.DIRTYPE)
    add(file, "x/y/down", tarfile.SYMTYPE, linkname="../../d")
    add(file, "x/y/up", tarfile.SYMTYPE, linkname="down/../..")


@pytest.mark.parametrize(
    "fill",
    [
        outside("../planted"),
        outside("/tmp/planted"),
        outside("a/../../planted"),
        outside("a\\..\\planted"),
        outside("a\x1b[2Jb"),
        linked(("out", "/etc")),
        linked(("out", "..")),
        linked(("out", "a/../..")),
        linked(("out", "../../../../etc/passwd"), kind=tarfile.LNKTYPE),
        linked(("out", "/etc/passwd"), kind=tarfile.LNKTYPE),
        through,
        deep,
        lambda file: add(file, "pipe", tarfile.FIFOTYPE),
        lambda file: add(file, "device", tarfile.CHRTYPE),
        lambda file: add(file, "other"),
    ],
)
def test_what_is_refused(tmp_path: Path, fill: Fill) -> None:
    with pytest.raises(UserError):
        taken(tmp_path, tar(tmp_path / "a", fill))
    kept = {it.name for it in tmp_path.iterdir()} | {
        it.name for it in (tmp_path / "agents").iterdir()
    }
    assert kept == {"a", "agents", "robo"}


def test_a_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 1_000)
    archive = tmp_path / "a.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("robo", b"#!" + b"0" * 1_000_000)
    with pytest.raises(UserError, match="unpacks to more than"):
        taken(tmp_path, archive)


def test_too_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_MEMBERS", 10)

    def fill(file: tarfile.TarFile) -> None:
        for number in range(12):
            add(file, f"f{number}")

    with pytest.raises(UserError, match="too many files"):
        taken(tmp_path, tar(tmp_path / "a", fill))


@pytest.mark.parametrize("content", [b"", b"<html>", b"PK\x03\x04rest", b"\x1f\x8bbad", b"BZhbad"])
def test_what_is_no_archive(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(UserError, match="not installed"):
        taken(tmp_path, tmp_path / "a")


def test_an_archive_that_is_cut(tmp_path: Path) -> None:
    whole = tar(tmp_path / "whole", lambda file: [add(file, f"f{n}") for n in range(99)])  # type: ignore[arg-type,return-value]
    (tmp_path / "a").write_bytes(whole.read_bytes()[:-40])
    with pytest.raises(UserError, match="not installed"):
        taken(tmp_path, tmp_path / "a")


def test_two_programs_of_the_name_are_none(tmp_path: Path) -> None:
    def fill(file: tarfile.TarFile) -> None:
        add(file, "a/robo")
        add(file, "b/robo")

    with pytest.raises(UserError, match="has no robo"):
        taken(tmp_path, tar(tmp_path / "a", fill))


def test_it_stops_when_nobody_wants_it(tmp_path: Path) -> None:
    class StoppedError(Exception):
        """Stands for the cancelling of a task."""

    def stop() -> None:
        raise StoppedError

    archive = tar(tmp_path / "a", lambda file: add(file, "robo"))
    (tmp_path / "to").mkdir()
    with pytest.raises(StoppedError):
        unpack(archive, tmp_path / "to", "robo", stop)
