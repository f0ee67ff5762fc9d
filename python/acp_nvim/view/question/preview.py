"""Previews for a permission as lines: each file as it is and as it would be.

The texts are whole, so the header names the first line that changes, and how many do.
"""

from __future__ import annotations

from collections.abc import Sequence

from acp_nvim.session.content import Diff
from acp_nvim.session.model import Location
from acp_nvim.session.place import first_change
from acp_nvim.session.proposal.proposal import Preview
from acp_nvim.view.block import Line, VirtualText
from acp_nvim.view.diff import change as diff
from acp_nvim.view.place import place, relative
from acp_nvim.view.styled import coloured

UNSAVED = "your unsaved edits are in it"
MISFIT = "does not fit the file as it is now: "


def lines(preview: Preview, cwd: str) -> tuple[Line, ...]:
    """Return header, remarks and changed lines; where it does not fit, what the agent told."""
    if preview.misfit:
        remark = coloured(MISFIT + preview.misfit, "AcpWarning")
        if not preview.told:
            return (coloured(relative(preview.path, cwd), "AcpDiffFile"), remark)
        told = (line for each in preview.told for line in diff.lines(each, cwd))
        return (*told, remark)
    change = Diff(preview.path, preview.before, preview.after or "")
    remarks = (coloured(UNSAVED, "AcpWarning"),) if preview.unsaved else ()
    body = diff.lines(change, cwd)[1:]
    is_same = preview.before == preview.after
    return (_header(preview, change, cwd), *remarks, *(() if is_same else body))


def is_shown(previews: Sequence[Preview]) -> bool:
    """Tell whether any of it shows what would change."""
    return any(not it.misfit or it.told for it in previews)


def _header(preview: Preview, change: Diff, cwd: str) -> Line:
    row = None
    if preview.before and preview.after:
        row = first_change(preview.before, preview.after)
    path = place(Location(preview.path, row), cwd)
    added, removed = diff.counts(change)
    counts = (("  ", "AcpDim"), (f"+{added}", "AcpAdded"), (f" −{removed}", "AcpRemoved"))
    said = _said(preview, cwd)
    chunks = (
        *(((f"  {said}", "AcpDim"),) if said else ()),
        *(counts if added or removed else ()),
    )
    marks = (VirtualText(0, chunks, "eol"),) if chunks else ()
    return coloured(path, "AcpDiffFile", *marks)


def _said(preview: Preview, cwd: str) -> str:
    """Return what happens to the file itself."""
    if preview.moved_to:
        return f"→ {relative(preview.moved_to, cwd)}"
    if preview.after is None:
        return "deleted"
    if preview.before is None:
        return "new file"
    return "no change" if preview.before == preview.after else ""
