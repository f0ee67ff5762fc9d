"""A long list that all share who have had it: adding and changing cost the same at any length.

It is a tree of narrow nodes, and a change copies those on the way to it; what two have in common is
found without a look at it. `bench/sizes.py` measures it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from operator import itemgetter
from typing import Any, Generic, TypeAlias, TypeVar, overload

T = TypeVar("T")

BITS = 5
WIDTH = 1 << BITS
_LAST = WIDTH - 1


class Node(tuple[Any, ...]):
    """Up to 32 items, or nodes of the next lower level.

    `weight` is for whoever adds up something of the items below, None: not known.
    """

    weight: int | None = None


_EMPTY = Node()


class Log(Sequence[T], Generic[T]):
    """Items in order; frozen. Equal to any sequence of equal items.

    Items are `level` levels below the `root`, and each node but the last of a level is full.
    """

    __slots__ = ("_length", "level", "root")

    def __init__(self, items: Iterable[T] = ()) -> None:
        whole: tuple[Any, ...] = tuple(items)
        self._length, self.level = len(whole), 0
        while len(whole) > WIDTH:
            whole = tuple(Node(whole[at : at + WIDTH]) for at in range(0, len(whole), WIDTH))
            self.level += 1
        self.root = Node(whole)

    @classmethod
    def of(cls, items: Sequence[T]) -> Log[T]:
        """Return the items as a log: themselves, if they are one."""
        return items if isinstance(items, Log) else cls(items)

    def appended(self, item: T) -> Log[T]:
        """Return the same with one more."""
        return self.extended((item,))

    def extended(self, items: Sequence[T]) -> Log[T]:
        """Return the same with these at its end."""
        root, level, at, done = self.root, self.level, self._length, 0
        while done < len(items):
            if at == WIDTH << BITS * level:
                root, level = Node((root,)), level + 1
            part = items[done : done + WIDTH - (at & _LAST)]
            root = _extended(root, level, at, part)
            at, done = at + len(part), done + len(part)
        return _made(root, level, at)

    def put(self, position: int, item: T) -> Log[T]:
        """Return the same with another item at that position, which must be there."""
        return _made(_put(self.root, self.level, position, item), self.level, self._length)

    def put_all(self, items: Mapping[int, T]) -> Log[T]:
        """Return the same with these items at their positions, which must be there."""
        if not items:
            return self
        changes = sorted(items.items(), key=itemgetter(0))
        return _made(_put_all(self.root, self.level, changes), self.level, self._length)

    def first(self, count: int) -> Log[T]:
        """Return the first items, as many as that or all."""
        if count >= self._length:
            return self
        if count <= 0:
            return Log()
        root, level = _cut(self.root, self.level, count - 1), self.level
        while level and len(root) == 1:
            root, level = root[0], level - 1
        return _made(root, level, count)

    def since(self, position: int, others: Log[T]) -> Log[T]:
        """Return the same with the items of another log, just as long, from that position on."""
        if position <= 0 or position >= self._length:
            return others if position <= 0 else self
        return _made(_since(self.root, others.root, self.level, position), self.level, self._length)

    def changed(self, old: Log[T], *, backwards: bool = False) -> Iterator[int]:
        """Yield the positions, of those that both have, at which it is not the same object."""
        level = min(self.level, old.level)
        step = -1 if backwards else 1
        return _changed(_lowered(self, level), _lowered(old, level), level, 0, step)

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, key: int) -> T: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[T, ...]: ...
    def __getitem__(self, key: int | slice) -> T | tuple[T, ...]:
        if isinstance(key, slice):
            span = range(*key.indices(self._length))
            if span.step != 1 or not span:
                return tuple(self[at] for at in span)
            before = span.start & _LAST
            leaves = map(self._leaf, range(span.start - before, span.stop, WIDTH))
            return tuple(chain.from_iterable(leaves))[before : before + len(span)]
        at = key + self._length if key < 0 else key
        if not 0 <= at < self._length:
            raise IndexError(key)
        node, level = self.root, self.level
        while level:
            node, level = node[at >> BITS * level & _LAST], level - 1
        return node[at & _LAST]  # type: ignore[no-any-return]

    def _leaf(self, position: int) -> Node:
        """Return the node of the lowest level that has the item at that position."""
        node = self.root
        for level in range(self.level, 0, -1):
            node = node[position >> BITS * level & _LAST]
        return node

    def __iter__(self) -> Iterator[T]:
        items: Iterable[Any] = self.root
        for _ in range(self.level):
            items = chain.from_iterable(items)
        return iter(items)

    def __reversed__(self) -> Iterator[T]:
        items: Iterable[Any] = reversed(self.root)
        for _ in range(self.level):
            items = chain.from_iterable(map(reversed, items))
        return iter(items)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Log) and self.root is other.root:
            return True
        return isinstance(other, tuple | list | Log) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"Log({tuple(self)!r})"


def _made(root: Node, level: int, length: int) -> Log[T]:
    log: Log[T] = Log.__new__(Log)
    log.root, log.level, log._length = root, level, length
    return log


def _extended(node: Node, level: int, at: int, items: Sequence[Any]) -> Node:
    if not level:
        return Node((*node, *items))
    slot = at >> BITS * level & _LAST
    child = node[slot] if slot < len(node) else _EMPTY
    return Node((*node[:slot], _extended(child, level - 1, at, items)))


def _put(node: Node, level: int, at: int, item: object) -> Node:
    slot = at >> BITS * level & _LAST
    child = _put(node[slot], level - 1, at, item) if level else item
    return Node((*node[:slot], child, *node[slot + 1 :]))


def _put_all(node: Node, level: int, changes: Iterable[tuple[int, Any]]) -> Node:
    """Copy each node once, however many of its items are others."""
    slots = list(node)
    if level:
        for slot, below in groupby(changes, lambda it: it[0] >> BITS * level & _LAST):
            slots[slot] = _put_all(node[slot], level - 1, below)
    else:
        for at, item in changes:
            slots[at & _LAST] = item
    return Node(slots)


def _cut(node: Node, level: int, last: int) -> Node:
    slot = last >> BITS * level & _LAST
    child = _cut(node[slot], level - 1, last) if level else node[slot]
    return Node((*node[:slot], child))


def _lowered(log: Log[T], level: int) -> Node:
    """Return the first node of that level: all that a log of so few levels can share."""
    node = log.root
    for _ in range(log.level - level):
        node = node[0]
    return node


def _since(node: Node, other: Node, level: int, at: int) -> Node:
    slot = at >> BITS * level & _LAST
    if not level:
        return Node((*node[:slot], *other[slot:]))
    child = _since(node[slot], other[slot], level - 1, at)
    return Node((*node[:slot], child, *other[slot + 1 :]))


def _changed(node: Node, old: Node, level: int, start: int, step: int) -> Iterator[int]:
    if node is old:
        return
    for slot in range(min(len(node), len(old)))[::step]:
        item, was = node[slot], old[slot]
        if item is was:
            continue
        if level:
            yield from _changed(item, was, level - 1, start + slot << BITS, step)
        else:
            yield start + slot


class Index(Mapping[str, int]):
    """Positions by key; frozen: of the notes that all have in common, each knows which are its own.

    So a change writes one note, and copies nothing; only the second change of the same index does.
    """

    __slots__ = ("_count", "_notes")

    def __init__(self, items: Mapping[str, int] | None = None) -> None:
        self._notes = _Notes()
        for key, position in (items or {}).items():
            self._notes.add(key, position)
        self._count = self._notes.count

    @classmethod
    def of(cls, items: Mapping[str, int]) -> Index:
        """Return the positions as an index: themselves, if they are one."""
        return items if isinstance(items, Index) else cls(items)

    def put(self, key: str, position: int) -> Index:
        """Return the same with the position of that key."""
        return self._with(key, position)

    def without(self, key: str) -> Index:
        """Return the same without that key."""
        return self._with(key, None)

    def _with(self, key: str, position: int | None) -> Index:
        base = self if self._notes.count == self._count else Index(self)
        index = Index.__new__(Index)
        index._notes, index._count = base._notes, base._count + 1
        index._notes.add(key, position)
        return index

    def get(self, key: str, default: int | None = None) -> int | None:  # type: ignore[override]
        """Return the position, or the default."""
        note = self._notes.last.get(key)
        while isinstance(note, tuple) and note[0] > self._count:
            note = note[2]
        if isinstance(note, int):
            return note & _POSITION if note >> _NUMBERED <= self._count else default
        return default if note is None or note[1] is None else note[1]

    def __getitem__(self, key: str) -> int:
        position = self.get(key)
        if position is None:
            raise KeyError(key)
        return position

    def __iter__(self) -> Iterator[str]:
        return (key for key in self._notes.last if self.get(key) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class _Notes:
    """What became of each key: its number, the position, and the note before it of that key.

    Most keys have one note, and there are many: number and position of that are one integer.
    """

    __slots__ = ("count", "last")

    def __init__(self) -> None:
        self.count = 0
        self.last: dict[str, _Note] = {}

    def add(self, key: str, position: int | None) -> None:
        """Note that the key has that position now, or none."""
        self.count += 1
        before = self.last.get(key)
        if before is None and position is not None:
            self.last[key] = self.count << _NUMBERED | position
        else:
            self.last[key] = (self.count, position, before)


_Note: TypeAlias = int | tuple[int, int | None, "_Note | None"]
_NUMBERED = 32
"""Bits of the position, behind those of the number."""
_POSITION = (1 << _NUMBERED) - 1


class Table(Mapping[str, T], Generic[T]):
    """Values by key; frozen, and a change costs the same however many there are."""

    __slots__ = ("_index", "_values")

    def __init__(self, items: Mapping[str, T] | None = None) -> None:
        known = items or {}
        self._index = Index({key: at for at, key in enumerate(known)})
        self._values: Log[T] = Log(known.values())

    @classmethod
    def of(cls, items: Mapping[str, T]) -> Table[T]:
        """Return the values as a table: themselves, if they are one."""
        return items if isinstance(items, Table) else cls(items)

    def put(self, key: str, value: T) -> Table[T]:
        """Return the same with the value of that key."""
        table: Table[T] = Table.__new__(Table)
        position = self._index.get(key)
        if position is None:
            table._index = self._index.put(key, len(self._values))
            table._values = self._values.appended(value)
        else:
            table._index, table._values = self._index, self._values.put(position, value)
        return table

    def at(self, position: int) -> T:
        """Return the value that was added so early; the first is at 0."""
        return self._values[position]

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value, or the default."""
        position = self._index.get(key)
        return default if position is None else self._values[position]

    def __getitem__(self, key: str) -> T:
        return self._values[self._index[key]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._values)
