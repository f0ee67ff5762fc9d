"""After all turns of all agents are undone a file is the user's own text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.proof.steps import Edit
from tests.proof.undoing import (
    Decided,
    Ended,
    Plan,
    Removed,
    Saved,
    Typed,
    UndoingMachine,
    Wrote,
    plans,
)

INSERT = (Edit("insert", 0),)
LAST = [0, 1, 2, 3, 4, 5]
"""The order in which turns are taken back."""
FOUND: dict[str, Plan] = {
    "a last line whose end three turns and the user change, one of which was rejected": (
        "b1",
        [Ended(1), Decided("reject", 0, 1), Wrote(0, INSERT), Ended(0), Ended(2), Saved()],
        LAST,
    ),
    "lines that come back with the end that the user's have, and go again": (
        "b1\r\nb2\r\n",
        [Wrote(0, INSERT), Removed(0), Typed(INSERT), Ended(0), Saved()],
        LAST,
    ),
    "a last line that gets another end from the user, and goes by an agent after that": (
        "b1\nb2\nb3",
        [
            Ended(0),
            Ended(1),
            Wrote(0, (Edit("delete", 0),)),
            Saved(),
            Wrote(0, (Edit("delete", 1),)),
        ],
        LAST,
    ),
}
"""Plans of long runs, each of which has shown a fault of the ledger."""


@settings(max_examples=200, deadline=None)
@given(plans)
def test_after_all_is_undone_the_text_is_the_users_own(plan: Plan) -> None:
    base, acts, order = plan
    UndoingMachine(base).run(acts, order)


@pytest.mark.parametrize("name", FOUND)
def test_what_a_long_run_has_found_is_repaired(name: str) -> None:
    base, acts, order = FOUND[name]
    UndoingMachine(base).run(acts, order)
