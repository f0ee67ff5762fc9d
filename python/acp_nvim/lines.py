"""Much that is held small while nobody reads it: a day has many versions of large files.

Whoever reads it meets a sequence, equal to a tuple of the same. What was read last stays as it is,
all else of the process is packed.
"""

from __future__ import annotations

import marshal
import zlib
from collections.abc import Callable, Iterator, Sequence
from threading import Lock, current_thread, main_thread
from typing import Any, Final, TypeVar
from weakref import WeakValueDictionary, ref

T = TypeVar("T")

MANY: Final = 500
"""Lines for which it pays."""
EACH: Final = 60
"""Bytes that a line takes besides its characters."""
MOST_READY: Final = 12 << 20
"""Bytes of the process that are ready to be read; what was read last is, however much."""


class Held(Sequence[T]):
    """What is packed once other such things have been read since. Any thread may read it."""

    __slots__ = ("__weakref__", "_count", "_packed", "_ready", "size")

    def __init__(self, items: tuple[T, ...]) -> None:
        self._count = len(items)
        self._packed = b""
        self._ready: tuple[T, ...] | None = items
        self.size = self._size(items)
        """Bytes that it takes when it is ready."""
        READY.use(self)

    def _size(self, items: tuple[T, ...]) -> int:
        raise NotImplementedError

    def _dump(self, items: tuple[T, ...]) -> Any:
        """Return what `marshal` can write."""
        return items

    def _load(self, value: Any) -> tuple[T, ...]:
        items: tuple[T, ...] = value
        return items

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, at: Any) -> Any:
        return self.read()[at]

    def __iter__(self) -> Iterator[T]:
        return iter(self.read())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (Held, tuple)):
            is_as_long = len(other) == self._count
            return other is self or (is_as_long and self.read() == (*other,))
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.read())

    def read(self) -> tuple[T, ...]:
        """Return all of it."""
        items = self._ready
        if items is None:
            items = self._ready = self._load(marshal.loads(zlib.decompress(self._packed)))
        READY.use(self)
        return items

    def pack(self) -> None:
        """Hold it small until it is read again."""
        items = self._ready
        if items is not None and not self._packed:
            self._packed = zlib.compress(marshal.dumps(self._dump(items)), 1)
        self._ready = None


class Lines(Held[str]):
    """Lines of a text."""

    __slots__ = ("_first",)

    def __init__(self, items: tuple[str, ...]) -> None:
        self._first = items[0]
        super().__init__(items)

    def __getitem__(self, at: Any) -> Any:
        return self._first if at == 0 else super().__getitem__(at)

    def _size(self, items: tuple[str, ...]) -> int:
        return sum(map(len, items)) + EACH * len(items)


class _Ready:
    """What is ready to be read, that read last at the end."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._held: WeakValueDictionary[int, Held[Any]] = WeakValueDictionary()
        self._last: Callable[[], Held[Any] | None] = lambda: None

    def use(self, held: Held[Any]) -> None:
        """Let that be read last; the loop leaves it to others to pack what is too much by now."""
        if self._last() is held:
            return
        with self._lock:
            self._last = ref(held)
            is_new = self._held.pop(id(held), None) is None
            self._held[id(held)] = held
        if is_new and current_thread() is not main_thread():
            self.pack()

    def is_much(self) -> bool:
        """Tell whether there is something to pack."""
        return bool(self._too_much())

    def pack(self) -> None:
        """Pack what is too much: what was read longest ago, but for what was read last."""
        with self._lock:
            rest = self._too_much()
            for it in rest:
                self._held.pop(id(it), None)
        for it in rest:
            it.pack()

    def _too_much(self) -> list[Held[Any]]:
        ready = [it for known in self._held.valuerefs() if (it := known()) is not None]
        rest, found = sum(it.size for it in ready) - MOST_READY, list[Held[Any]]()
        for it in ready[:-1] if rest > 0 else ():
            found += [it] if rest > 0 else []
            rest -= it.size
        return found


READY: Final = _Ready()
"""Of this process; `App` packs what is too much, each second, in a thread."""


def held(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines as they are best held for long."""
    if isinstance(lines, Lines):
        return lines
    return Lines(tuple(lines)) if len(lines) >= MANY else tuple(lines)
