"""What was last seen of files, kept on disk, so that a host that comes after a kill knows it.

Each record is a line of JSON and the bytes that it tells of; the last one of a path counts. Reading
ends where a record is cut off.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from json.encoder import encode_basestring_ascii
from typing import BinaryIO, Protocol

from msgspec import Struct, field

from acp_nvim.files.baselines.cache import SnapshotCache
from acp_nvim.files.baselines.listing import Fingerprint
from acp_nvim.files.baselines.scan import Scan
from acp_nvim.files.baselines.snapshot import Snapshot, stamp_of

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
        line = file.readline()
        try:
            head = json.loads(line)
            if "folder" in head:
                scan = _scan_of(head)
                found.scans[scan.folder] = scan
            else:
                size = int(head["size"])
                packed = None if size < 0 else file.read(size)
                if (packed is not None and len(packed) < size) or file.read(1) != b"\n":
                    return found
                found.sights[str(head["path"])] = _sight_of(head, packed)
        except (ValueError, KeyError, TypeError, AttributeError):
            return found


def _sights(shelf: SnapshotCache, paths: Iterable[str]) -> Iterator[bytes]:
    for path in paths:
        sight = shelf.get(path)
        if sight is None:
            continue
        packed, at = sight.packed, sight.fingerprint
        # by hand: there may be 100,000
        head = (
            f'{{"path":{encode_basestring_ascii(path)},"at":{"null" if at is None else [*at]},'
            f'"digest":"{sight.digest.hex()}","settled":{sight.settled:d},"near":{sight.near:d},'
            f'"size":{-1 if packed is None else len(packed)}}}'
        )
        yield b"%s\n%s\n" % (head.encode(), packed or b"")


def _sight_of(head: Mapping[str, object], packed: bytes | None) -> Snapshot:
    digest = bytes.fromhex(str(head["digest"]))
    at = _fingerprint(head["at"])
    stamps = (stamp_of(at),) if at else ()
    return Snapshot(at, digest, packed, bool(head["settled"]), bool(head["near"]), stamps)


def _fingerprint(at: object) -> Fingerprint | None:
    if at is None:
        return None
    if not isinstance(at, list):
        raise TypeError(at)
    modified, changed, size, inode, mode = map(int, at)
    return modified, changed, size, inode, mode


def _scan(scan: Scan) -> bytes:
    rules = {path: sorted(lines) for path, lines in scan.rules.items()}
    head = {
        "folder": scan.folder,
        "began": scan.began,
        "whole": scan.whole,
        "parts": dict(scan.parts),
        "rules": rules,
        "links": dict(scan.links),
    }
    return json.dumps(head).encode() + b"\n"


def _scan_of(head: Mapping[str, object]) -> Scan:
    parts, rules, began = head["parts"], head["rules"], head["began"]
    if not (isinstance(parts, dict) and isinstance(rules, dict) and isinstance(began, int)):
        raise TypeError(head)
    known = {path: frozenset(map(str, lines)) for path, lines in rules.items()}
    links = head.get("links")
    led = dict(links) if isinstance(links, dict) else {}
    return Scan(str(head["folder"]), began, bool(head["whole"]), parts, known, led)
