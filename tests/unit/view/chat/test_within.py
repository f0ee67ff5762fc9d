"""Tool calls of sub-agents: in the call that started them."""

from __future__ import annotations

from functools import reduce as folded

from acp_nvim.session.content import Text
from acp_nvim.session.event import ChunkReceived, Event, ToolCallUpdated, TurnStarted
from acp_nvim.session.model import Prompt
from acp_nvim.session.reduce.reduce import reduce
from acp_nvim.session.state import SessionState
from acp_nvim.view.chat.transcript import Transcript, fold, key_at, render, row_of
from acp_nvim.view.patch import patch
from tests.unit.view.look import looks

TASK = ToolCallUpdated("task", "Explore the code", "think", "in_progress")
READ = ToolCallUpdated("a", "Read a.py", "read", "completed", parent="task")
RUN = ToolCallUpdated("b", "make test", "execute", "in_progress", (Text("ok\n"),), parent="task")
SAID = ChunkReceived("agent", Text("Well."))


def after(*events: Event) -> SessionState:
    return folded(reduce, events, SessionState("x", "/w", "s", "running", turn=1))


def rows(view: Transcript) -> list[str]:
    return looks(line for block in view.blocks for line in block.lines)


def test_closed_it_is_one_line_with_counts() -> None:
    view = render(after(TASK, READ, RUN, SAID), frozenset(), None)
    assert rows(view) == ["◐ ∴ think Explore the code ▸ 2 calls: 1 read, 1 run", "", "Well.", ""]


def test_closed_its_answer_is_not_counted_as_well_where_a_window_would_cut_that() -> None:
    answered = ToolCallUpdated("task", content=(Text("Found 3 callers.\n"),), status="completed")
    view = render(after(TASK, READ, RUN, answered), frozenset(), None)
    assert rows(view)[0] == "✓ ∴ think Explore the code ▸ 2 calls: 1 read, 1 run"
    view = render(after(TASK, READ, RUN, answered), frozenset({"tool:task"}), view)
    assert rows(view)[0] == "✓ ∴ think Explore the code 2 calls: 1 read, 1 run"


def test_open_they_are_below_it_and_open_by_themselves() -> None:
    state = after(TASK, READ, RUN, SAID)
    view = render(state, frozenset({"tool:task"}), None)
    assert rows(view)[1:] == ["│ ✓ ≡ Read a.py", "│ ◐ $ run make test ▸ 1 line", "", "Well.", ""]
    assert [key_at(view, row) for row in range(4)] == ["tool:task", "tool:a", "tool:b", "tool:task"]
    opened = fold(view, frozenset({"tool:task"}), 2, "toggle")
    assert opened == {"tool:task", "tool:b"}
    view = render(state, opened, view)
    assert rows(view)[2:5] == ["│ ◐ $ run make test", "│ │ ok", ""]
    assert row_of(view, "tool:b") == 2


def test_what_becomes_of_them_is_drawn_without_anything_else() -> None:
    opened = frozenset({"tool:task"})
    state = after(TASK, READ, RUN, SAID)
    before = render(state, opened, None)
    state = reduce(state, ToolCallUpdated("b", status="completed"))
    view = render(state, opened, before)
    assert rows(view) == rows(render(state, opened, None))
    [op] = patch(before.blocks, view.blocks)
    assert (op.first, op.last) == (2, 3)


def test_one_that_comes_later_is_counted() -> None:
    before = render(after(TASK, READ, SAID), frozenset(), None)
    state = after(TASK, READ, SAID, RUN)
    view = render(state, frozenset(), before)
    assert rows(view) == rows(render(state, frozenset(), None))
    assert rows(view)[0].endswith(" 2 calls: 1 read, 1 run")
    assert row_of(view, "tool:b") == 0


def test_those_of_two_at_a_time_are_each_in_its_own() -> None:
    other = ToolCallUpdated("other", "Look", "think", "completed")
    one = ToolCallUpdated("c", "Grep", "search", "completed", parent="other")
    view = render(after(TASK, other, READ, one, RUN), frozenset({"tool:task", "tool:other"}), None)
    assert rows(view) == [
        "◐ ∴ think Explore the code 2 calls: 1 read, 1 run",
        "│ ✓ ≡ Read a.py",
        "│ ◐ $ run make test ▸ 1 line",
        "",
        "✓ ∴ think Look 1 call: 1 search",
        "│ ✓ ⌕ search Grep",
        "",
    ]


def test_a_sub_agents_sub_agent_is_in_the_first() -> None:
    inner = ToolCallUpdated("c", "Grep", "search", "completed", parent="a")
    state = after(TASK, READ, inner)
    call = state.tool_call("task")
    assert call
    assert call.children == ("tool:a", "tool:c")


def test_a_call_of_an_unknown_or_later_one_or_itself_stands_alone() -> None:
    orphan = ToolCallUpdated("a", "Read", "read", "completed", parent="nobody")
    itself = ToolCallUpdated("b", "Read", "read", "completed", parent="b")
    early = ToolCallUpdated("c", "Read", "read", "completed", parent="d")
    late = ToolCallUpdated("d", "Task", "think", "completed", parent="c")
    state = after(orphan, itself, early, late, ToolCallUpdated("c", parent="d"))
    alone = [state.tool_call(it) for it in "abc"]
    assert [it.parent for it in alone if it] == ["", "", ""]


def test_an_id_that_comes_again_leaves_nothing_hidden() -> None:
    state = after(
        TASK,
        READ,
        ToolCallUpdated("task", status="completed"),
        TurnStarted(Prompt((Text("more"),)), 0.0),
    )
    state = reduce(state, ToolCallUpdated("a", "Read again", "read", "in_progress"))
    shown = rows(render(state, frozenset({"tool:task"}), None))
    assert "│ ✓ ≡ Read a.py" in shown
    assert "◐ ≡ Read again" in shown
