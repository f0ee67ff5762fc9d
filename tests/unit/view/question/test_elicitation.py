from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.session.elicitation.form import Draft, checked, prefilled
from acp_nvim.session.elicitation.model import (
    ChoiceField,
    ChoicesField,
    Elicitation,
    Form,
    Link,
    NumberField,
    Option,
    TextField,
    UnsupportedField,
)
from acp_nvim.session.model import ElicitationQuestion
from acp_nvim.view.block import Highlight
from acp_nvim.view.question.elicitation import elicitation_menu
from acp_nvim.view.question.menu import Menu


def shown(form: Form, draft: Draft | None = None) -> Menu:
    return elicitation_menu(
        ElicitationQuestion("1", Elicitation("Hello", form)), draft or prefilled(form), agent="x"
    )


def rows(view: Menu) -> list[str]:
    return [line.text for line in view.lines]


def test_fields_hints_and_errors_stand_below_each_other() -> None:
    form = Form(
        (
            TextField(name="n", title="Name", required=True, minimum=2, maximum=9),
            NumberField(name="a", title="Age", integer=True, minimum=0, default=7),
        ),
        "You",
        "Tell us",
    )
    view = shown(form, checked(form, prefilled(form)))
    assert rows(view) == [
        "Hello",
        "You",
        "Tell us",
        "",
        "Name *:",
        "    required · 2 to 9 characters",
        "    an answer is required",
        "Age: 7",
        "    whole number · at least 0",
        "[accept]",
        "[decline]",
        "[cancel]",
    ]
    assert [(row.row, row.kind, row.field, row.text, row.action) for row in view.form] == [
        (3, "text", 0, "", ""),
        (6, "text", 1, "7", ""),
        (8, "action", -1, "", "accept"),
        (9, "action", -1, "", "decline"),
        (10, "action", -1, "", "cancel"),
    ]


def test_an_option_is_named_by_its_title() -> None:
    options = (Option("r", "Red", "like blood"), Option("g", "Green"))
    form = Form(
        (
            ChoiceField(name="one", title="One", options=options, default="g"),
            ChoicesField(name="some", title="Some", options=options, default=("r",)),
        )
    )
    view = shown(form)
    assert rows(view)[1:5] == ["One: Green", "Some:", "    [x] Red: like blood", "    [ ] Green"]
    assert view.form[0].choices == ("Red: like blood", "Green")
    assert [(row.field, row.option) for row in view.form[1:3]] == [(1, 0), (1, 1)]


@given(st.text(max_size=30))
def test_nothing_that_an_agent_writes_is_hidden(text: str) -> None:
    form = Form(
        (
            TextField(name="a", title=text, description=text, default=text, pattern=text),
            ChoicesField(name="b", title=text, options=(Option(text, text, text),)),
            UnsupportedField(name="c", title=text, type=text),
        ),
        text,
        text,
    )
    for wanted in (form, Link("l", text), Link("l", f"https://{text}@x.org/{text}")):
        draft = prefilled(wanted) if isinstance(wanted, Form) else Draft({}, {})
        view = elicitation_menu(
            ElicitationQuestion("1", Elicitation(text, wanted)), draft, agent=text
        )
        for line in (*view.lines, *(row.label for row in view.form), view.title):
            said = line if isinstance(line, str) else line.text
            assert "\n" not in said
            assert not [
                it for it in said if unicodedata.category(it) in ("Cc", "Cs") and it != "\t"
            ]
        for line in view.lines:
            size = len(line.text.encode())
            marks = [mark for mark in line.marks if isinstance(mark, Highlight)]
            assert all(0 <= mark.start < mark.end <= size for mark in marks)
