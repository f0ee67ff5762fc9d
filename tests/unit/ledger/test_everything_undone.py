"""After all turns of all agents are undone a file is the user's own text."""

from __future__ import annotations

from hypothesis import given, settings

from tests.proof.undoing import Plan, UndoingMachine, plans


@settings(max_examples=200, deadline=None)
@given(plans)
def test_after_all_is_undone_the_text_is_the_users_own(plan: Plan) -> None:
    base, acts, order = plan
    UndoingMachine(base).run(acts, order)
