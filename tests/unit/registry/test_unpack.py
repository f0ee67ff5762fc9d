"""Archives of somebody else's: nothing comes to lie outside of the folder, whatever is in them."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import stat
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_nvim.errors import UserError
from acp_nvim.registry import unpack as module
from acp_nvim.registry import unpack as unpack_module
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


def test_folders_that_are_only_named_by_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """814 bytes of a tar had 20,000 of them."""
    monkeypatch.setattr(module, "MOST_MEMBERS", 100)

    def wide(file: tarfile.TarFile) -> None:
        for number in range(10):
            add(file, f"{number}/" + "a/" * 30 + "robo")

    with pytest.raises(UserError, match="too many files"):
        taken(tmp_path, tar(tmp_path / "robo.tgz", wide))
    assert sum(len(folders) for _, folders, _ in os.walk(tmp_path / "agents")) < 150
    very_deep = tar(tmp_path / "deep.tgz", lambda file: add(file, "a/" * 64 + "robo"))
    with pytest.raises(UserError, match="too deep"):
        unpack(very_deep, tmp_path, "robo", nothing)
    assert not (tmp_path / "a").exists()


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


def grown(archive: Path, tmp_path: Path) -> int:
    """Return by how many bytes unpacking it, which must be refused, makes a process grow."""
    code = f"""
import resource, sys
sys.path.insert(0, {str(Path(module.__file__).parents[2])!r})
from pathlib import Path
from acp_nvim.errors import UserError
from acp_nvim.registry.unpack import unpack
folder = Path({str(tmp_path / "grown")!r})
folder.mkdir()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    unpack(Path({str(archive)!r}), folder, "robo", lambda: None)
except UserError:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    said = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, check=True)
    return int(said.stdout) * (1024 if sys.platform == "linux" else 1)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("mode", [0o100644, 0o120777], ids=["file", "link"])
def test_a_zip_that_the_library_would_inflate_at_once(
    tmp_path: Path, method: int, mode: int
) -> None:
    info = zipfile.ZipInfo("robo")
    info.compress_type, info.external_attr = method, mode << 16
    with zipfile.ZipFile(tmp_path / "a", "w") as file, file.open(info, "w") as member:
        for _ in range(80):
            member.write(bytes(1 << 20))
    assert (tmp_path / "a").stat().st_size < 100_000
    assert grown(tmp_path / "a", tmp_path) < 40 << 20


def test_a_zip_of_more_members_than_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_DIRECTORY", 1_000)
    with zipfile.ZipFile(tmp_path / "a", "w") as file:
        for number in range(100):
            file.writestr(str(number), "")
    with pytest.raises(UserError, match="too many files"):
        taken(tmp_path, tmp_path / "a")


@pytest.mark.parametrize("said", [1, 50])
def test_a_zip_that_says_of_fewer_members_than_it_lists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: int
) -> None:
    monkeypatch.setattr(module, "MOST_MEMBERS", 50)
    with zipfile.ZipFile(tmp_path / "a", "w") as file:
        for number in range(51):
            file.writestr(str(number), "")
    data = bytearray((tmp_path / "a").read_bytes())
    data[-14:-10] = said.to_bytes(2, "little") * 2
    (tmp_path / "a").write_bytes(data)
    monkeypatch.setattr(zipfile, "ZipFile", None)  # the library reads all of the list
    with pytest.raises(UserError, match="too many files"):
        taken(tmp_path, tmp_path / "a")


@pytest.mark.parametrize("form", ["zip", "tar"])
def test_many_times_its_own_size(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SMALL", 1 << 20)
    if form == "zip":
        with zipfile.ZipFile(tmp_path / "a", "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("robo", bytes(8 << 20))
    else:
        info = tarfile.TarInfo("robo")
        info.size = 8 << 20
        with tarfile.open(tmp_path / "a", "w:xz") as file:
            file.addfile(info, io.BytesIO(bytes(8 << 20)))
    with pytest.raises(UserError, match="250 times its size"):
        taken(tmp_path, tmp_path / "a")
    assert not (tmp_path / "agents/robo/robo").exists()


@pytest.mark.parametrize("kind", [tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE, tarfile.XGLTYPE])
def test_a_tar_with_a_header_of_hundreds_of_megabytes(tmp_path: Path, kind: bytes) -> None:
    info = tarfile.TarInfo("long")
    info.type, info.size = kind, 80 << 20
    with lzma.open(tmp_path / "a", "w") as file:
        file.write(info.tobuf())
        for _ in range(80):
            file.write(b"x" * (1 << 20))
    assert grown(tmp_path / "a", tmp_path) < 40 << 20


def test_a_tar_of_many_headers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpack_module, "MOST_HEADERS", 10_000)

    def fill(file: tarfile.TarFile) -> None:
        for number in range(100):
            add(file, f"{number:0200}")

    with pytest.raises(UserError, match="too long"):
        taken(tmp_path, tar(tmp_path / "a", fill))


def test_a_sparse_file_in_a_tar(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="sparse"):
        taken(tmp_path, tar(tmp_path / "a", lambda it: add(it, "robo", tarfile.GNUTYPE_SPARSE)))


def test_a_name_without_an_end(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a", "w") as file:
        file.writestr("a/" * 5_000 + "robo", "")
    with pytest.raises(UserError, match="too long a name"):
        taken(tmp_path, tmp_path / "a")


def packed(content: bytes, mode: str, **fields: object) -> bytes:
    """Return an archive with that content in `robo`."""
    found = io.BytesIO()
    with tarfile.open(fileobj=found, mode=mode, format=tarfile.PAX_FORMAT) as file:  # type: ignore[call-overload]
        info = tarfile.TarInfo("robo")
        info.size = len(content)
        for key, value in fields.items():
            setattr(info, key, value)
        file.addfile(info, io.BytesIO(content))
    return found.getvalue()


@pytest.mark.parametrize("mode", ["w:gz", "w:bz2", "w:xz"])
@pytest.mark.parametrize("place", [0.5, 0.9, -10])
@pytest.mark.parametrize("content", [os.urandom(20_000), PROGRAM * 2_000], ids=["dense", "thin"])
def test_what_is_damaged_on_its_way_is_not_installed(
    tmp_path: Path, mode: str, place: float, content: bytes
) -> None:
    data = bytearray(packed(content, mode))
    data[int(len(data) * place) if place > 0 else int(place)] ^= 0xFF
    archive = tmp_path / "archive"
    archive.write_bytes(data)
    with pytest.raises(UserError, match="cannot be read"):
        taken(tmp_path, archive)


def test_several_streams_of_xz_are_one(tmp_path: Path) -> None:
    data = packed(PROGRAM * 100, "w")
    archive = tmp_path / "archive"
    half = len(data) // 2
    archive.write_bytes(lzma.compress(data[:half]) + bytes(8) + lzma.compress(data[half:]))
    assert taken(tmp_path, archive).read_bytes() == PROGRAM * 100


def test_xz_takes_no_more_memory_than_it_needs(tmp_path: Path) -> None:
    """Its dictionary is as large as an archive asks for: 1.5 GiB, and each byte of it is used."""
    data = bytearray(lzma.compress(packed(PROGRAM, "w")))
    header = data[12 : 12 + 4 * (data[12] + 1)]
    header[header.index(b"\x21\x01") + 2] = 37
    header[-4:] = zlib.crc32(header[:-4]).to_bytes(4, "little")
    data[12 : 12 + len(header)] = header
    archive = tmp_path / "archive"
    archive.write_bytes(data)
    with pytest.raises(UserError, match="Memory usage limit"):
        taken(tmp_path, archive)


def test_a_size_below_nothing_leads_nobody_around_in_circles(tmp_path: Path) -> None:
    """A loop of one member, of which each round inflates all that stands before it anew."""
    archive, members = tmp_path / "archive", 0

    def check() -> None:
        nonlocal members
        members += 1

    archive.write_bytes(packed(PROGRAM * 30, "w:gz", pax_headers={"size": "-1024"}))
    folder = tmp_path / "robo"
    folder.mkdir()
    with pytest.raises(UserError, match="cannot be read"):
        unpack(archive, folder, "robo", check)
    assert members < 10


def test_what_follows_an_archive_counts_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SMALL", 100_000)
    monkeypatch.setattr(module, "MOST_TIMES", 1)
    archive = tmp_path / "archive"
    archive.write_bytes(gzip.compress(packed(PROGRAM, "w") + bytes(200_000)))
    with pytest.raises(UserError, match="unpacks to more"):
        taken(tmp_path, archive)
