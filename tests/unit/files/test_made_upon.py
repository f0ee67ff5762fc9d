"""Which text a whole text was made of, and older texts with what was made of newer ones."""

from __future__ import annotations

import pytest

from acp_nvim.files.base import base_of_write, carried


def text(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


def test_what_is_as_in_the_older_text_again_is_carried_once() -> None:
    older, before = text("1", "2", "3"), text("1", "2 and more", "3")
    assert carried(older, before, text("1", "2", "3", "4")) == text("1", "2", "3", "4")


@pytest.mark.parametrize(
    ("old", "now", "written", "made_of"),
    [
        ("x = 1", "x = 1  # mine", "x = 1  # agent", "old"),
        ("x = 1", "x = 1  # mine", "y\nx = 1  # agent", "old"),
        ("x = 1", "x = 2", "x = 3", "now"),
        ("x = 1", "x = 1  # mine", "x = 1  # mine, agent", "now"),
        ("one", "two", "three", "now"),
        ("", "mine", "agent", "old"),
        ("one", "", "two", "now"),
    ],
)
def test_a_changed_line_tells_which_text_it_was_made_of(
    old: str, now: str, written: str, made_of: str
) -> None:
    """What stands there now may be the agent's own tool's doing, or another program's."""
    sides = (("above", *it.splitlines(), "below") for it in (old, now, written))
    read, made, content = (text(*side) for side in sides)
    wanted = read if made_of == "old" else made
    assert base_of_write(read, made, content) == wanted
