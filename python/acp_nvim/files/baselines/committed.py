"""What a file held that nobody has read: git's index knows it of each file that it tracks.

In a large repository not all texts are read before a prompt, or kept. Of a file that was as the
index has it when it was seen, the text is git's blob: asked for only once the file has changed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct

from acp_nvim.files import git
from acp_nvim.files.baselines.snapshot import Snapshot
from acp_nvim.files.roots import inside

INDEX_LIMIT = 64 << 20
"""Bytes of git's answer about all files of a repository: of some 350,000."""
BLOBS_LIMIT = 64 << 20
"""Bytes of the texts that are asked for at once."""
INODE = (1 << 32) - 1
"""What git's index has of an inode."""


class _Index(Struct, frozen=True):
    written: int
    asked: frozenset[str]
    tracked: Mapping[str, git.Tracked]


class CommittedTexts:
    """Knows the blobs of files that were seen and of which no text is kept."""

    def __init__(self) -> None:
        self._indexes: dict[str, _Index] = {}

    async def see(self, repositories: Iterable[str], unread: Collection[str]) -> None:
        """See which blobs these files are in the index of their repository, before they change."""
        for folder in repositories if unread else ():
            here = inside(folder)
            below = frozenset(path for path in unread if path.startswith(here))
            known = self._indexes.get(folder)
            written = await git.index_written(folder) if below else 0
            if not written:
                self._indexes.pop(folder, None)
            elif known is None or known.written != written or not below <= known.asked:
                index = await git.index(folder, INDEX_LIMIT)
                tracked = {path: index[path] for path in below & index.keys()}
                self._indexes[folder] = _Index(written, below, tracked)

    def known(self, folder: str, seen: Mapping[str, Snapshot]) -> set[str]:
        """Return those of these files that held what git knows, as they were seen."""
        index = self._indexes.get(folder)
        return set() if index is None else {*_same(seen, index)}

    async def texts(self, seen: Mapping[str, Snapshot]) -> dict[str, bytes]:
        """Return what those of these files held, as they were seen, of which that is known."""
        found: dict[str, bytes] = {}
        for folder, index in self._indexes.items() if seen else ():
            if same := _same(seen, index):
                found |= await git.blobs(folder, same, BLOBS_LIMIT)
        return found


def _same(seen: Mapping[str, Snapshot], index: _Index) -> dict[str, git.Tracked]:
    here = {path: index.tracked[path] for path in seen.keys() & index.tracked.keys()}
    return {it: known for it, known in here.items() if _is_same(seen[it], known, index.written)}


def _is_same(seen: Snapshot, tracked: git.Tracked, written: int) -> bool:
    """Tell whether the file was as the index has it. One that was modified no sooner than the index
    was written may have changed since without another time (git: "racily clean")."""
    if seen.fingerprint is None or tracked.modified >= written:
        return False
    modified, _, size, inode, _ = seen.fingerprint
    return (modified, size, inode & INODE) == (tracked.modified, tracked.size, tracked.inode)
