from __future__ import annotations

import string
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.session.log import Log
from acp_nvim.view.block import BLANK, Block, Highlight, Line
from acp_nvim.view.blocks import Blocks, Stretch
from acp_nvim.view.op import Replace
from acp_nvim.view.patch import patch


def block(key: str, *texts: str) -> Block:
    return Block(key, tuple(map(Line, texts)))


def lines_of(blocks: Sequence[Block]) -> list[Line]:
    return [line for part in blocks for line in part.lines] or [BLANK]


def carried_out(buffer: list[Line], ops: Sequence[Replace]) -> list[Line]:
    for op in ops:
        assert 0 <= op.first <= op.last <= len(buffer)
        buffer[op.first : op.last] = op.lines
        assert buffer, "Neovim has no buffer without a line"
    return buffer


A, B, C = block("a", "1", ""), block("b", "2", "3", ""), block("c", "4", "")


def test_the_first_patch_replaces_the_one_empty_line() -> None:
    assert patch((), (A,)) == (Replace(0, 1, A.lines),)


def test_a_patch_to_nothing_leaves_one_empty_line() -> None:
    assert patch((A, B), ()) == (Replace(0, 5, (BLANK,)),)
    assert patch((), ()) == ()


def test_blocks_without_lines_are_as_nothing() -> None:
    nothing = (block("a"), block("b"))
    assert patch((), nothing) == ()
    assert patch(nothing, (block("a"), B)) == (Replace(0, 1, B.lines),)
    assert patch((A, block("b")), nothing) == (Replace(0, 2, (BLANK,)),)


def test_changes_side_by_side_are_one_op() -> None:
    before = (block("a"), block("b"), A, block("c", "x"))
    after = (block("a", "1"), block("b", "2", "3"), A, block("c", "y"))
    assert patch(before, after) == (
        Replace(0, 0, (Line("1"), Line("2"), Line("3"))),
        Replace(5, 6, (Line("y"),)),
    )


def test_identical_blocks_cost_no_op() -> None:
    assert patch((A, B), (A, B)) == ()


def test_equal_lines_in_another_block_cost_no_op() -> None:
    assert patch((A, block("b", "2", "3", "")), (A, B)) == ()


def test_only_what_has_grown_is_replaced() -> None:
    grown = Block("b", (*B.lines[:1], Line("3x"), Line("5"), BLANK))
    assert patch((A, B), (A, grown)) == (Replace(3, 4, (Line("3x"), Line("5"))),)


def test_a_new_block_is_inserted_behind_the_old_ones() -> None:
    assert patch((A,), (A, B)) == (Replace(2, 2, B.lines),)


def test_a_block_before_the_pinned_plan_is_inserted() -> None:
    plan = block("plan", "p", "")
    assert patch((A, plan), (A, B, plan)) == (Replace(2, 2, B.lines),)


def test_a_moved_plan_is_deleted_and_inserted() -> None:
    before, after = block("plan", "p", ""), block("plan", "q", "")
    old, new = (A, before, B, C), (A, B, C, after)
    assert patch(old, new) == (Replace(2, 4, ()), Replace(7, 7, after.lines))


def test_a_change_of_marks_alone_is_drawn() -> None:
    marked = Block("a", (Line("1", (Highlight(0, 1, "AcpBold"),)), BLANK))
    assert patch((A,), (marked,)) == (Replace(0, 1, marked.lines[:1]),)


def test_five_thousand_unchanged_blocks_are_not_touched() -> None:
    many = tuple(block(f"k{number}", "x", "") for number in range(5_000))
    old = (*many, block("last", "a", ""))
    new = (*many, block("last", "a", "b", ""))
    assert patch(old, new) == (Replace(10_001, 10_001, (Line("b"),)),)


texts = st.sampled_from(["", "a", "b", "c"])
bodies = st.lists(texts, min_size=1, max_size=6).map(lambda body: tuple(map(Line, body)))
keys = st.sampled_from(string.ascii_lowercase[:8])


@st.composite
def renderings(draw: st.DrawFn) -> tuple[tuple[Block, ...], tuple[Block, ...]]:
    """Two lists of blocks that share keys, block objects and line objects."""
    old = {key: Block(key, draw(bodies)) for key in draw(st.lists(keys, unique=True))}
    new = []
    for key in draw(st.lists(keys, unique=True)):
        known = old.get(key)
        kind = draw(st.sampled_from(["same", "grown", "fresh"]))
        if known is None or kind == "fresh":
            new.append(Block(key, draw(bodies)))
        elif kind == "same":
            new.append(known)
        else:
            cut = draw(st.integers(0, len(known.lines)))
            new.append(Block(key, known.lines[:cut] + draw(bodies) + known.lines[cut:]))
    return tuple(old.values()), tuple(new)


@given(renderings())
def test_ops_turn_the_old_lines_into_the_new(
    pair: tuple[tuple[Block, ...], tuple[Block, ...]],
) -> None:
    old, new = pair
    assert carried_out(lines_of(old), patch(old, new)) == lines_of(new)
    assert carried_out(lines_of(new), patch(new, old)) == lines_of(old)


def with_plan(log: Log[Block], plan: Block, position: int) -> Blocks:
    at = min(position, len(log))
    stretches = (Stretch(log, 0, at), Stretch.of((plan,)), Stretch(log, at, len(log)))
    return Blocks(stretches)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 700)), max_size=8), st.integers(0, 700))
def test_in_stretches_it_is_the_same(changes: list[tuple[int, int]], more: int) -> None:
    old = Log([Block(f"b{number}", (Line(f"line {number}"),)) for number in range(600)])
    new = old
    for height, place in changes:
        if place < len(new):
            new = new.put(place, Block(f"b{place}", (Line("x"),) * (height + 1)))
    for number in range(more % 5):
        new = new.appended(Block(f"new{number}", (Line("new"),)))
    plan = Block("plan", (Line("plan"),))
    before, after = with_plan(old, plan, more), with_plan(new, plan, more)
    lines = [line for block in before for line in block.lines]
    for op in patch(before, after):
        lines[op.first : op.last] = op.lines
    assert lines == [line for block in after for line in block.lines]
