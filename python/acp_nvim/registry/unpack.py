"""Archives of somebody else's are unpacked into a folder of ours, and nowhere else.

What an archive says of itself is checked before the library inflates anything: how many members,
how long their names, how many bytes in all, and how many times the archive's own.

Plain files, folders, and links that end inside. Links are made last, so nothing is written through
one; modes are ours. Blocks: for a worker thread.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, Any, Final, Literal, cast

from msgspec import Struct

from acp_nvim.errors import UserError

MOST_BYTES = 2 << 30
"""Bytes of all files together."""
MOST_MEMBERS = 100_000
MOST_DIRECTORY = 32 << 20
"""Bytes of a zip's list of members, which the library reads at once."""
MOST_TIMES, SMALL = 250, 64 << 20
"""How many times its own size an archive unpacks to, once that is more than so many bytes."""
MOST_NAME, DEEPEST = 1_024, 64
"""Characters of the path of a member, and its parts."""
MOST_MEMORY = 128 << 20
"""Bytes that xz may take, of which an archive says how many it wants; `xz -9` wants 65 MiB."""
PIECE = 1 << 20
_SIZE_64 = 76
"""Bytes behind the list of a large zip, before its end."""

_PROGRAMS = (
    b"\x7fELF",
    b"#!",
    b"\xcf\xfa\xed\xfe",
    b"\xce\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
)
"""How programs of Linux and macOS begin, and scripts."""
_COMPRESSED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ")
_BROKEN = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,
)


class _Member(Struct, frozen=True):
    name: str
    kind: Literal["file", "folder", "symlink", "hardlink", "other"]
    target: str = ""
    is_program: bool = False
    open: Callable[[], IO[bytes] | None] = lambda: None
    size: int = 0
    """Bytes, as the archive says."""


def unpack(archive: Path, folder: Path, command: str, check: Callable[[], None]) -> Path:
    """Unpack into that empty folder; return the path of the program.

    `command` is its path in the archive; what is no archive is the program itself. `check` raises
    when nobody wants it any more. Raises `UserError`, without its subject.
    """
    begin = _begin(archive)
    try:
        if begin.startswith(b"PK"):
            _check_directory(archive)
            with zipfile.ZipFile(archive) as file:
                _take(_of_zip(file), folder, _room(archive), check)
        elif begin.startswith(_COMPRESSED) or begin[257:262] == b"ustar":
            _take_tar(archive, begin, folder, check)
        elif begin.startswith(_PROGRAMS):
            shutil.copyfile(archive, _place(folder, PurePosixPath(command).name))
        else:
            raise UserError("it is neither an archive nor a program: not installed")
    except (*_BROKEN, ValueError, RuntimeError, OSError) as error:
        if isinstance(error, OSError) and error.errno:  # else a library has found no sense in it
            raise UserError(f"it cannot be unpacked: {error.strerror}") from error
        raise UserError(f"its archive cannot be read ({error}): not installed") from error
    return _program(folder, command)


def _begin(archive: Path) -> bytes:
    with archive.open("rb") as file:
        return file.read(512)


def _room(archive: Path) -> int:
    """Return to how many bytes it may unpack."""
    return min(MOST_BYTES, max(SMALL, MOST_TIMES * archive.stat().st_size))


def _check_directory(archive: Path) -> None:
    """Raise `UserError` if a zip's list of members is too long to be read."""
    with archive.open("rb") as file:
        end = zipfile._EndRecData(file)  # type: ignore[attr-defined]  # as the library finds it
        size, at = (end[5], end[9]) if end else (0, 0)
        file.seek(max(0, at - size - _SIZE_64))
        # what the list says of its own length need not be so
        members = file.read(size + _SIZE_64).count(b"PK\x01\x02") if size <= MOST_DIRECTORY else 0
    if size > MOST_DIRECTORY or members > MOST_MEMBERS:
        raise UserError("it has too many files: not installed")


def _of_zip(file: zipfile.ZipFile) -> Iterator[_Member]:
    for info in file.infolist():
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            # the library inflates the others without a limit
            raise UserError(f"{info.filename!a:.80} is compressed in a rare way: not installed")
        mode = info.external_attr >> 16
        open_it = partial(file.open, info)
        if info.is_dir():
            yield _Member(info.filename, "folder")
        elif stat.S_ISLNK(mode):
            yield _Member(info.filename, "symlink", target=_target(open_it()))
        else:
            is_program, size = bool(mode & 0o100), info.file_size
            yield _Member(info.filename, "file", is_program=is_program, open=open_it, size=size)


def _target(source: IO[bytes]) -> str:
    with source:
        return source.read(4_096).decode("utf-8", "surrogateescape")


def _take_tar(archive: Path, begin: bytes, folder: Path, check: Callable[[], None]) -> None:
    """Take the members one after the other: what would have the library go back is not read."""
    room = _room(archive)
    with closing(_inflated(archive, begin)) as plain:
        with tarfile.open(fileobj=cast("Any", plain), mode="r|", tarinfo=Header) as tar:
            _take(_of_tar(tar), folder, room, check)
        while piece := plain.read(PIECE):  # what tells that it is not damaged stands at its end
            check()
            room -= len(piece)
            if room < 0:
                raise _too_large()


def _inflated(archive: Path, begin: bytes) -> IO[bytes] | _Xz:
    if begin.startswith(b"\x1f\x8b"):
        return cast("IO[bytes]", gzip.open(archive))
    if begin.startswith(b"BZh"):
        return bz2.open(archive)
    return _Xz(archive.open("rb")) if begin.startswith(b"\xfd7zXZ") else archive.open("rb")


class _Xz:
    """What is in a file of xz, inflated within `MOST_MEMORY`: the library's own has no limit."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._decoder = lzma.LZMADecompressor(lzma.FORMAT_XZ, MOST_MEMORY)

    def read(self, size: int) -> bytes:
        """Return some bytes, at most so many; none at the end."""
        while True:
            given = b""
            if self._decoder.eof:
                given = (self._decoder.unused_data or self._file.read(PIECE)).lstrip(b"\0")
                if not given:
                    return given
                self._decoder = lzma.LZMADecompressor(lzma.FORMAT_XZ, MOST_MEMORY)  # one more
            elif self._decoder.needs_input and not (given := self._file.read(PIECE)):
                raise EOFError("it ends too early")
            if data := self._decoder.decompress(given, size):
                return data

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _of_tar(tar: tarfile.TarFile) -> Iterator[_Member]:
    for info in tar:
        if info.isfile():
            open_it = partial(tar.extractfile, info)
            is_program, size = bool(info.mode & 0o100), info.size
            yield _Member(info.name, "file", is_program=is_program, open=open_it, size=size)
        elif info.isdir():
            yield _Member(info.name, "folder")
        elif info.issym() or info.islnk():
            yield _Member(info.name, "symlink" if info.issym() else "hardlink", info.linkname)
        else:
            yield _Member(info.name, "other")


def _take(members: Iterator[_Member], folder: Path, room: int, check: Callable[[], None]) -> None:
    links: list[tuple[_Member, Path]] = []
    folders = {folder}
    for count, member in enumerate(members, 1):
        check()
        place = _place(folder, member.name)
        above = place.parent
        while above not in folders:  # it was named by the way alone, and is made all the same
            folders.add(above)
            above = above.parent
        if count + len(folders) > MOST_MEMBERS + 1:
            raise UserError("it has too many files: not installed")
        match member.kind:
            case "folder":
                place.mkdir(0o700, parents=True, exist_ok=True)
            case "file":
                room -= _write(member, place, room, check)
            case "other":
                raise UserError(f"it has a file of no plain kind ({place.name}): not installed")
            case _:
                links.append((member, place))
    _make_links(links, folder)


def _make_links(links: list[tuple[_Member, Path]], folder: Path) -> None:
    for member, place in sorted(links, key=lambda it: it[0].kind):  # hard links first
        _link(member, place, folder)
    root = os.path.realpath(folder)
    for member, place in links:
        if os.path.commonpath([root, os.path.realpath(place)]) != root:
            raise UserError(f"a link in it leads out of its folder ({member.name}): not installed")


def _place(folder: Path, name: str) -> Path:
    """Return where a member goes: below the folder, through no link."""
    if len(name) > MOST_NAME:
        raise UserError("a file in it has too long a name: not installed")
    path = PurePosixPath(name)
    parts = [part for part in path.parts if part != "."]
    if len(parts) > DEEPEST:
        raise UserError("a file in it lies too deep: not installed")
    if path.is_absolute() or ".." in parts or not name.isprintable() or "\\" in name:
        raise UserError(f"a file in it has a path that leads out ({name!a:.80}): not installed")
    place = folder.joinpath(*parts)
    for above in (place, *place.parents):
        if above == folder:
            break
        if above.is_symlink():
            raise UserError(f"a file in it lies behind a link ({name!a:.80}): not installed")
    place.parent.mkdir(0o700, parents=True, exist_ok=True)
    return place


def _write(member: _Member, place: Path, room: int, check: Callable[[], None]) -> int:
    """Write a file; return its size."""
    if member.size > room:
        raise _too_large()
    source = member.open()
    if source is None:
        raise UserError(f"its archive cannot be read ({place.name}): not installed")
    size = 0
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    mode = 0o700 if member.is_program else 0o600
    with source, os.fdopen(os.open(place, flags, mode), "wb") as file:
        while piece := source.read(PIECE):
            check()
            size += len(piece)
            if size > room:
                raise _too_large()
            file.write(piece)
    return size


def _too_large() -> UserError:
    most = f"{MOST_BYTES >> 30} GB, or than {MOST_TIMES} times its size"
    return UserError(f"it unpacks to more than {most}: not installed")


def _link(member: _Member, place: Path, folder: Path) -> None:
    if member.kind == "hardlink":
        os.link(_place(folder, member.target), place, follow_symlinks=False)
    elif os.path.isabs(member.target):
        raise UserError(f"a link in it leads out of its folder ({place.name}): not installed")
    else:
        place.symlink_to(member.target)


def _program(folder: Path, command: str) -> Path:
    """Return the program: at its path, else the one file of that name."""
    place = folder.joinpath(*PurePosixPath(command).parts)
    found = (
        [place]
        if place.is_file()
        else [it for it in sorted(folder.rglob(place.name)) if it.is_file()]
    )
    if len(found) != 1:
        raise UserError(f"its archive has no {command}: not installed")
    found[0].chmod(0o700)
    return found[0]


MOST_HEADER: Final = 64 << 10
"""Bytes of one long name, or of the other things that stand before a member."""
MOST_HEADERS: Final = 16 << 20
"""Bytes of all of them."""
_LONG: Final = (
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
)


class Header(tarfile.TarInfo):
    """What stands before a member; the library asks it to read what belongs to itself."""

    def _proc_member(self, tar: Any) -> Any:
        if self.type == tarfile.GNUTYPE_SPARSE:
            raise _Refused("it has a sparse file")
        if self.type in _LONG:
            tar.header_bytes = getattr(tar, "header_bytes", 0) + self.size
            if not 0 <= self.size <= MOST_HEADER or tar.header_bytes > MOST_HEADERS:
                raise _Refused("a name in it is too long")
        return super()._proc_member(tar)  # type: ignore[misc]

    def _sparse(self, *_: Any) -> None:
        raise _Refused("it has a sparse file")

    _proc_gnusparse_00 = _proc_gnusparse_01 = _proc_gnusparse_10 = _sparse


class _Refused(tarfile.TarError):
    """The archive is not read any further; the library would go on behind a `HeaderError`."""
