"""The ledger of a file: what is to be reviewed, taken back, returned, and who wrote it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from acp_nvim.history.author import Author
from acp_nvim.history.change import saw, wrote
from acp_nvim.history.file import File
from acp_nvim.history.fold import begin
from acp_nvim.history.review import changes, keep, origin, reject
from acp_nvim.history.switch import redo, undo, undone
from tests.proof.ledger_plans import told, turns

ONE = Author("agent", "s", 1, 1.0, "call")
TWO = Author("agent", "s", 2, 2.0, "other")


def text(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


def edited(base: str | None, after: str | None, author: Author = ONE) -> File:
    return wrote(begin(base), after, author, 0.0)


def shape(ledger: File) -> list[tuple[int, str, str]]:
    """Return row, removed and added lines of each pending hunk, as `a|b`, or its words."""
    return [
        (
            it.first,
            it.form or "|".join(it.removed).replace("\n", ""),
            "|".join(it.added).replace("\n", ""),
        )
        for it in changes(ledger)
    ]


def test_what_an_agent_changed_is_pending_hunk_by_hunk() -> None:
    ledger = edited(text("a", "b", "c", "d"), text("a", "B", "c", "d", "e"))
    assert shape(ledger) == [(1, "b", "B"), (4, "", "e")]
    assert changes(ledger)[0].authors == (ONE,)
    assert ledger.text == text("a", "B", "c", "d", "e")


def test_rejecting_brings_the_base_back_exactly() -> None:
    ledger = edited(text("a", "b", "c", "d"), text("a", "B", "c", "d", "e"))
    decided = reject(ledger, 0.0, range(1, 2))
    assert decided.count == 1
    assert decided.file.text == text("a", "b", "c", "d", "e")
    assert shape(decided.file) == [(4, "", "e")]
    assert reject(ledger, 0.0).file.text == text("a", "b", "c", "d")


def test_keeping_leaves_the_text_and_nothing_to_review() -> None:
    ledger = edited(text("a", "b"), text("a", "B"))
    decided = keep(ledger)
    assert (decided.count, shape(decided.file)) == (1, [])
    assert decided.file.text == ledger.text
    assert [it.state for it in changes(decided.file, "kept")] == ["kept"]


def test_a_part_of_a_hunk_goes_with_the_lines_that_it_replaced() -> None:
    ledger = edited(text("a", "b", "c", "z"), text("A", "B", "C", "z"))
    assert reject(ledger, 0.0, range(1, 2)).file.text == text("A", "b", "C", "z")
    kept = keep(ledger, range(0, 2)).file
    assert reject(kept, 0.0).file.text == text("A", "B", "c", "z")


def test_removed_lines_that_have_no_counterpart_go_with_the_last_added_one() -> None:
    ledger = edited(text("a", "b", "c", "z"), text("A", "z"))
    assert reject(ledger, 0.0, range(0, 1)).file.text == text("a", "b", "c", "z")


def test_where_lines_are_only_gone_the_row_below_means_them() -> None:
    ledger = edited(text("a", "b", "c"), text("a", "c"))
    assert shape(ledger) == [(1, "b", "")]
    assert reject(ledger, 0.0, range(1, 2)).file.text == text("a", "b", "c")
    assert reject(ledger, 0.0, range(0, 1)).count == 0


def test_where_lines_are_gone_at_the_end_the_last_row_means_them() -> None:
    ledger = edited(text("a", "b", "c"), text("a"))
    assert reject(ledger, 0.0, range(0, 1)).file.text == text("a", "b", "c")
    emptied = edited(text("a"), "")
    assert reject(emptied, 0.0, range(0, 1)).file.text == text("a")


def test_nothing_in_the_rows_decides_nothing() -> None:
    ledger = edited(text("a", "b", "c", "d"), text("A", "b", "c", "d"))
    assert reject(ledger, 0.0, range(2, 4)).file is ledger
    assert keep(ledger, range(2, 4)).count == 0


def test_what_the_user_writes_beside_a_hunk_is_not_reviewed_and_not_rejected() -> None:
    ledger = saw(edited(text("a", "b", "c"), text("a", "B", "c")), text("u", "a", "B", "v", "c"), 0)
    assert shape(ledger) == [(2, "b", "B")]
    assert reject(ledger, 0.0).file.text == text("u", "a", "b", "v", "c")


def test_what_the_user_changes_in_a_hunk_belongs_to_it() -> None:
    ledger = edited(text("a", "b", "c"), text("a", "B1", "B2", "B3", "c"))
    ledger = saw(ledger, text("a", "B1", "mine", "B3", "c"), 0)
    assert shape(ledger) == [(1, "b", "B1|mine|B3")]
    ledger = saw(ledger, text("a", "B1", "mine", "more", "B3", "c"), 0)
    assert shape(ledger) == [(1, "b", "B1|mine|more|B3")]
    assert reject(ledger, 0.0).file.text == text("a", "b", "c")
    assert keep(ledger).file.text == ledger.text


def test_lines_of_the_user_that_an_edit_of_a_hunk_took_along_come_back_with_it() -> None:
    ledger = saw(edited(text("a", "b", "c"), text("a", "B", "c")), text("all", "c"), 0)
    assert shape(ledger) == [(0, "a|b", "all")]
    assert reject(ledger, 0.0).file.text == text("a", "b", "c")


def test_undoing_in_the_editor_leaves_nothing_and_redoing_brings_the_hunk_back() -> None:
    base, after = text("a", "b", "c"), text("a", "B", "x", "c")
    ledger = saw(edited(base, after), base, 0)
    assert shape(ledger) == []
    ledger = saw(ledger, after, 0)
    assert shape(ledger) == [(1, "b", "B|x")]
    assert changes(ledger)[0].authors == (ONE,)
    assert reject(ledger, 0.0).file.text == base


def test_lines_that_are_only_gone_come_back_and_go_again_with_the_user() -> None:
    base, after = text("a", "b", "c"), text("a", "c")
    removed = edited(base, after)
    for back in (saw(removed, base, 0), reject(removed, 0.0).file):
        assert shape(back) == []
        again = saw(back, after, 0)
        assert shape(again) == [(1, "b", "")]
        assert undo(again, ONE, "batch", 0.0).file.text == base
        assert told(again) == told(removed)
    kept = keep(removed).file
    assert shape(saw(saw(kept, base, 0), after, 0)) == []


def test_a_part_of_what_came_back_is_the_users_to_take_out() -> None:
    base = text("a", "b", "c", "d")
    rejected = reject(edited(base, text("a", "d")), 0.0).file
    part = saw(rejected, text("a", "c", "d"), 0)
    assert shape(part) == []
    assert undo(part, ONE, "x", 0.0).file.text == text("a", "c", "d")
    assert shape(saw(rejected, text("a", "d"), 0)) == [(1, "b|c", "")]


def test_an_agent_that_takes_out_again_what_was_rejected_does_it_itself() -> None:
    rejected = reject(edited(text("a", "b", "c"), text("a", "c")), 0.0).file
    again = wrote(rejected, text("a", "c"), TWO, 0.0)
    assert [it.authors for it in changes(again)] == [(TWO,)]


def test_what_the_user_writes_in_place_of_a_rejected_line_is_the_users() -> None:
    rejected = reject(edited(text("a", "b", "c"), text("a", "c")), 0.0).file
    assert shape(saw(rejected, text("a", "mine", "c"), 0)) == []


def test_undoing_a_rejection_in_the_editor_makes_it_pending_again() -> None:
    ledger = edited(text("a", "b", "c"), text("a", "B", "c"))
    rejected = reject(ledger, 0.0).file
    again = saw(rejected, text("a", "B", "c"), 0)
    assert shape(again) == [(1, "b", "B")]


def test_a_rejection_that_is_undone_and_a_line_typed_beside_it_are_seen_at_once() -> None:
    ledger = wrote(edited(text("a", "c"), text("A", "c")), text("AA", "c"), TWO, 0.0)
    rejected = reject(ledger, 0.0).file
    again = saw(rejected, text("mine", "AA", "c"), 0)
    assert shape(again) == [(1, "a", "AA")]
    assert undo(again, TWO, "x", 0.0).file.text == text("mine", "A", "c")
    both = undo(undo(again, TWO, "x", 0.0).file, ONE, "y", 0.0)
    assert both.file.text == text("mine", "a", "c")
    assert both.left == ()


def test_an_undo_that_is_undone_and_a_line_typed_beside_it_are_seen_at_once() -> None:
    ledger = edited(text("a", "c"), text("A", "c"))
    back = undo(ledger, ONE, "x", 0.0).file
    again = saw(back, text("mine", "A", "c"), 0)
    assert undo(again, ONE, "y", 0.0).file.text == text("mine", "a", "c")


def test_an_agent_that_takes_its_change_back_leaves_nothing_to_review() -> None:
    ledger = wrote(edited(text("a", "b"), text("a", "B")), text("a", "b"), ONE, 0.0)
    assert shape(ledger) == []
    later = wrote(edited(text("a", "b"), text("a", "B")), text("a", "b"), TWO, 0.0)
    assert shape(later) == []
    assert undo(later, TWO, "x", 0.0).file.text == text("a", "B")


def test_a_turn_is_taken_back_and_returned() -> None:
    ledger = edited(text("a", "b", "c"), text("a", "B", "c", "d"))
    back = undo(ledger, ONE, "x", 0.0)
    assert (back.file.text, back.left) == (text("a", "b", "c"), ())
    assert shape(back.file) == []
    assert [delta.batch for delta in undone(back.file)] == ["x"]
    again = redo(back.file, "x")
    assert again.file.text == ledger.text
    assert told(again.file) == told(ledger)
    assert undone(again.file) == ()


def test_what_was_kept_is_taken_back_too_and_comes_back_kept() -> None:
    ledger = keep(edited(text("a", "b"), text("a", "B"))).file
    back = undo(ledger, ONE, "x", 0.0).file
    assert back.text == text("a", "b")
    assert shape(redo(back, "x").file) == []


def test_a_later_change_of_the_user_elsewhere_stays() -> None:
    ledger = saw(edited(text("a", "b", "c"), text("a", "B", "c")), text("a", "B", "c", "u"), 0)
    back = undo(ledger, ONE, "x", 0.0).file
    assert back.text == text("a", "b", "c", "u")
    assert redo(saw(back, text("v", "a", "b", "c", "u"), 0), "x").file.text == text(
        "v", "a", "B", "c", "u"
    )


def test_where_the_user_has_rewritten_it_a_turn_is_not_taken_back() -> None:
    ledger = edited(text("a", "b", "c", "d"), text("a", "B", "c", "D"))
    ledger = saw(ledger, text("a", "mine", "c", "D"), 0)
    back = undo(ledger, ONE, "x", 0.0)
    assert back.file.text == text("a", "mine", "c", "d")
    assert back.left == (1,)


def test_of_a_pure_addition_only_the_users_lines_stay() -> None:
    ledger = saw(edited(text("a"), text("a", "x", "y", "z")), text("a", "x", "mine", "z"), 0)
    back = undo(ledger, ONE, "x", 0.0)
    assert (back.file.text, back.left) == (text("a", "mine"), ())
    assert redo(back.file, "x").file.text == ledger.text


def test_where_another_turn_has_gone_on_a_turn_is_not_taken_back() -> None:
    ledger = wrote(edited(text("a", "b"), text("a", "B")), text("a", "BB"), TWO, 0.0)
    assert shape(ledger) == [(1, "b", "BB")]
    back = undo(ledger, ONE, "x", 0.0)
    assert (back.file.text, back.left) == (text("a", "BB"), (1,))
    later = undo(ledger, TWO, "y", 0.0).file
    assert later.text == text("a", "B")
    assert undo(later, ONE, "z", 0.0).file.text == text("a", "b")


def test_undos_are_returned_in_any_order() -> None:
    ledger = wrote(edited(text("a", "b"), text("a", "B")), text("a", "BB"), TWO, 0.0)
    back = undo(undo(ledger, TWO, "x", 0.0).file, ONE, "y", 0.0).file
    assert back.text == text("a", "b")
    for order in ("xy", "yx"):
        again = back
        for batch in order:
            again = redo(again, batch).file
        assert told(again) == told(ledger)
    assert undo(again, TWO, "z", 0.0).file.text == text("a", "B")


def test_where_the_user_has_changed_what_came_back_a_redo_leaves_it() -> None:
    back = undo(edited(text("a", "b"), text("a", "B")), ONE, "x", 0.0).file
    mine = saw(back, text("a", "bb"), 0)
    assert shape(mine) == []
    again = redo(mine, "x")
    assert (again.file.text, again.left) == (text("a", "bb"), (1,))


def test_undoing_the_undo_in_the_editor_makes_the_hunk_pending() -> None:
    after = text("a", "B")
    back = undo(edited(text("a", "b"), after), ONE, "x", 0.0).file
    assert shape(saw(back, after, 0)) == [(1, "b", "B")]


def test_a_file_that_came_goes_again_and_comes_back() -> None:
    ledger = edited(None, text("a", "b"))
    assert [(it.whole, it.added) for it in changes(ledger)] == [("created", ("a\n", "b\n"))]
    assert reject(ledger, 0.0).file.text is None
    back = undo(ledger, ONE, "x", 0.0).file
    assert back.text is None
    assert redo(back, "x").file.text == text("a", "b")


def test_a_file_that_came_stays_while_a_line_of_the_user_is_in_it() -> None:
    ledger = saw(edited(None, text("a", "b")), text("a", "b", "mine"), 0)
    assert reject(ledger, 0.0).file.text == text("mine")
    assert undo(ledger, ONE, "x", 0.0).file.text == text("mine")


def test_an_empty_file_that_came_is_a_hunk() -> None:
    ledger = edited(None, "")
    assert [it.whole for it in changes(ledger)] == ["created"]
    assert reject(ledger, 0.0, range(0, 1)).file.text is None
    assert shape(keep(ledger, range(0, 1)).file) == []


def test_a_part_of_a_new_file_can_be_kept_and_the_rest_rejected() -> None:
    ledger = keep(edited(None, text("a", "b", "c")), range(0, 1)).file
    rejected = reject(ledger, 0.0).file
    assert rejected.text == text("a")
    assert shape(rejected) == []


def test_a_file_that_went_comes_back() -> None:
    ledger = edited(text("a", "b"), None)
    assert [(it.whole, it.removed) for it in changes(ledger)] == [("deleted", ("a\n", "b\n"))]
    assert reject(ledger, 0.0).file.text == text("a", "b")
    assert undo(ledger, ONE, "x", 0.0).file.text == text("a", "b")


def test_each_line_tells_who_wrote_it() -> None:
    ledger = wrote(edited(text("a", "b"), text("a", "B", "x")), text("a", "B", "y"), TWO, 0.0)
    ledger = saw(ledger, text("u", "a", "B", "y"), 0)
    deltas = [origin(ledger, row) for row in range(5)]
    assert [delta and delta.author for delta in deltas] == [None, None, ONE, TWO, None]


def test_the_turns_that_have_something_to_take_back() -> None:
    ledger = wrote(edited(text("a", "b"), text("a", "B")), text("a", "B", "c"), TWO, 0.0)
    assert turns(ledger) == (ONE.turn_key, TWO.turn_key)
    assert turns(undo(ledger, ONE, "x", 0.0).file) == (TWO.turn_key,)


def test_line_ends_are_lines_own_and_a_last_line_needs_none() -> None:
    ledger = edited("a\r\nb", "a\r\nb\r\n")
    assert reject(ledger, 0.0).file.text == "a\r\nb"
    assert reject(edited("\ufeffa\rb\r", "\ufeffa\rB\r"), 0.0).file.text == "\ufeffa\rb\r"


def test_a_last_line_without_an_end_gets_one_where_others_come_below_it() -> None:
    ledger = edited("a\r\nb", "a\r\nb\r\nc\r\nd")
    assert reject(ledger, 0.0, range(1, 2)).file.text == "a\r\nb\r\nc\r\nd"
    mine = saw(edited("a\nb", "a\nb\nc\n"), "a\nb\nc\nmine\n", 0)
    back = undo(mine, ONE, "x", 0.0).file
    assert back.text == "a\nb\nmine"  # that no line end is at the end is the file's
    assert redo(back, "x").file.text == mine.text


def test_a_line_of_the_user_that_goes_with_the_agents_is_just_gone() -> None:
    base = text("a", "b")
    mine = saw(edited(base, text("x", "a", "B")), text("mine", "x", "a", "B"), 0)
    assert shape(saw(mine, base, 0)) == []
    assert shape(saw(mine, text("a", "B"), 0)) == [(1, "b", "B")]


def test_above_and_below_the_last_line_one_hunk_is_meant_at_a_time() -> None:
    ledger = edited(text("a", "b", "c", "d"), text("a", "c"))
    assert shape(ledger) == [(1, "b", ""), (2, "d", "")]
    one = reject(ledger, 0.0, range(1, 2))
    assert (one.count, one.file.text) == (1, text("a", "b", "c"))
    other = reject(one.file, 0.0, range(2, 3))
    assert (other.count, other.file.text) == (1, text("a", "b", "c", "d"))
    assert reject(ledger, 0.0, range(2, 3)).file.text == text("a", "c", "d")


def test_what_was_kept_as_gone_is_new_where_the_same_turn_brings_it_back() -> None:
    kept = keep(edited(text("a", "b"), text("a"))).file
    again = wrote(kept, text("a", "b", "c"), ONE, 0.0)
    assert shape(again) == [(1, "", "b|c")]
    assert reject(again, 0.0).file.text == text("a")


def test_an_agents_line_that_the_user_moves_is_still_the_agents() -> None:
    ledger = edited(text("a", "b", "c"), text("a", "b", "x", "c"))
    moved = saw(ledger, text("x", "a", "b", "c"), 0)
    assert shape(moved) == [(0, "", "x")]
    assert origin(moved, 0) is not None
    assert shape(saw(moved, text("a", "b", "x", "c"), 0)) == [(2, "", "x")]
    assert undo(moved, ONE, "x", 0.0).file.text == text("a", "b", "c")


def test_a_redo_that_finds_nothing_lets_the_older_one_through() -> None:
    both = wrote(edited(text("a", "b"), text("a", "B")), text("a", "B", "c"), TWO, 0.0)
    back = undo(undo(both, ONE, "old", 0.0).file, TWO, "new", 1.0).file
    again = saw(back, text("a", "b", "c"), 0)  # the user has written that line anew
    idle = redo(again, "new")
    assert (idle.count, idle.left) == (0, ())
    assert [delta.batch for delta in undone(idle.file)] == ["old"]


def test_of_a_place_that_the_user_has_gone_on_in_all_else_is_taken_back() -> None:
    ledger = edited(text("a", "b", "c", "d"), text("A", "B", "C", "D"))
    ledger = saw(ledger, text("A", "B", "mine", "D"), 0)
    back = undo(ledger, ONE, "x", 0.0)
    assert (back.file.text, back.left) == (text("a", "b", "mine", "d"), (2,))
    assert turns(back.file) == ()
    assert told(redo(back.file, "x").file) == told(ledger)


def test_a_turn_that_was_taken_back_does_not_come_again_with_the_next() -> None:
    ledger = wrote(edited(text("a", "b"), text("a", "B")), text("a", "BB"), TWO, 0.0)
    first = undo(ledger, ONE, "x", 0.0)
    assert (first.file.text, first.left, turns(first.file)) == (
        text("a", "BB"),
        (1,),
        (TWO.turn_key,),
    )
    both = undo(first.file, TWO, "y", 0.0).file
    assert (both.text, turns(both)) == (text("a", "b"), ())
    assert told(redo(both, "y").file) == told(first.file)


def test_a_file_that_stayed_for_another_turn_goes_with_that() -> None:
    ledger = wrote(edited(None, text("a")), text("a", "b"), TWO, 0.0)
    first = undo(ledger, ONE, "x", 0.0).file
    assert (first.text, turns(first)) == (text("b"), (TWO.turn_key,))
    assert undo(first, TWO, "y", 0.0).file.text is None


def test_the_users_line_end_does_not_make_an_agents_line_the_users() -> None:
    ended = saw(edited("a", "a\nB"), "a\nB\n", 0)  # 'fixendofline'
    assert origin(ended, 1) is not None
    assert undo(ended, ONE, "x", 0.0).file.text == "a\n"
    assert undo(saw(edited("a\n", "a\nB"), "a\nB\n", 0), ONE, "x", 0.0).file.text == "a\n"
    dos = saw(edited(text("a", "b"), text("a", "B", "c")), "a\r\nB\r\nc\r\n", 0)
    assert shape(dos) == [(1, "b\r", "B\r|c\r")]
    assert undo(dos, ONE, "x", 0.0).file.text == "a\r\nb\r\n"


def test_a_line_below_the_last_one_leaves_that_as_it_is() -> None:
    ledger = edited("a\nb", "a\nb\nc\n")
    assert shape(ledger) == [(2, "last line: no end → ended", ""), (2, "", "c")]
    mine = saw(ledger, "a\nb!\nc\n", 0)
    assert undo(mine, ONE, "x", 0.0).file.text == "a\nb!"


ENDED = (1, "last line: no end → ended", "")


def test_an_agents_line_end_is_undone_by_hand_and_returned() -> None:
    ledger = edited("a\nb", "a\nb\n")
    back = saw(ledger, "a\nb", 0)
    assert (shape(ledger), shape(back)) == ([ENDED], [])
    assert shape(saw(back, "a\nb\n", 0)) == [ENDED]
    assert undo(ledger, ONE, "x", 0.0).file.text == "a\nb"


def test_a_block_of_an_agents_that_the_user_moves_is_moved_with_its_empty_lines() -> None:
    ledger = edited(text("a", "b", "c"), text("a", "b", "c", "x", "", "x", "y"))
    moved = saw(ledger, text("x", "", "x", "y", "a", "b", "c"), 0)
    assert undo(moved, ONE, "x", 0.0).file.text == text("a", "b", "c")


SUPPOSED = replace(ONE, how="found")


def rest(ledger: File) -> File:
    """Return the ledger after the user has said that what was only found goes, too."""
    return undo(redo(ledger, "x").file, ONE, "x", 0.0).file


def test_lines_that_were_only_found_stay_until_the_user_has_said_so() -> None:
    base, made = text("a", "b", "c"), text("a", "B", "c", "found")
    ledger = wrote(edited(base, text("a", "B", "c")), made, SUPPOSED, 0.0)
    back = undo(ledger, ONE, "x", 0.0, found=False)
    assert (back.file.text, back.left, back.doubtful) == (text("a", "b", "c", "found"), (), True)
    whole = rest(back.file)
    assert whole.text == base
    assert [delta.batch for delta in undone(whole)] == ["x"]
    again = redo(whole, "x").file
    assert (told(again), undone(again)) == (told(ledger), ())


def test_what_was_named_upon_what_was_found_goes_with_it_and_alone() -> None:
    found = edited(text("a", "b", "c"), text("a", "found", "c"), SUPPOSED)
    ledger = wrote(found, text("a", "named", "c"), ONE, 0.0)
    back = undo(ledger, ONE, "x", 0.0, found=False).file
    assert back.text == found.text
    assert rest(back).text == text("a", "b", "c")
    assert told(redo(rest(back), "x").file) == told(ledger)


def test_what_was_found_upon_what_was_named_keeps_the_place() -> None:
    named = edited(text("a", "b", "c"), text("a", "named", "c"))
    ledger = wrote(named, text("a", "found", "c"), SUPPOSED, 0.0)
    back = undo(ledger, ONE, "x", 0.0, found=False)
    assert (told(back.file)[0], back.left, back.doubtful) == (ledger.text, (), True)
    assert rest(back.file).text == text("a", "b", "c")


def test_a_found_line_that_another_has_replaced_comes_back_when_only_the_sure_was_undone() -> None:
    base = text("a", "b")
    found = edited(base, text("a", "b", "the user's"), SUPPOSED)
    ledger = wrote(
        wrote(found, text("a", "b", "two's"), TWO, 0.0), text("n", "a", "b", "two's"), ONE, 0.0
    )
    first = undo(ledger, ONE, "x", 0.0, found=False).file
    assert first.text == text("a", "b", "two's")
    second = undo(first, TWO, "y", 0.0, found=False).file
    assert second.text == found.text
    assert undo(second, ONE, "z", 0.0, found=False).doubtful
    asked = undo(ledger, ONE, "x", 0.0).file
    assert undo(asked, TWO, "y", 0.0).file.text == base


def test_a_file_that_was_only_found_new_or_gone_stays_so() -> None:
    new = undo(edited(None, text("a"), SUPPOSED), ONE, "x", 0.0, found=False)
    assert (new.file.text, new.count, new.doubtful) == (text("a"), 0, True)
    assert rest(new.file).text is None
    gone = undo(edited(text("a"), None, SUPPOSED), ONE, "x", 0.0, found=False)
    assert (gone.file.text, gone.count, gone.missing, gone.doubtful) == (None, 0, False, True)
    assert rest(gone.file).text == text("a")


def test_lines_that_were_only_found_gone_stay_gone_until_the_user_has_said_so() -> None:
    base, made = text("a", "b", "c", "d"), text("a", "d")
    ledger = wrote(edited(base, text("a", "c", "d")), made, SUPPOSED, 0.0)
    back = undo(ledger, ONE, "x", 0.0, found=False)
    assert (back.file.text, back.left, back.doubtful) == (text("a", "b", "d"), (), True)
    assert rest(back.file).text == base
    assert told(redo(rest(back.file), "x").file) == told(ledger)


def test_a_file_that_was_found_gone_with_named_lines_in_it_is_asked_about() -> None:
    ledger = wrote(edited(text("a", "b"), text("a", "B")), None, SUPPOSED, 0.0)
    back = undo(ledger, ONE, "x", 0.0, found=False)
    assert (back.file.text, back.missing, back.doubtful) == (None, False, True)
    assert rest(back.file).text == text("a", "b")


def test_a_hunk_with_lines_that_were_only_found_can_be_left_out_of_a_rejection() -> None:
    ledger = edited(text("a", "b", "c", "d"), text("a", "B", "c"))
    ledger = wrote(ledger, text("new", "a", "B", "c"), SUPPOSED, 0.0)
    assert [it.is_found for it in changes(ledger)] == [True, False, False]
    decided = reject(ledger, 0.0, found=False)
    assert (decided.count, decided.file.text) == (2, text("new", "a", "b", "c", "d"))
    assert reject(decided.file, 0.0).file.text == text("a", "b", "c", "d")
    only_gone = edited(text("a", "b"), text("a"), SUPPOSED)
    assert reject(only_gone, 0.0, found=False).count == 0
    assert reject(only_gone, 0.0).file.text == text("a", "b")


def test_an_undo_that_was_returned_before_another_one_took_its_lines_is_returned_alone() -> None:
    ledger = wrote(edited("a\nb\n", "a\nc\nb\n"), "top\na\nC\nB\n", TWO, 0.0)
    back = undo(ledger, TWO, "x", 0.0).file
    open_ended = wrote(back, "a\nc\nb", ONE, 0.0)
    half = redo(open_ended, "x").file
    assert half.text == "top\na\nC\nB"
    assert redo(undo(half, ONE, "y", 0.0).file, "y").file.text == half.text


def test_what_is_typed_below_a_line_stands_below_it_with_each_of_its_ends() -> None:
    back = undo(edited("a\nb\n", "a\nb"), ONE, "x", 0.0).file
    typed = saw(wrote(back, "new\na\nb\n", ONE, 0.0), "new\na\nb\nmine\n", 0.0)
    assert redo(typed, "x").file.text == "new\na\nb\nmine"


@pytest.mark.parametrize("after", ["z\nb\n", "b\n", "", None])
def test_an_undo_is_redone_after_another_turn_was_undone(
    after: str | None,
) -> None:
    undone_once = undo(edited("a\nb\n", "a 1\nb\n"), ONE, "one", 0.0).file
    undone_twice = undo(wrote(undone_once, after, TWO, 0.0), TWO, "two", 0.0).file
    assert undone_twice.text == "a\nb\n"
    redone = redo(undone_twice, "one")
    assert (redone.file.text, redone.left) == ("a 1\nb\n", ())


def test_an_undo_is_returned_beside_lines_that_another_turn_had_taken_out_since() -> None:
    undone_once = undo(edited("a\nb\nc\n", "a 1\nb\nc\n"), ONE, "one", 0.0).file
    ledger = undo(wrote(undone_once, "a\nb\nz\n", TWO, 0.0), TWO, "two", 0.0).file
    assert redo(ledger, "one").file.text == "a 1\nb\nc\n"


@pytest.mark.parametrize(
    "now",
    [
        text("a", "b", "c", "mine"),
        text("mine", "a", "b", "c"),
        text("a", "mine", "c"),
    ],
)
def test_a_file_that_the_user_brings_back_has_the_users_new_lines(now: str) -> None:
    ledger = saw(edited(text("a", "b", "c"), None), now, 0.0)
    assert ledger.text == now
    assert all("mine" not in it.added for it in changes(ledger))
    assert "mine\n" in (reject(ledger, 0.0).file.text or "")
    row = now.splitlines().index("mine")
    assert origin(ledger, row) is None


def test_what_the_user_changes_in_a_file_that_is_back_is_not_returned_by_undo() -> None:
    ledger = saw(edited(text("a", "b", "c", "d"), None), text("a", "B", "c", "d", "mine"), 0.0)
    assert shape(ledger) == []
    assert undo(ledger, ONE, "undo", 0.0).file.text == text("a", "B", "c", "d", "mine")
