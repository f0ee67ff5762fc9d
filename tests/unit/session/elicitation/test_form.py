from __future__ import annotations

import pytest

from acp_nvim.session.elicitation.form import checked, content, fill, prefilled, toggle, written
from acp_nvim.session.elicitation.model import (
    BooleanField,
    ChoicesField,
    Form,
    NumberField,
    Option,
    TextField,
    UnsupportedField,
)

NAME = TextField(name="name", title="Name", required=True)
AGE = NumberField(name="age", title="Age", integer=True, minimum=0)
SIZE = NumberField(name="size", title="Size", default=1.5)
NEWS = BooleanField(name="news", title="News")
TAGS = ChoicesField(name="tags", title="Tags", options=(Option("a", "A"), Option("b", "B")))
FORM = Form((NAME, AGE, SIZE, NEWS, TAGS))


def test_a_draft_is_changed_by_making_another() -> None:
    first = prefilled(FORM)
    second = fill(first, NAME, "Jo")
    assert (first.filled["name"], second.filled["name"]) == (None, "Jo")
    assert content(FORM, second) == {"name": "Jo", "size": 1.5}


def test_an_error_goes_when_it_is_mended() -> None:
    draft = fill(prefilled(FORM), AGE, "-1")
    assert draft.errors == {"age": "it must be 0 or more"}
    assert fill(draft, AGE, "1").errors == {}
    assert checked(FORM, draft).errors.keys() == {"age", "name"}


def test_options_keep_the_agents_order() -> None:
    draft = toggle(toggle(prefilled(FORM), TAGS, "b"), TAGS, "a")
    assert draft.filled["tags"] == ("a", "b")
    assert toggle(draft, TAGS, "b").filled["tags"] == ("a",)


def test_what_a_script_writes_is_judged_alike() -> None:
    draft = written(FORM, {"name": "Jo", "age": 3.0, "news": True, "tags": ["b"]})
    assert not draft.errors
    assert content(FORM, draft) == {"name": "Jo", "age": 3, "news": True, "tags": ("b",)}
    bad = written(FORM, {"name": 5, "age": True, "news": 1, "tags": "b", "other": 1})
    assert bad.errors.keys() == {"age", "news", "tags", "other"}


@pytest.mark.parametrize("required", [True, False])
def test_an_unsupported_field_is_never_sent(required: bool) -> None:
    field = UnsupportedField(name="x", title="x", type="_x", required=required)
    draft = written(Form((field,)), {"x": "y"})
    assert bool(draft.errors) == required
    assert content(Form((field,)), draft) == {}


def test_answers_are_in_no_repr() -> None:
    assert "secret" not in repr(fill(prefilled(FORM), NAME, "secret"))
