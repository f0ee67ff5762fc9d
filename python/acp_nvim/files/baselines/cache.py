"""What was last seen of each file, and the texts of them within a budget of memory.

Used by the event loop and by a thread at once: each call is one short step.
"""

from __future__ import annotations

from threading import Lock

from acp_nvim.files.baselines.snapshot import Snapshot

SPARE = 20
"""When there is no room a twentieth of the budget is freed, so that this is done seldom."""


class SnapshotCache:
    """Sights by path. When their texts exceed the budget, larger ones make room for smaller ones.

    So the most files are kept, and those that people write: what is large is mostly made by
    programs. What an agent or we had to do with goes last.
    """

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._sights: dict[str, Snapshot] = {}
        self._size = 0
        self._fresh: set[str] = set()
        self._lock = Lock()
        self.let_go = 0
        """How many texts have had to go."""

    @property
    def size(self) -> int:
        """Bytes of the texts that are kept."""
        return self._size

    def get(self, path: str) -> Snapshot | None:
        """Return what was last seen there, None if nobody has looked."""
        return self._sights.get(path)

    def keeps(self, path: str) -> bool:
        """Return whether it has the text of that file."""
        sight = self._sights.get(path)
        return sight is not None and sight.packed is not None

    def unread(self, largest: int) -> set[str]:
        """Return the files of up to so many bytes of which it has no text."""
        return {path for path, it in list(self._sights.items()) if it.is_unread(largest)}

    def paths(self) -> list[str]:
        """Return all paths that were seen, with or without a file."""
        return list(self._sights)

    def fresh(self) -> list[str]:
        """Return the paths that were seen since this was asked last."""
        with self._lock:
            fresh, self._fresh = self._fresh, set()
        return sorted(fresh)

    def has_fresh(self) -> bool:
        """Return whether something was seen since."""
        return bool(self._fresh)

    def forget(self, path: str) -> None:
        """Let nobody have looked there."""
        with self._lock:
            self._size -= _weight(self._sights.pop(path, None))

    def put(self, path: str, sight: Snapshot) -> None:
        """Keep it, whatever was there."""
        with self._lock:
            self._put(path, sight)

    def swap(self, path: str, was: Snapshot | None, sight: Snapshot) -> bool:
        """Keep it in the place of `was`; False, and nothing is done, if another is there now."""
        with self._lock:
            if not _is_same(self._sights.get(path), was):
                return False
            self._put(path, sight)
            return True

    def _put(self, path: str, sight: Snapshot) -> None:
        was = self._sights.get(path)
        self._size += _weight(sight) - _weight(was)
        self._sights[path] = sight
        if not _is_same(was, sight) or _weight(sight) > _weight(was):
            self._fresh.add(path)
        if self._size > self._budget:
            self._make_room(_worth(sight))
        if self._size > self._budget:
            self._strip(path)

    def _make_room(self, worth: tuple[bool, int]) -> None:
        """Let texts go that are worth less than that, the largest first."""
        aim = self._budget - self._budget // SPARE
        held = [(_worth(it), path) for path, it in self._sights.items() if it.packed]
        for worth_of_it, path in sorted(held):
            if self._size <= aim or worth_of_it >= worth:
                break
            self._strip(path)

    def _strip(self, path: str) -> None:
        self.let_go += 1
        self._size -= _weight(self._sights[path])
        self._sights[path] = self._sights[path].without_text()


def _worth(sight: Snapshot) -> tuple[bool, int]:
    return sight.near, -_weight(sight)


def _is_same(one: Snapshot | None, other: Snapshot | None) -> bool:
    """Return whether they are the same but for the text, which may have had to go."""
    if one is None or other is None:
        return one is other
    return (one.fingerprint, one.digest) == (other.fingerprint, other.digest)


def _weight(sight: Snapshot | None) -> int:
    return len(sight.packed) if sight and sight.packed else 0
