"""What a tool call would change in files, and what a file would be after it.

Pure: agents that send no diff are understood from the input of their tool, and diffs of fragments
become whole files, so that the user decides on what would really be there. A diff in the content
counts more than the input; where they disagree on a file, the diff is shown, and that they do.
Files that only the input names are among the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim import hunks
from acp_nvim.paths import SAME, Paths, absolute, named
from acp_nvim.session.content import Diff
from acp_nvim.session.proposal.apply import applied
from acp_nvim.session.proposal.edit import NoFit, Proposal, Remove, Replace, Whole
from acp_nvim.session.proposal.tool_input import raw_proposals
from acp_nvim.session.state import ToolCall

MOST_PARTS = 200
"""Diffs of a tool call that are put together, file by file."""


class Preview(Struct, frozen=True):
    """One file as it is and as it would be, if a permission is given.

    `before` None: there is no such file; `after` None: there will be none. Where the proposal does
    not fit, both are None and `misfit` says why; `told` is then all that there is to show.
    """

    path: str
    before: str | None = None
    after: str | None = None
    misfit: str = ""
    unsaved: bool = False
    """The user's unsaved edits are in both texts."""
    moved_to: str = ""
    told: tuple[Diff, ...] = ()
    contradicted: bool = False
    """What the tool was given is another change than the diff."""


def proposals(
    call: ToolCall, cwd: str, paths: Paths = SAME, real: Callable[[str], str] = str
) -> tuple[Proposal, ...]:
    """Return what the call would do, one for each file, paths absolute; () if it does not say.

    What a tool was given is in the agent's own words: `paths` has our names of the files there, and
    `real` tells which of these are of one file. Of very many diffs the first ones are put together;
    the others are seen as the agent tells them.
    """
    told = (_ours(it, paths) for it in raw_proposals(call))
    raw = {real(it.path): it for it in _united(told, cwd)}
    diffs = (it for it in call.content if isinstance(it, Diff))
    shown = _united(map(_of_diff, islice(diffs, MOST_PARTS)), cwd)
    best = tuple(_best(it, raw.pop(real(it.path), None)) for it in shown)
    return (*best, *raw.values())


def proposed(text: str | None, proposal: Proposal) -> str | NoFit | None:
    """Return what the file with that text (None: no file) would hold, None if it would be gone.

    Its own line ends, and its byte order mark, stay.
    """
    found = applied(text, proposal.edits)
    if not isinstance(found, NoFit) or not proposal.instead:
        return found
    other = applied(text, proposal.instead)
    return other if _agrees(text, other, proposal) else found


def contradicted(text: str | None, proposal: Proposal) -> bool:
    """Tell whether the tool's input makes of that text something else than the diff shows."""
    other = applied(text, proposal.instead) if proposal.instead else NoFit("")
    if isinstance(other, NoFit) or _agrees(text, other, proposal):
        return False
    found = applied(text, proposal.edits)
    return not isinstance(found, str | None) or _lines(found or "") != _lines(other or "")


def _agrees(text: str | None, other: str | NoFit | None, proposal: Proposal) -> bool:
    """Tell whether the lines that go and come are those of the diff, wherever they stand."""
    return isinstance(other, str) and _changes(((text or "", other),)) == _changes(
        (it.old_text or "", it.new_text) for it in proposal.told
    )


def _of_diff(diff: Diff) -> Proposal:
    """Return a diff, which may be of the whole file or of a fragment, as an edit."""
    old = diff.old_text
    edit = Whole(diff.new_text) if old is None else Replace(old, diff.new_text)
    return Proposal(diff.path, (edit,), told=(diff,))


def _ours(told: Proposal, paths: Paths) -> Proposal:
    path, moved_to = (paths.shown_here(named(it)[0]) for it in (told.path, told.moved_to))
    return replace(told, path=path, moved_to=moved_to)


def _united(parts: Iterable[Proposal], cwd: str) -> list[Proposal]:
    """Return one proposal for each file, in the order in which the files come."""
    found: dict[str, Proposal] = {}
    for part in parts:
        path = _absolute(part.path, cwd)
        whole = replace(part, path=path, moved_to=_absolute(part.moved_to, cwd))
        first = found.get(path)
        found[path] = (
            whole
            if first is None
            else replace(
                first,
                edits=(*first.edits, *whole.edits),
                told=(*first.told, *whole.told),
                moved_to=first.moved_to or whole.moved_to,
            )
        )
    return list(found.values())


def _absolute(path: str, cwd: str) -> str:
    return absolute(path, cwd)


def _best(shown: Proposal, raw: Proposal | None) -> Proposal:
    """Return the diff, with what the input says more: everywhere, gone, moved, where it stands."""
    if raw is None:
        return shown
    once = tuple(
        replace(it, everywhere=False) if isinstance(it, Replace) else it for it in raw.edits
    )
    is_gone = raw.edits[-1:] == (Remove(),) and not any(it.new_text for it in shown.told)
    if once == shown.edits or is_gone:
        return replace(shown, edits=raw.edits, moved_to=raw.moved_to)
    return replace(shown, instead=raw.edits, moved_to=raw.moved_to)


def _changes(pairs: Iterable[tuple[str, str]]) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return what goes and what comes, wherever that is."""
    found = []
    for old, new in pairs:
        lines = _lines(old)
        for hunk in hunks.diff(lines, _lines(new)):
            found.append((tuple(lines[hunk.first : hunk.last]), hunk.lines))
    return found


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else []
