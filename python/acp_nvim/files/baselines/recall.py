"""What a killed host had seen, put back on the shelf. Blocking."""

from __future__ import annotations

from collections.abc import Container

from acp_nvim.files.baselines.cache import SnapshotCache
from acp_nvim.files.baselines.listing import Fingerprint, Listing, fingerprint
from acp_nvim.files.baselines.memory import Remembered
from acp_nvim.files.baselines.scan import Scan
from acp_nvim.files.baselines.snapshot import Snapshot, read_snapshot
from acp_nvim.files.roots import inside


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
            now = _see(path, at, largest)
            shelf.put(path, now)
            if is_later and path not in known and not (was and was.is_like(now)):
                since.append(path)
        elif was is not None:
            shelf.put(path, was)
        elif last.is_since(at) if at else False:
            shelf.forget(path)  # it is new, whoever has seen it meanwhile
    return since


def _see(path: str, at: Fingerprint | None, largest: int) -> Snapshot:
    return read_snapshot(path, at, largest) or Snapshot(at)
