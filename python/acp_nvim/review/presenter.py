"""What is shown of the review in the editor, kept up to date as files change.

Before the user asks for the review only signs stand beside what agents have changed; from
`:Acp review` on everything is shown, until nothing is left to decide or the user wants it off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

import anyio
from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.aside import aside
from acp_nvim.editor import Reviewer
from acp_nvim.files.roots import inside
from acp_nvim.history.conflict import Conflict
from acp_nvim.review.comments import Comments
from acp_nvim.review.decisions import Decisions, Seen
from acp_nvim.review.log import EditLog
from acp_nvim.view.review.comment import comment_marks
from acp_nvim.view.review.lists import quickfix
from acp_nvim.view.review.marks import Drawing, FileReview, Mark, conflict_marks, drawing, signs

REST = 5
"""Times what listing all files takes, until they are listed again,"""
MOST_REST = 1.0
"""in seconds at most."""
MANY = 500
"""Hunks for which a thread pays."""


class Foreseen(Struct, frozen=True):
    """What would become of a file, as marks that are right for one changedtick of its buffer."""

    tick: int | None = None
    marks: tuple[Mark, ...] = ()


class ReviewPresenter:
    """Draws what is out of date, one file after the other; `touch` returns at once.

    `scope` returns the folders of the projects that are worked in: the motions and the lists stay
    in these. `listed` is called whenever what waits may be something else.
    """

    def __init__(
        self,
        edits: EditLog,
        review: Decisions,
        comments: Comments,
        reviewer: Reviewer,
        *,
        scope: Callable[[], Iterable[str]],
        fault: Callable[[BaseException], None],
        listed: Callable[[], None] = lambda: None,
    ) -> None:
        self._edits = edits
        self._review = review
        self._comments = comments
        self._reviewer = reviewer
        self._scope = scope
        self._fault = fault
        self._listed = listed
        self._dirty: dict[str, bool] = {}
        """The files to be drawn, and whether only what we have done ourselves is new in them."""
        self._seen: dict[str, FileReview] = {}
        self._foreseen: dict[str, Foreseen] = {}
        self._wake = anyio.Event()
        self._settled = anyio.Event()
        self._busy = False
        self.shown = False
        """The user wants to see more than signs."""

    def touch(self, path: str, *, is_told: bool = False) -> None:
        """That file, or what agents did to it, has changed; `is_told`: the log has it already."""
        self._dirty[path] = is_told and self._dirty.get(path, True)
        self._wake.set()

    def foresee(self, files: Mapping[str, Foreseen]) -> None:
        """Show in these files, and in no others, what is asked about them."""
        before, self._foreseen = self._foreseen, dict(files)
        for path in before.keys() | files.keys():
            if before.get(path) != files.get(path):
                self.touch(path, is_told=True)

    def show(self, *, everything: bool) -> None:
        """Show all of the review, or only signs."""
        self.shown = everything
        for path in self._edits.paths():
            self.touch(path)

    async def settled(self) -> bool:
        """Return when all that was touched is drawn; whether it was already."""
        was_settled = True
        while self._dirty or self._busy:
            was_settled = False
            await self._settled.wait()
        return was_settled

    def paths(self) -> tuple[str, ...]:
        """Return the files of the scope that agents have changed."""
        folders = tuple(map(inside, self._scope()))
        return tuple(path for path in self._edits.paths() if path.startswith(folders))

    def conflicts(self) -> tuple[Conflict, ...]:
        """Return those in files of the scope."""
        folders = tuple(map(inside, self._scope()))
        return tuple(it for it in self._edits.conflicts() if it.path.startswith(folders))

    def reviews(self) -> tuple[FileReview, ...]:
        """Return the hunks of the scope's files as they were last seen."""
        return tuple(self._seen[path] for path in self.paths() if path in self._seen)

    async def run(self) -> None:
        """Draw for ever; the caller's task group ends it."""
        while True:
            await self._wake.wait()
            self._wake, self._busy = anyio.Event(), True
            began = anyio.current_time()
            try:
                await self._draw_all()
                began = anyio.current_time()
                await self._list_all()
            except Exception as error:  # what is touched next may be drawn
                self._fault(error)
            finally:
                self._busy = False
                self._settled.set()
                self._settled = anyio.Event()
            # Of many files, that change one after the other, all would be listed for each.
            await anyio.sleep(min(REST * (anyio.current_time() - began), MOST_REST))

    async def _draw_all(self) -> None:
        dirty, self._dirty = self._dirty, {}
        for path, is_told in dirty.items():
            try:
                await self._draw(path, is_told=is_told)
            except Exception as error:  # whatever it is, it concerns this file alone
                self._fault(error)

    async def _list_all(self) -> None:
        self._listed()
        reviews = self.reviews()
        if not (self._dirty or any(review.pending for review in reviews)):
            self.shown = False  # while something is to be drawn nobody knows that yet
        also = (*self._comments.paths(), *self._foreseen)
        if await self._reviewer.files(reviews, also, on=self.shown):
            listing = partial(quickfix, reviews, self.conflicts())
            many = sum(len(review.pending) for review in reviews) > MANY
            await self._reviewer.update_lists(await aside(listing) if many else listing())

    async def _draw(self, path: str, *, is_told: bool) -> None:
        look = self._review.told if is_told else self._review.look
        # what looking has found is on the screen in a moment; not what comes after it
        seen = await look(path, found=partial(self._dirty.pop, path, None))
        comments = await self._comments.look(path)
        self._seen[path] = seen.review
        if seen.tick is not None:
            shown = self._drawing(seen)
            more = comment_marks(comments, seen.review.count) if comments else ()
            if path in self._foreseen and self._foreseen[path].tick == seen.tick:
                more += self._foreseen[path].marks
            if more:
                shown = replace(shown, marks=(*shown.marks, *more))
            drawn = await self._reviewer.draw(path, seen.tick, shown)
            if drawn == "stale":
                self.touch(path)

    def _drawing(self, seen: Seen) -> Drawing:
        whole = drawing(seen.review) if self.shown else signs(seen.review)
        conflict = self._edits.conflict(seen.review.path)
        if conflict is None:
            return whole
        marks = conflict_marks(conflict.places, seen.review.count)
        hunks = sorted({*whole.hunks, *conflict.places})
        return Drawing((*whole.marks, *marks), tuple(hunks))
