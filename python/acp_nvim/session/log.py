"""A long list that all share who have had it: adding and changing cost the same at any length.

It is made of pages, and a change copies one of them; what two have in common is found page by page.
`bench/sizes.py` measures it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Generic, TypeVar, overload

T = TypeVar("T")

PAGE = 256


class Page(tuple[T, ...]):
    """A part of a log; `weight` is for whoever adds up something of its items, None: not known."""

    weight: int | None = None


class Log(Sequence[T], Generic[T]):
    """Items in order; frozen. Equal to any sequence of equal items."""

    __slots__ = ("_length", "pages")

    def __init__(self, items: Iterable[T] = ()) -> None:
        whole = tuple(items)
        self.pages: tuple[Page[T], ...] = tuple(
            Page(whole[at : at + PAGE]) for at in range(0, len(whole), PAGE)
        )
        self._length = len(whole)

    @classmethod
    def of(cls, items: Sequence[T]) -> Log[T]:
        """Return the items as a log: themselves, if they are one."""
        return items if isinstance(items, Log) else cls(items)

    def appended(self, item: T) -> Log[T]:
        """Return the same with one more."""
        full, last = divmod(self._length, PAGE)
        if last:
            return _made((*self.pages[:full], Page((*self.pages[full], item))), self._length + 1)
        return _made((*self.pages, Page((item,))), self._length + 1)

    def put(self, position: int, item: T) -> Log[T]:
        """Return the same with another item at that position, which must be there."""
        number, at = divmod(position, PAGE)
        page = self.pages[number]
        changed = Page((*page[:at], item, *page[at + 1 :]))
        return _made((*self.pages[:number], changed, *self.pages[number + 1 :]), self._length)

    def first(self, count: int) -> Log[T]:
        """Return the first items, as many as that or all."""
        if count >= self._length:
            return self
        full, rest = divmod(max(count, 0), PAGE)
        part = (Page(self.pages[full][:rest]),) if rest else ()
        return _made((*self.pages[:full], *part), max(count, 0))

    def changed(self, old: Log[T]) -> Iterator[int]:
        """Yield the positions, of those that both have, at which it is not the same object."""
        for number, (page, before) in enumerate(zip(self.pages, old.pages, strict=False)):
            if page is not before:
                pairs = zip(page, before, strict=False)
                yield from (number * PAGE + at for at, (a, b) in enumerate(pairs) if a is not b)

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, key: int) -> T: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[T, ...]: ...
    def __getitem__(self, key: int | slice) -> T | tuple[T, ...]:
        if isinstance(key, slice):
            return tuple(self[at] for at in range(*key.indices(self._length)))
        at = key + self._length if key < 0 else key
        if not 0 <= at < self._length:
            raise IndexError(key)
        return self.pages[at // PAGE][at % PAGE]

    def __iter__(self) -> Iterator[T]:
        return chain.from_iterable(self.pages)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Log) and self.pages == other.pages:
            return True
        return isinstance(other, tuple | list | Log) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"Log({tuple(self)!r})"


def _made(pages: tuple[Page[T], ...], length: int) -> Log[T]:
    log: Log[T] = Log.__new__(Log)
    log.pages = pages
    log._length = length
    return log


class Index(Mapping[str, int]):
    """Positions by key, in buckets of which a change copies one; frozen."""

    __slots__ = ("_buckets", "_length")
    BUCKETS = 256

    def __init__(self, items: Mapping[str, int] | None = None) -> None:
        buckets: list[dict[str, int]] = [{}] * self.BUCKETS
        for key, position in (items or {}).items():
            at = hash(key) % self.BUCKETS
            buckets[at] = {**buckets[at], key: position}
        self._buckets = tuple(buckets)
        self._length = len(items or {})

    @classmethod
    def of(cls, items: Mapping[str, int]) -> Index:
        """Return the positions as an index: themselves, if they are one."""
        return items if isinstance(items, Index) else cls(items)

    def put(self, key: str, position: int) -> Index:
        """Return the same with the position of that key."""
        return self._with({**self._bucket(key), key: position}, key, key not in self)

    def without(self, key: str) -> Index:
        """Return the same without that key, which must be there."""
        rest = {name: at for name, at in self._bucket(key).items() if name != key}
        return self._with(rest, key, -1)

    def _bucket(self, key: str) -> dict[str, int]:
        return self._buckets[hash(key) % self.BUCKETS]

    def _with(self, bucket: dict[str, int], key: str, more: int) -> Index:
        at = hash(key) % self.BUCKETS
        index = Index.__new__(Index)
        index._buckets = (*self._buckets[:at], bucket, *self._buckets[at + 1 :])
        index._length = self._length + more
        return index

    def get(self, key: str, default: int | None = None) -> int | None:  # type: ignore[override]
        """Return the position, or the default."""
        return self._bucket(key).get(key, default)

    def __getitem__(self, key: str) -> int:
        return self._bucket(key)[key]

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(self._buckets)

    def __len__(self) -> int:
        return self._length
