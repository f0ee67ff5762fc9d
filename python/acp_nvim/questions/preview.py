"""Previews for a permission: what the files are that a tool call would change, and would be.

What is shown is the user's live text, unsaved edits included; an agent may have gone by that or by
the disk. Nothing outside of the session's roots is read.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial
from typing import TypeAlias

from msgspec.structs import replace

from acp_nvim.aside import aside_if_large
from acp_nvim.editor import Files
from acp_nvim.errors import FileProblem
from acp_nvim.files import disk
from acp_nvim.files.live import LiveFile, load
from acp_nvim.files.roots import Roots
from acp_nvim.files.text import merged
from acp_nvim.session.content import Diff
from acp_nvim.session.proposal.edit import NoFit, Proposal
from acp_nvim.session.proposal.proposal import Preview, contradicted, proposals, proposed
from acp_nvim.session.state import ToolCall

LARGEST = 4_000_000
"""Bytes of a file that is read for this."""
MOST = 50
"""Files of one call that are read for this."""


Previewed: TypeAlias = tuple[Preview, LiveFile]
"""A preview, and the file that it is of."""


class PreviewService:
    """Reads the files that a permission is about."""

    def __init__(self, files: Files) -> None:
        self._files = files

    async def gather(self, call: ToolCall, roots: Roots) -> tuple[Previewed, ...]:
        """Return a preview of each file that the call would change; () if it does not say.

        A file outside of the roots, or one that is no text, has none, unless only the tool's input
        names it beside diffs of others. Never raises.
        """
        found = []
        has_diffs = any(isinstance(it, Diff) for it in call.content)
        proposing = partial(proposals, call, roots.cwd, roots.paths, _real)
        wanted = await aside_if_large(proposing, call.raw_input or "")
        for proposal in wanted[:MOST]:
            try:
                live = await self._load(roots.resolve(proposal.path))
                made = preview(proposal, live.shown, live.read(live.on_disk))
            except FileProblem:
                if proposal.told or not has_diffs:
                    continue
                live = LiveFile(proposal.path)
                made = Preview(proposal.path, misfit="it is not read", contradicted=True)
            found.append((made, live))
        return tuple(found)

    async def _load(self, path: str) -> LiveFile:
        """Return what the file holds. Raises `FileProblem` if that is too long."""
        if disk.size(path) > LARGEST:
            raise FileProblem(f"{path} is too large")
        return await load(self._files, path)


def _real(path: str) -> str:
    """Return what that path leads to; itself if it is none."""
    with suppress(OSError, ValueError):
        return os.path.realpath(path)
    return path


def preview(proposal: Proposal, live: str | None, on_disk: str | None) -> Preview:
    """Return what a proposal makes of the file as the user has it, with unsaved edits kept.

    What is to be replaced may be in the live text, or only in that of the disk: then the two are
    merged, as they will be when the agent writes.
    """
    found = Preview(
        proposal.path,
        unsaved=live != on_disk,
        moved_to=proposal.moved_to,
        told=proposal.told,
        contradicted=contradicted(live, proposal) and contradicted(on_disk, proposal),
    )
    after = _with_edits(proposal, live, on_disk) if found.unsaved else proposed(live, proposal)
    if isinstance(after, NoFit):
        return replace(found, misfit=after.reason)
    return replace(found, before=live, after=after)


def _with_edits(proposal: Proposal, live: str | None, on_disk: str | None) -> str | NoFit | None:
    """Return the outcome for a text with unsaved edits."""
    if live is None or not proposal.makes_whole:
        after = proposed(live, proposal)
        if not isinstance(after, NoFit):
            return after
    theirs = proposed(on_disk, proposal)
    if not isinstance(theirs, str) or live is None:
        return theirs
    both, outcome = merged(on_disk or "", live, theirs)
    return NoFit("it changes what your unsaved edits change") if outcome.conflicts else both
