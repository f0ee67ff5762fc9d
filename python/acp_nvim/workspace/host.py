"""What commands and reactions are given: the parts of the program, by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

import anyio
from msgspec import Struct

from acp_nvim.client.launch import Launch
from acp_nvim.editor import Choice, Editor
from acp_nvim.files.knowledge import Knowledge
from acp_nvim.files.sync import DiskSync
from acp_nvim.follow.follow_along import FollowAlong
from acp_nvim.questions.questions import Questions
from acp_nvim.registry.installer import Installer
from acp_nvim.registry.listing import Registry
from acp_nvim.review.comments import Comments
from acp_nvim.review.decisions import Decisions
from acp_nvim.review.log import EditLog
from acp_nvim.review.notes import PromptNotes
from acp_nvim.review.presenter import ReviewPresenter
from acp_nvim.review.recovery import Recovery
from acp_nvim.storage.edits import EditStore
from acp_nvim.storage.left_open import LeftOpen
from acp_nvim.storage.remembered import Choices, Told
from acp_nvim.storage.sessions import Store
from acp_nvim.tools.offers import Offers
from acp_nvim.transport.link import Link
from acp_nvim.view.measure import NOTHING, rows
from acp_nvim.view.review.marks import FileReview, waiting
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.tasks import Pulse, Tasks
from acp_nvim.workspace.workspace import Workspace

OnGroup: TypeAlias = Callable[[int, bool], None]
"""Told of a group of processes, and whether it is there now."""

Start: TypeAlias = Callable[[Launch, OnGroup], Awaitable[Link]]


class Review(Struct, frozen=True):
    """What keeps the user's work safe."""

    log: EditLog
    decisions: Decisions
    presenter: ReviewPresenter
    notes: PromptNotes
    comments: Comments
    sync: DiskSync
    knowledge: Knowledge
    store: EditStore
    recovery: Recovery

    async def restore(self) -> None:
        """Take up the histories of an earlier host, and what it had no time to write there."""
        await self.notes.restore()
        await self.comments.restore()
        await self.recovery.run()


class Agents(Struct, frozen=True):
    """Agents that could be installed: the list of them, and what installs one."""

    registry: Registry
    installer: Installer


class Host(Struct, frozen=True):
    """The parts; what changes with time is in them."""

    editor: Editor
    workspace: Workspace
    review: Review
    questions: Questions
    follow: FollowAlong
    store: Store
    left_open: LeftOpen
    agents: Agents
    told: Told
    choices: Choices
    tools: Offers
    tasks: Tasks
    pulse: Pulse
    """To be stirred when something has changed."""
    clock: Callable[[], float]
    """Monotonic, in seconds."""
    start: Start
    """Starts an agent's program, or connects to it."""
    sleep: Callable[[float], Awaitable[None]] = anyio.sleep
    """Waits so many seconds."""

    def add(self, chat: Chat) -> None:
        """Take a chat into the workspace and put it on the screen."""
        self.workspace.chats[chat.number] = chat
        chat.room = self.workspace.rooms.get(chat.number)
        if self.workspace.options.ui.plan == "top":
            chat.pin_plan()
        chat.prompts = self.workspace.options.prompts
        self.count_changes()
        self.editor.screen.show(chat.number, chat.picture)
        self.touch_lists()

    async def agrees(self, title: str, yes: str, kind: str = "acp.confirm") -> bool:
        """Ask the user; `yes` is the choice that agrees."""
        choices = [Choice("No", value=False), Choice(yes, value=True)]
        return bool(await self.editor.chooser.choose(title, kind, choices))

    def count_changes(self) -> None:
        """Let each chat say what waits for review in its project."""
        options = self.workspace.options
        reviews = [it for it in self.review.presenter.reviews() if it.pending]
        pending = dict(_pending(reviews))
        if pending != self.workspace.pending:
            self.workspace.pending = pending
            self.touch_lists()
        reviews = reviews if options.ui.changes else []
        for chat in self.workspace.chats.values():
            roots = self.workspace.roots(chat.session) if reviews else None
            merged = self._merged_by(chat, reviews)
            here = (it for it in reviews if it in merged or (roots and roots.has(it.path)))
            tally = waiting(here) if reviews else NOTHING
            found = rows(tally, "gr review" if options.default_keys else ":Acp review")
            if found != chat.changes:
                chat.changes = found
                self.editor.screen.touch(chat.number)

    def place(self, path: str | None, chat: Chat | None) -> Callable[[str], bool]:
        """Return what tells whether a file is where that file is, else where that chat works: in a
        worktree, or in none. What came of a worktree by a merge is of its chat, too."""
        trees = self.workspace.worktrees
        shown = chat if path is None else None
        at = trees.at(path or (shown.session.state.cwd if shown else ""))
        reviews = self.review.presenter.reviews() if shown and at else ()
        merged = {it.path for it in (self._merged_by(shown, reviews) if shown else ())}
        return lambda it: trees.at(it) == at or it in merged

    def _merged_by(self, chat: Chat, reviews: Sequence[FileReview]) -> Sequence[FileReview]:
        """Return the files into which a session of a worktree was merged."""
        trees, key = self.workspace.worktrees, chat.session.state.key
        if trees.at(chat.session.state.cwd) is None:
            return ()
        return [
            it
            for it in reviews
            if any(by.session_key == key for hunk in it.pending for by in hunk.authors)
        ]

    def touch_lists(self) -> None:
        """Draw the lists of the sessions anew, as far as they are on the screen."""
        for number, shown in self.workspace.lists.items():
            if shown.is_shown:
                self.editor.screen.touch(number)


def _pending(reviews: Iterable[FileReview]) -> Mapping[tuple[str, str, str], int]:
    """Return how many hunks wait, by agent, session and sub-agent."""
    return Counter(
        key
        for review in reviews
        for hunk in review.pending
        for key in {(*it.session_key, sub) for it in hunk.authors for sub in ("", it.sub_agent)}
    )
