"""The blocks of a chat in pages: two renderings share the pages that have not changed.

So what it takes to find what has changed depends on how much that is, hardly on how much there is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import overload

from acp_nvim.session.log import Page
from acp_nvim.view.block import Block


class Blocks(Sequence[Block]):
    """The blocks of a chat, top down; frozen. Equal to a tuple of equal blocks."""

    __slots__ = ("pages",)

    def __init__(self, pages: Iterable[Page[Block]] = ()) -> None:
        self.pages = tuple(page for page in pages if page)

    @classmethod
    def of(cls, blocks: Sequence[Block]) -> Blocks:
        """Return the blocks in pages: themselves, if they are."""
        return blocks if isinstance(blocks, Blocks) else cls((Page(blocks),))

    def __len__(self) -> int:
        return sum(map(len, self.pages))

    @overload
    def __getitem__(self, key: int) -> Block: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Block]: ...
    def __getitem__(self, key: int | slice) -> Block | Sequence[Block]:
        return tuple(self)[key]

    def __iter__(self) -> Iterator[Block]:
        return chain.from_iterable(self.pages)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Blocks) and self.pages == other.pages:
            return True
        return isinstance(other, tuple | Blocks) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))


def inserted(pages: Sequence[Page[Block]], position: int, block: Block) -> list[Page[Block]]:
    """Return the pages with one more block, before the one at that position."""
    found = list(pages)
    for number, page in enumerate(found):
        if position <= len(page):
            parts = (Page(page[:position]), Page((block,)), Page(page[position:]))
            found[number : number + 1] = [part for part in parts if part]
            return found
        position -= len(page)
    return [*found, Page((block,))]


def height(page: Page[Block]) -> int:
    """Return how many lines a page has."""
    if page.weight is None:
        page.weight = sum(len(block.lines) for block in page)
    return page.weight
