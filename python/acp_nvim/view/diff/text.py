"""The text of a unified diff in colours; what is no diff in it stays plain."""

from __future__ import annotations

from acp_nvim.view.block import Line, LineHighlight
from acp_nvim.view.styled import coloured
from acp_nvim.view.visible import visible

MIME_TYPE = "text/x-diff"
_CHANGES = {"+": "AcpDiffAdd", "-": "AcpDiffDelete"}


def diff_lines(text: str) -> tuple[Line, ...]:
    """Return the lines of a text that holds unified diffs, safe to show."""
    rows = visible(text).removesuffix("\n").split("\n")
    names = {
        at + step
        for at, row in enumerate(rows[:-1])
        if row.startswith("--- ") and rows[at + 1].startswith("+++ ")
        for step in (0, 1)
    }
    return tuple(_line(row, is_name=at in names) for at, row in enumerate(rows))


def _line(row: str, *, is_name: bool) -> Line:
    if is_name or row.startswith("@@ "):
        return coloured(row, "AcpDiffFile" if is_name else "AcpDiffHunk")
    group = _CHANGES.get(row[:1])
    return Line(row, (LineHighlight(group),)) if group else Line(row)
