"""What an elicitation takes of the user: the fields of its form, or that its link is opened.

Pure. Nothing is accepted that its schema forbids (C-285). Called by `questions` only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acp_nvim.session.elicitation import form
from acp_nvim.session.elicitation.address import judge
from acp_nvim.session.elicitation.form import Draft
from acp_nvim.session.elicitation.model import BooleanField, ChoicesField, Field, Form, Link
from acp_nvim.session.request import ElicitationAnswer


def filled(wanted: Form, draft: Draft, number: int, value: str | int | None) -> Draft | None:
    """Return the draft with another value in the field of that number, None if that cannot be.

    The value is a text, the number of an option, or None for empty; a yes-or-no is turned over, and
    so is an option of which there may be several.
    """
    if not 0 <= number < len(wanted.fields):
        return None
    field = wanted.fields[number]
    options = _options(field)
    if isinstance(value, int) and not 0 <= value < len(options):
        return None
    if isinstance(field, BooleanField):
        return form.fill(draft, field, not draft.filled.get(field.name))
    text = options[value] if isinstance(value, int) else value
    if isinstance(field, ChoicesField) and isinstance(value, int):
        return form.toggle(draft, field, options[value])
    return form.fill(draft, field, text)


def accepted(
    wanted: Form | Link, draft: Draft, content: Mapping[str, Any] | None
) -> ElicitationAnswer | Draft | None:
    """Return the answer, the draft with what is wrong with it, or None for a refused link.

    A link that is not to be opened is not accepted (C-304). A form is accepted with `content`, or
    with what the user has filled in.
    """
    if isinstance(wanted, Link):
        return None if judge(wanted.url).refusal else ElicitationAnswer("accept")
    said = form.checked(wanted, draft) if content is None else form.written(wanted, content)
    if said.errors:
        return Draft(draft.filled, said.errors)
    return ElicitationAnswer("accept", form.content(wanted, said))


def _options(field: Field) -> tuple[str, ...]:
    return tuple(option.value for option in getattr(field, "options", ()))
