"""What the tools use of the program; put together by `app`, and handed on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio
from msgspec import Struct, field

from acp_nvim.editor import Editor
from acp_nvim.follow.follow_along import FollowAlong
from acp_nvim.review.comments import Comments
from acp_nvim.review.decisions import Decisions
from acp_nvim.review.log import EditLog
from acp_nvim.review.notes import PromptNotes


class Parts(Struct, frozen=True):
    """The parts of the host that tools ask."""

    editor: Editor
    follow: FollowAlong
    log: EditLog
    decisions: Decisions
    notes: PromptNotes
    comments: Comments
    restore: Callable[[], Awaitable[None]]
    """Takes up what an earlier host has kept of reviews."""
    spreading: anyio.Lock = field(default_factory=anyio.Lock)
    """Held while an edit of a language server is written: one at a time."""
