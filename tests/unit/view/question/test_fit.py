"""What of a question is shown in a window of any size, and where."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.view.block import Conceal, Highlight, Line, LineHighlight
from acp_nvim.view.question.fit import fit
from acp_nvim.view.question.menu import FormRow, Menu
from acp_nvim.view.question.place import Area, Form, Look, forms, overlap
from acp_nvim.view.question.rows import ALONE, Cells, Row, Rows
from acp_nvim.view.styled import after, before


def menu(body: list[str], **more: object) -> Menu:
    known: dict[str, object] = {
        "options": tuple(map(Line, ("✓ 1. Allow once", "✗ 2. Reject once"))),
        "option_ids": ("yes", "no"),
        "option_kinds": ("allow_once", "reject_once"),
        "kind": "permission",
        "head": (Line("Run the tests"),),
    }
    return Menu("1", "s", " tutor asks ", body=tuple(map(Line, body)), **(known | more))  # type: ignore[arg-type]


def known() -> Cells:
    """Return what is known of the signs that stand alone: one cell each."""
    cells = Cells()
    cells.learn(ALONE, [(it, 1) for it in ALONE])
    return cells


def wide(*texts: str) -> Cells:
    """Return the same, with texts each of whose letters has two cells."""
    cells = known()
    for text in texts:
        cells.learn(text, [(it, 2) for it in text])
    return cells


def texts(rows: list[Row] | tuple[Row, ...]) -> list[str]:
    return [it.text for it in rows]


def test_a_row_is_broken_at_a_late_blank_else_where_it_is_full() -> None:
    rows = Rows(known(), 10)
    assert texts(rows.of_line(Line("abcdefg hijk"))) == ["abcdefg ", "hijk"]
    assert texts(rows.of_line(Line("ab cdefghijk"))) == ["ab cdefghi", "jk"]
    assert texts(rows.of_line(Line("a\tb\tcde"))) == ["a\tb\tcd", "e"]
    assert texts(Rows(wide("世界世界"), 5).of_line(Line("世界世界"))) == ["世界", "世界"]


@given(st.text("ab \t", max_size=60), st.integers(1, 12), st.integers(0, 4))
def test_letters_are_broken_as_all_texts_are(text: str, width: int, hang: int) -> None:
    """Those of one cell each are cut without looking at each of them."""
    hang, plain = min(hang, width // 3), text.replace("\t", "x")
    cells = known()
    slow = cells.broken(plain.replace("x", "é"), width, hang)
    assert [it.replace("é", "x") for it in slow] == cells.broken(plain, width, hang)
    assert "".join(cells.broken(text, width, hang)) == text


def test_marks_go_along_with_their_rows() -> None:
    line = Line("abcdéf", (Highlight(2, 6, "A"), Conceal(0, 1), LineHighlight("B")))
    first, second = Rows(known(), 4).of_line(line)
    assert first.marks == (Highlight(2, 4, "A"), Conceal(0, 1), LineHighlight("B"))
    assert second.marks == (Highlight(0, 2, "A"), LineHighlight("B"))


def test_what_stands_before_a_line_stands_before_its_rows_and_what_is_behind_at_its_end() -> None:
    line = Line("abcdef", (before("+ ", "AcpDim"), after(" kind")))
    first, second, third = Rows(known(), 6).of_line(line)
    assert texts([first, second, third]) == ["abcd", "ef", ""]
    assert first.marks == (before("+ ", "AcpDim"),)
    assert second.marks == (before("  ", "AcpDim"),)
    assert third.marks == (after(" kind"),)


def test_further_rows_stand_in_as_far_as_the_words_do() -> None:
    rows = Rows(known(), 16).of_line(Line("✓ 1. Allow it for ever"))
    assert texts(rows) == ["✓ 1. Allow it ", "for ever"]
    assert rows[1].marks == (before("     ", "AcpFloat"),)


def test_only_what_is_not_known_is_asked_for() -> None:
    cells = Cells()
    assert [cells.of(it) for it in ("plain", "a\tb")] == [5, 6]
    assert not cells.missing
    cells.of("✓ é")
    assert list(cells.missing) == [ALONE]
    cells = known()
    assert cells.of("✓ é …") == 5
    assert not cells.missing
    assert cells.of("e\u0301世") == 3, "as well as one can guess"
    assert list(cells.missing) == ["e\u0301世"]
    cells.use("another")
    cells.begin()
    cells.of("✓")
    assert list(cells.missing) == [ALONE]


COMMANDS = st.lists(
    st.text(st.sampled_from("ab-/ é世e\u0301"), min_size=1, max_size=90), min_size=1, max_size=40
)


@given(COMMANDS, st.integers(4, 100), st.integers(1, 40), st.booleans())
def test_both_ends_of_a_command_are_there_in_any_window(
    body: list[str], width: int, room: int, is_inside: bool
) -> None:
    body = [f"BEGIN{body[0]}", *body[1:], f"{body[-1]}END"]
    made = fit(menu(body), cells := known(), width, room, is_inside=is_inside)
    shown = "".join(texts(made.rows))
    assert len(made.rows) <= room
    assert all(cells.of(it.text) <= width for it in made.rows)
    if width > 20 and room > 1:
        assert "BEGIN" in shown
        assert "END" in shown
    if made.level <= 3:
        assert "✗ 2. Reject once" in shown


@given(st.integers(5, 60), st.integers(3, 20))
def test_what_is_too_long_says_how_many_rows_are_missing(count: int, room: int) -> None:
    body = [f"echo {number}" for number in range(count)]
    made = fit(menu(body), known(), 40, room, is_inside=False)
    shown = [it for it in texts(made.rows) if it.startswith("echo")]
    gaps = [it for it in texts(made.rows) if it.startswith("… ") and "more" in it]
    assert gaps == [] or gaps[0].startswith(f"… {count - len(shown)} ")
    assert gaps or len(shown) == count or len(shown) < 2, "both ends of it are in two rows"


def test_return_acts_on_options_and_fields_only() -> None:
    made = fit(menu(["make", "test"], notes=(Line("! it"),)), known(), 40, 20, is_inside=True)
    acts = {it.text: it.item for it in made.rows if it.item >= 0}
    assert acts == {"make": 0, "test": 1, "✓ 1. Allow once": 2, "✗ 2. Reject once": 3}
    made = fit(menu([]), known(), 40, 20, is_inside=True)
    assert [it.item for it in made.rows] == [-1, -1, 0, 1], "a title that is all is no option"


def test_a_form_scrolls_below_its_question() -> None:
    fields = [f"Field {number}" for number in range(20)]
    view = menu(fields, kind="form", form=(FormRow(0, "text", 0),))
    made = fit(view, known(), 40, 8, is_inside=True)
    assert made.bar == "Run the tests"
    assert texts(made.rows) == [*fields, "✓ 1. Allow once", "✗ 2. Reject once"]
    form = placed(view, Look(Area(0, 0, 60, 10), "<Tab>", ""))[1]
    assert form.footers[0].startswith(" <CR> change · … 15 more below")
    assert form.footers[-1].startswith(" <CR> change · … 15 more above")
    assert len(form.footers) == 16


def placed(view: Menu, look: Look) -> tuple[Form, Form, Form, Area | None]:
    return forms(view, known(), look)


def area(form: Form) -> Area:
    border = 2 if form.title else 0
    return Area(form.row, form.column, form.width + border, form.height + border)


SIZES = st.tuples(st.integers(12, 120), st.integers(8, 50))


@given(SIZES, st.floats(0, 1), COMMANDS, st.booleans())
def test_no_form_lies_on_the_cursor_or_a_prompt_and_all_are_on_the_screen(
    size: tuple[int, int], where: float, body: list[str], is_away: bool
) -> None:
    columns, lines = size
    left = columns // 2
    prompt = Area(lines - 3, left, columns - left, 2)
    cursor = Area(int(where * (lines - 2)), 0, left - 1, 1)
    look = Look(
        *(Area(0, 0, columns, lines - 1), "<Tab>", "", Area(1, left, columns - left, lines - 4)),
        *((prompt,), cursor, is_away),
    )
    outside, inside, folded, clear = placed(menu(body), look)
    for form in (outside, inside, folded):
        assert form.width >= 1
        assert form.height >= 1
        assert area(form).row + form.height <= lines
        assert not overlap(area(form), prompt) or area(form).height > lines - 4
    assert not overlap(area(outside), cursor)
    if clear and not overlap(cursor, clear):
        other = Look(look.screen, look.way, "", look.chat, look.prompts, None, is_away)
        assert placed(menu(body), other)[:3] == (outside, inside, folded)


def test_the_title_says_which_of_several_and_the_footer_what_works() -> None:
    look = Look(Area(0, 0, 120, 40), ":Acp permit", "")
    view = menu(["make test"], position=(2, 3), comparable=1)
    outside, inside, folded, _ = placed(view, look)
    assert outside.title == " 2 of 3 · tutor asks "
    assert outside.footers == (" :Acp permit 1-2 answers ",)
    assert inside.footers == (" 1-2 · d diff · D all · q fold · ]q next ",)
    assert texts(folded.rows) == ["? Run the tests 2 of 3 · :Acp permit "]


def test_an_endless_line_is_judged_by_its_length() -> None:
    made = fit(menu(["é " * 9_000 + "END"] * 9), known(), 80, 12, is_inside=False)
    assert made.rows[-3].text.endswith("END")
    assert any(it.startswith("… 20") and "rows more" in it for it in texts(made.rows))
