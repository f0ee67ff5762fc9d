"""The change that the tutor makes: small, deterministic, exact to the last line end."""

from __future__ import annotations

import pytest

from acp_tutor.edits import change_of


@pytest.mark.parametrize(
    ("path", "text", "new", "line"),
    [
        ("/a.py", "x\n", "x\n# tutor was here: 1\n", 2),
        ("/a.lua", "x", "x\n-- tutor was here: 1", 2),
        ("/a.c", "x\r\ny\r\n", "x\r\ny\r\n// tutor was here: 1\r\n", 3),
        ("/a.md", "", "<!-- tutor was here: 1 -->\n", 1),
        ("/a.css", "x\n", "x\n/* tutor was here: 1 */\n", 2),
        ("/Makefile", "x:\n", "x:\n# tutor was here: 1\n", 2),
        ("/a.py", "x\n# tutor was here: 9\ny\n", "x\n# tutor was here: 10\ny\n", 2),
        ("/a.json", "\nsum(v) / (len(v) - 1)", "\nsum(v) / len(v)", 2),
        ("/a.py", "\nsum(v) / (len(v) - 1)", "\nsum(v) / len(v)\n# tutor was here: 1", 2),
        (
            "/a.py",
            "sum(v) / (len(v) - 1)\n# tutor was here: 2\n",
            "sum(v) / len(v)\n# tutor was here: 2\n",
            1,
        ),
        ("/a.py", "sum(v) / (len(w) - 1)\n", "sum(v) / (len(w) - 1)\n# tutor was here: 1\n", 2),
    ],
)
def test_a_change(path: str, text: str, new: str, line: int):
    change = change_of(path, text)
    assert change is not None
    assert (change.old, change.new, change.line) == (text, new, line)


def test_no_comment_no_change():
    assert change_of("/a.json", "{}") is None
