"""What the user is told of an undo that has asked on its way."""

from __future__ import annotations

from acp_nvim.review.outcome import Undone, together


def test_what_was_tried_again_is_told_as_it_is_then() -> None:
    sure = Undone(
        None,
        paths=("a", "b"),
        left=(("a", 1), ("found", 2)),
        unsaved=("b",),
        failed=("stuck cannot be read", "locked cannot be read", "moved is gone"),
        stuck=("stuck", "locked"),
        found=("found",),
        batch="1",
    )
    rest = Undone(
        None, paths=("stuck",), left=(("found", 5),), failed=("locked cannot be read",), batch="1"
    )
    assert together(sure, rest) == Undone(
        None,
        paths=("a", "b", "stuck"),
        left=(("a", 1), ("found", 5)),
        unsaved=("b",),
        failed=("locked cannot be read", "moved is gone"),
        batch="1",
    )
