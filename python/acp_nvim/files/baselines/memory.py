"""What was last seen of files, kept on disk, so that a host that comes after a kill knows it.

Each record is a line of JSON and the bytes that it tells of; the last one of a path counts. Reading
ends where a record is cut off.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping
from json.encoder import encode_basestring_ascii
from typing import BinaryIO, Protocol

from msgspec import Struct, ValidationError, convert, field, to_builtins

from acp_nvim.files.baselines.listing import Listing, Scan
from acp_nvim.files.baselines.snapshot import (
    Fingerprint,
    Snapshot,
    SnapshotCache,
    fingerprint,
    read_snapshot,
    stamp_of,
)
from acp_nvim.files.roots import inside

MOST = 192 << 20
"""Bytes that are on disk at most, three times what is kept in memory: then it is written anew."""


class Sink(Protocol):
    """Takes what is to be kept."""

    def __call__(self, data: bytes, *, anew: bool) -> None:
        """Keep it after, or in the place of, all that was kept. Never raises."""


class Remembered(Struct):
    """What files held, by path, and when their folders were visited, by folder."""

    sights: dict[str, Snapshot] = field(default_factory=dict)
    scans: dict[str, Scan] = field(default_factory=dict)


class Memory:
    """Writes to the sink what is new on the shelf. Blocking."""

    def __init__(self, sink: Sink, most: int = MOST) -> None:
        self._sink = sink
        self._most = most
        self._size = 0
        self._scans: dict[str, Scan] = {}

    def keep(self, shelf: SnapshotCache, scans: Mapping[str, Scan]) -> None:
        """Keep what was seen since the last time."""
        seen = [it for it in scans.items() if self._scans.get(it[0]) is not it[1]]
        data = b"".join((*_sights(shelf, shelf.fresh()), *(_scan(scan) for _, scan in seen)))
        if not data:
            return
        self._scans.update(seen)
        anew = self._size + len(data) > self._most
        if anew:
            data = b"".join((*_sights(shelf, shelf.paths()), *map(_scan, scans.values())))
        self._size = len(data) if anew else self._size + len(data)
        self._sink(data, anew=anew)


def recollect(file: BinaryIO) -> Remembered:
    """Return what was kept in that file."""
    found = Remembered()
    while True:
        try:
            head = json.loads(file.readline())
            if "folder" in head:
                scan = convert(head, Scan)
                found.scans[scan.folder] = scan
                continue
            seen = convert(head, _Seen, strict=False)
            packed = None if seen.size < 0 else file.read(seen.size)
            if (packed is not None and len(packed) < seen.size) or file.read(1) != b"\n":
                return found
            stamps = (stamp_of(seen.at),) if seen.at else ()
            sight = Snapshot(
                seen.at, bytes.fromhex(seen.digest), packed, seen.settled, seen.near, stamps
            )
            found.sights[seen.path] = sight
        except (ValueError, TypeError, ValidationError, RecursionError):
            return found


class _Seen(Struct):
    """The line of JSON before the `size` bytes of a file; -1: they are not kept."""

    path: str
    at: Fingerprint | None
    digest: str
    settled: bool
    near: bool
    size: int


def _sights(shelf: SnapshotCache, paths: Iterable[str]) -> Iterator[bytes]:
    for path in paths:
        if (sight := shelf.get(path)) is None:
            continue
        packed, at = sight.packed, sight.fingerprint
        # by hand: there may be 100,000
        head = (
            f'{{"path":{encode_basestring_ascii(path)},"at":{"null" if at is None else [*at]},'
            f'"digest":"{sight.digest.hex()}","settled":{sight.settled:d},"near":{sight.near:d},'
            f'"size":{-1 if packed is None else len(packed)}}}'
        )
        yield b"%s\n%s\n" % (head.encode(), packed or b"")


def _scan(scan: Scan) -> bytes:
    return json.dumps(to_builtins(scan)).encode() + b"\n"


def recall(
    shelf: SnapshotCache,
    remembered: Remembered,
    last: Scan,
    listing: Listing,
    *,
    until: int,
    known: Container[str],
    largest: int,
) -> list[str]:
    """Put back what is remembered of one folder; see `Baselines.recall`."""
    since: list[str] = []
    start = inside(last.folder)
    paths = (path for path in remembered.sights if path.startswith(start))
    for path in dict.fromkeys((*listing.stamps, *paths)):
        was, at = remembered.sights.get(path), listing.stamps.get(path) or fingerprint(path)
        is_later = at is not None and at[1] > until
        if is_later or path in known:
            now = read_snapshot(path, at, largest) or Snapshot(at)
            shelf.put(path, now)
            if is_later and path not in known and not (was and was.is_like(now)):
                since.append(path)
        elif was is not None:
            shelf.put(path, was)
        elif last.is_since(at) if at else False:
            shelf.forget(path)  # it is new, whoever has seen it meanwhile
    return since
