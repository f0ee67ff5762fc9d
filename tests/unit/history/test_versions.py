"""Of which version a text was made, and versions with what became of newer ones."""

from __future__ import annotations

import pytest

from acp_nvim.history.versions import carried, distance, nearest, taken_back


def text(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


OLD = text("1", "2", "3")


@pytest.mark.parametrize(
    ("made", "of"),
    [
        (OLD, 0),
        (text("1", "2", "3", "4"), 0),
        (text("1", "mine", "2", "3", "4"), 1),
        (text("1", "2", "theirs", "3"), 0),  # nothing is taken out of it
        (text("one", "two", "three"), 0),
    ],
)
def test_a_text_is_the_smallest_change_of_what_it_was_made_of(made: str, of: int) -> None:
    candidates = OLD, text("1", "mine", "2", "3")
    assert nearest(candidates, made) == candidates[of]


def test_of_two_that_are_as_near_the_first_counts() -> None:
    first, second = text("a", "1"), text("a", "2")
    assert distance(first, text("a", "3")) == distance(second, text("a", "3"))
    assert nearest((first, second), text("a", "3")) == first
    assert nearest((second, first), text("a", "3")) == second


@pytest.mark.parametrize(
    ("read", "made", "written", "of"),
    [
        ("x = 1", "x = 1  # mine", "x = 1  # agent", "read"),
        ("x = 1", "x = 1  # mine", "y\nx = 1  # agent", "read"),
        ("x = 1", "x = 2", "x = 3", "made"),
        ("x = 1", "x = 1  # mine", "x = 1  # mine, agent", "made"),
        ("one", "two", "three", "made"),
        ("", "mine", "agent", "read"),
        ("one", "", "two", "made"),
    ],
)
def test_a_changed_line_tells_of_which_version_it_was_made(
    read: str, made: str, written: str, of: str
) -> None:
    """What stands there now may be the agent's own tool's doing, or another program's."""
    sides = (("above", *it.splitlines(), "below") for it in (read, made, written))
    old, new, content = (text(*side) for side in sides)
    assert nearest((new, old), content) == (old if of == "read" else new)


def test_long_lines_are_not_compared_by_their_letters() -> None:
    line = "x" * 1_000
    assert distance(f"{line}\n", f"{line}y\n") == (2, 0.0)
    assert distance(f"{line * 101}\n", f"{line * 101}y\n") == (2, 1.0)


def test_how_lines_end_is_no_change() -> None:
    assert distance("1\r\n2\r\n", "1\n2") == (0, 0)


def test_what_is_as_in_the_older_version_again_is_carried_once() -> None:
    before = text("1", "2 and more", "3")
    assert carried(OLD, before, text("1", "2", "3", "4")) == text("1", "2", "3", "4")


@pytest.mark.parametrize(
    ("version", "before"),
    [(("g", "1"), ("1", "u")), (("1", "g"), ("1",)), (("g", "h", "1"), ("1",))],
)
def test_a_line_that_somebody_took_out_and_put_in_again_is_carried_once(
    version: tuple[str, ...], before: tuple[str, ...]
) -> None:
    after = ("g", *before) if version[0] == "g" else (*before, "g")
    assert carried(text(*version), text(*before), text(*after)) == text(*version)


def test_only_the_change_is_carried() -> None:
    before = text("mine", "1", "2", "3")
    assert carried(OLD, before, text("mine", "one", "2", "3")) == text("one", "2", "3")


@pytest.mark.parametrize(
    ("now", "left"),
    [
        (text("1", "2", "THREE"), OLD.replace("3", "THREE")),
        (text("one", "2", "3"), text("one", "2", "3")),
        (OLD, OLD),
        (text("one", "2", "THREE"), None),
        (text("one", "mine", "THREE"), None),
    ],
)
def test_what_is_again_as_it_was_has_been_taken_back(now: str, left: str | None) -> None:
    assert taken_back(text("one", "2", "THREE"), (OLD,), now) == left


def test_what_was_made_step_by_step_is_taken_back_so_too() -> None:
    first, second = text("1", "2", "THREE"), text("1", "2", "three")
    assert taken_back(second, (OLD, first), first) == first
    assert taken_back(second, (OLD, first), OLD) == OLD


def test_a_byte_order_mark_is_no_part_of_the_line_that_is_taken_back() -> None:
    marked = "\ufeff" + text("1", "2")
    assert taken_back(text("1", "two"), (marked,), text("1", "2")) == text("1", "2")
    assert taken_back("\ufeff" + text("1", "two"), (OLD[:4],), marked) == marked
