"""The evidence for a permission as lines: each file as it is and as it would be.

The texts are whole, so the header names the first line that changes, and how many do.
"""

from __future__ import annotations

from collections.abc import Sequence

from acp_nvim.session.content import Diff
from acp_nvim.session.model import Location
from acp_nvim.session.place import first_change
from acp_nvim.session.proposal.proposal import Evidence
from acp_nvim.view.block import Line, VirtualText
from acp_nvim.view.diff import change as diff
from acp_nvim.view.place import place, relative
from acp_nvim.view.styled import coloured

UNSAVED = "your unsaved edits are in it"
MISFIT = "does not fit the file as it is now: "


def lines(evidence: Evidence, cwd: str) -> tuple[Line, ...]:
    """Return header, remarks and changed lines; where it does not fit, what the agent told."""
    if evidence.misfit:
        remark = coloured(MISFIT + evidence.misfit, "AcpWarning")
        if not evidence.told:
            return (coloured(relative(evidence.path, cwd), "AcpDiffFile"), remark)
        told = (line for each in evidence.told for line in diff.lines(each, cwd))
        return (*told, remark)
    change = Diff(evidence.path, evidence.before, evidence.after or "")
    remarks = (coloured(UNSAVED, "AcpWarning"),) if evidence.unsaved else ()
    body = diff.lines(change, cwd)[1:]
    is_same = evidence.before == evidence.after
    return (_header(evidence, change, cwd), *remarks, *(() if is_same else body))


def is_shown(evidence: Sequence[Evidence]) -> bool:
    """Tell whether any of it shows what would change."""
    return any(not it.misfit or it.told for it in evidence)


def _header(evidence: Evidence, change: Diff, cwd: str) -> Line:
    row = None
    if evidence.before and evidence.after:
        row = first_change(evidence.before, evidence.after)
    path = place(Location(evidence.path, row), cwd)
    added, removed = diff.counts(change)
    counts = (("  ", "AcpDim"), (f"+{added}", "AcpDiffAdd"), (f" −{removed}", "AcpDiffDelete"))
    said = _said(evidence, cwd)
    chunks = (
        *(((f"  {said}", "AcpDim"),) if said else ()),
        *(counts if added or removed else ()),
    )
    marks = (VirtualText(0, chunks, "eol"),) if chunks else ()
    return coloured(path, "AcpDiffFile", *marks)


def _said(evidence: Evidence, cwd: str) -> str:
    """Return what happens to the file itself."""
    if evidence.moved_to:
        return f"→ {relative(evidence.moved_to, cwd)}"
    if evidence.after is None:
        return "deleted"
    if evidence.before is None:
        return "new file"
    return "no change" if evidence.before == evidence.after else ""
