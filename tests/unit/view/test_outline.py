from __future__ import annotations

from acp_nvim.session.content import Text
from acp_nvim.session.log import Log
from acp_nvim.session.state import Entry, Message, Notice, SessionState, ToolCall
from acp_nvim.view.chat.transcript import render
from acp_nvim.view.lists.outline import outline


def state(*entries: Entry) -> SessionState:
    index = {it.key: at for at, it in enumerate(entries)}
    return SessionState("a", "/w", "s", status="idle", turn=1, entries=Log(entries), index=index)


def test_prompts_calls_code_and_failures_are_listed_with_their_rows() -> None:
    said = "Look:\n\n```python\nx = 1\ny = 2\n```\n\nand\n\n```\nz\n```\n"
    made = state(
        Message("u", "user", 1, (Text("fix\u202e it"),)),
        Message("a", "agent", 1, (Text(said),)),
        ToolCall("t", "t", 1, title="Run tests", kind="execute", status="failed"),
        Notice("n", 1, "the agent is gone", "error"),
        Notice("m", 1, "only a note"),
    )
    drawn = render(made, frozenset(), None)
    rows = [line.text for block in drawn.blocks for line in block.lines]
    found = outline(made, drawn.blocks)
    assert [(it.text, it.has_failed) for it in found] == [
        ("> fix<U+202E> it", False),
        ("  ` x = 1", False),
        ("  ` z", False),
        ("  Run tests (failed)", True),
        ("  the agent is gone", True),
    ]
    assert [rows[it.row].strip() for it in found][1:3] == ["x = 1", "z"]
    assert "Run tests" in rows[found[3].row] and "gone" in rows[found[4].row]
