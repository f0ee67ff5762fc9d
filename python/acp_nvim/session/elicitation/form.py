"""What the user has filled into a form so far, and whether it may be sent (v1/elicitation).

Pure: an edit gives a new draft. A draft is the one place where answers are; it is never logged,
never stored, and gone with its question (C-303). Used by `questions.questions` and the view.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, TypeAlias, assert_never

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.patterns import lazy_pattern
from acp_nvim.session.elicitation.model import (
    BooleanField,
    ChoiceField,
    ChoicesField,
    Field,
    Form,
    NumberField,
    TextField,
    UnsupportedField,
    Value,
)

Filled: TypeAlias = str | bool | tuple[str, ...] | None
"""What stands in a field: a number as the text that was typed; None: nothing yet."""

LARGEST_INTEGER = 2**63 - 1
_WHOLE = lazy_pattern(r"[+-]?\d{1,19}", re.ASCII)
_EMAIL = lazy_pattern(r"[^@\s]+@[^@\s]+")
_URI = lazy_pattern(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")
_DATE = lazy_pattern(r"\d{4}-\d\d-\d\d", re.ASCII)
_DATE_TIME = lazy_pattern(
    r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)


class Draft(Struct, frozen=True):
    """What stands in the fields, by name, and what is wrong with it, a sentence each."""

    filled: Mapping[str, Filled]
    errors: Mapping[str, str]

    def __repr__(self) -> str:
        return "Draft()"


def prefilled(form: Form) -> Draft:
    """Return the draft with the agent's defaults (C-284)."""
    return Draft({field.name: _default(field) for field in form.fields}, {})


def _default(field: Field) -> Filled:
    match field:
        case NumberField(default=number):
            return None if number is None else _number_text(number)
        case ChoiceField(default=value, options=options):
            return value if value in {option.value for option in options} else None
        case ChoicesField(default=values, options=options):
            return tuple(option.value for option in options if option.value in values)
        case UnsupportedField():
            return None
        case _:
            return field.default


def _number_text(number: float) -> str:
    return str(int(number)) if float(number).is_integer() and abs(number) < 1e15 else repr(number)


def fill(draft: Draft, field: Field, filled: Filled) -> Draft:
    """Return the draft with that in the field, judged at once."""
    errors = {name: text for name, text in draft.errors.items() if name != field.name}
    if problem := check(field, filled):
        errors[field.name] = problem
    return Draft({**draft.filled, field.name: filled}, errors)


def toggle(draft: Draft, field: ChoicesField, value: str) -> Draft:
    """Return the draft with that option taken, or given back; the agent's order is kept."""
    now = draft.filled.get(field.name)
    taken = set(now if isinstance(now, tuple) else ()) ^ {value}
    return fill(draft, field, tuple(it.value for it in field.options if it.value in taken))


def checked(form: Form, draft: Draft) -> Draft:
    """Return the draft with all that is wrong with it."""
    found = {field.name: check(field, draft.filled.get(field.name)) for field in form.fields}
    return replace(draft, errors={name: text for name, text in found.items() if text})


def written(form: Form, content: Mapping[str, Any]) -> Draft:
    """Return the draft that a script's plain content is: judged, and with no default in it."""
    names = {field.name for field in form.fields}
    filled = {field.name: _plain(field, content.get(field.name)) for field in form.fields}
    draft = checked(form, Draft(filled, {}))
    odd = {name: "there is no such field" for name in content if name not in names}
    return replace(draft, errors={**draft.errors, **odd})


def _plain(field: Field, value: Any) -> Filled:
    if isinstance(value, bool):
        return value if isinstance(field, BooleanField) else str(value)
    if isinstance(value, int | float):
        return _number_text(value) if isinstance(field, NumberField) else str(value)
    if isinstance(value, list | tuple):
        return tuple(str(item) for item in value)
    return value if value is None or isinstance(value, str) else str(value)


def content(form: Form, draft: Draft) -> dict[str, Value]:
    """Return the answers of a draft without errors; what is empty is left out (C-286, C-287)."""
    values = {field.name: _value(field, draft.filled.get(field.name)) for field in form.fields}
    return {name: value for name, value in values.items() if value is not None}


def _value(field: Field, filled: Filled) -> Value | None:
    if isinstance(field, UnsupportedField) or _is_empty(field, filled):
        return None
    if isinstance(field, NumberField):
        return int(str(filled)) if field.integer else float(str(filled))
    return filled


def _is_empty(field: Field, filled: Filled) -> bool:
    """Say whether nothing is there: False is something, "" and an empty choice are not."""
    blank = isinstance(field, NumberField) and not str(filled).strip()
    return filled is None or filled in ("", ()) or blank


def check(field: Field, filled: Filled) -> str | None:
    """Return what is wrong with it as a sentence for the user, None if nothing is (C-285)."""
    if isinstance(field, UnsupportedField):
        return f"a field of type {field.type!r} cannot be filled in" if field.required else None
    if _is_empty(field, filled):
        return "an answer is required" if field.required else None
    match field:
        case TextField():
            return _check_text(field, str(filled))
        case NumberField():
            return _check_number(field, str(filled).strip())
        case BooleanField():
            return None if isinstance(filled, bool) else "it must be yes or no"
        case ChoiceField(options=options):
            known = {option.value for option in options}
            return None if filled in known else "it must be one of the options"
        case ChoicesField():
            return _check_choices(field, filled)
    assert_never(field)


def _check_text(field: TextField, text: str) -> str | None:
    if field.minimum is not None and len(text) < field.minimum:
        return f"it must have {field.minimum} characters or more, not {len(text)}"
    if field.maximum is not None and len(text) > field.maximum:
        return f"it must have {field.maximum} characters or less, not {len(text)}"
    if field.pattern is not None and matches(field.pattern, text) is False:
        return f"it must match {field.pattern}"
    return _check_format(field.format, text)


def _check_format(name: str | None, text: str) -> str | None:
    match name:
        case "email" if not _EMAIL.fullmatch(text):
            return "it must be an email address, such as you@example.com"
        case "uri" if not _URI.fullmatch(text):
            return "it must be a whole address, such as https://example.com"
        case "date" if not _is_date(text):
            return "it must be a date, such as 2026-01-31"
        case "date-time" if not _is_date_time(text):
            return "it must be date and time, such as 2026-01-31T12:00:00Z"
    return None


def _is_date(text: str) -> bool:
    try:
        return bool(_DATE.fullmatch(text) and date.fromisoformat(text))
    except ValueError:
        return False


def _is_date_time(text: str) -> bool:
    try:
        return bool(_DATE_TIME.fullmatch(text) and datetime.fromisoformat(text.upper()))
    except ValueError:
        return False


def _check_number(field: NumberField, text: str) -> str | None:
    if field.integer and not (_WHOLE.fullmatch(text) and abs(int(text)) <= LARGEST_INTEGER):
        return "it must be a whole number"
    try:
        number = int(text) if field.integer else float(text)
    except ValueError:
        return "it must be a number"
    if not math.isfinite(number):
        return "it must be a number"
    if field.minimum is not None and number < field.minimum:
        return f"it must be {_number_text(field.minimum)} or more"
    if field.maximum is not None and number > field.maximum:
        return f"it must be {_number_text(field.maximum)} or less"
    return None


def _check_choices(field: ChoicesField, filled: Filled) -> str | None:
    if not isinstance(filled, tuple) or set(filled) - {it.value for it in field.options}:
        return "it must be some of the options"
    if field.minimum is not None and len(filled) < field.minimum:
        return f"choose {field.minimum} or more"
    if field.maximum is not None and len(filled) > field.maximum:
        return f"choose {field.maximum} or less"
    return None


LONGEST_PATTERN = 1_000
MOST_WAYS = 1_000_000
"""Through a pattern, from all places of the text, before it is not checked."""

_LOOP = lazy_pattern(r"[*+]|\{\d*,")
"""May take any number of the characters."""
_FORK = lazy_pattern(r"[?|]")
"""Doubles the ways, if it is in no loop."""
_NOT_ASKED = lazy_pattern(r"\)[*+{]|\(\?[^:]|\\[\dkpP]")
"""A loop of a group, in which ways multiply; look-around, names, back references, properties."""


def matches(pattern: str, text: str) -> bool | None:
    """Tell whether the pattern matches anywhere in the text; None: that is not told here."""
    loops, forks = len(_LOOP.findall(pattern)), len(_FORK.findall(pattern))
    if len(pattern) > LONGEST_PATTERN or _NOT_ASKED.search(pattern):
        return None
    if (len(text) + 1) ** (loops + 1) * 2**forks > MOST_WAYS:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # "[[" means just that here
            # ASCII, because ECMAScript's `\d` and `\w` are
            return re.search(pattern, text, re.ASCII) is not None
    except (re.error, OverflowError, RecursionError):
        return None
