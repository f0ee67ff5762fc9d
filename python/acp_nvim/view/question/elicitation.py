"""What the menu of an elicitation shows: a security boundary, as the permission menu is.

Who asks is in its title, what an agent wrote is made visible, and nothing but the address of a link
is ever offered to be opened (C-297).
"""

from __future__ import annotations

from typing import TypeAlias, assert_never

from msgspec.structs import replace

from acp_nvim.session.elicitation.address import Address, judge, named_others
from acp_nvim.session.elicitation.form import Draft, Filled
from acp_nvim.session.elicitation.model import (
    BooleanField,
    ChoiceField,
    ChoicesField,
    Field,
    Form,
    Link,
    NumberField,
    Option,
    TextField,
    UnsupportedField,
)
from acp_nvim.session.model import ElicitationQuestion
from acp_nvim.view.block import BLANK, Line
from acp_nvim.view.question.menu import FormRow, Menu, digest
from acp_nvim.view.question.padding import gathered, shortened
from acp_nvim.view.styled import coloured, pieces
from acp_nvim.view.visible import one_line, visible

LABEL = 60
SHOWN = 200
HINT = 400
INDENT = "    "


_Row: TypeAlias = tuple[Line, FormRow | None]


def elicitation_menu(question: ElicitationQuestion, draft: Draft, *, agent: str) -> Menu:
    """Return the menu of an elicitation, with what is filled in so far (C-280, C-281)."""
    wanted, message = question.elicitation.wanted, question.elicitation.message
    is_form = isinstance(wanted, Form)
    page = _form(wanted, draft) if isinstance(wanted, Form) else _link(wanted.url, message)
    buttons = _buttons(wanted)
    rows = [(row, at) for at, (_, row) in enumerate((*page, *buttons)) if row is not None]
    return Menu(
        id=question.id,
        seen=digest(question.elicitation),
        title=f" {one_line(agent, 40)} asks ",
        kind="form" if is_form else "link",
        head=tuple(gathered(line for line, _ in _text(message, "AcpToolTitle"))),
        body=tuple(shortened(line) for line, _ in page),
        options=tuple(line for line, _ in buttons),
        form=tuple(replace(row, row=at) for row, at in rows),
    )


def _text(text: str, group: str, indent: str = "") -> list[_Row]:
    lines = visible(text).strip("\n").split("\n")
    return [(coloured(indent + line, group), None) for line in lines]


def _button(text: str, group: str, action: str) -> _Row:
    return coloured(f"[{text}]", group), FormRow(-1, "action", action=action)


# --- forms


def _form(form: Form, draft: Draft) -> list[_Row]:
    about = [text for text in (form.title, form.description) if text]
    page = [row for text in about for row in _text(text, "AcpDim")]
    page += [(BLANK, None)] if page else []
    for number, field in enumerate(form.fields):
        page += _field(field, number, draft.filled.get(field.name))
        page += _text(_hint(field), "AcpDim", INDENT) if _hint(field) else []
        if problem := draft.errors.get(field.name):
            page += _text(problem, "AcpError", INDENT)
    return page


def _buttons(wanted: Form | Link) -> list[_Row]:
    """Return the answers, of which what cannot be accepted lacks one (C-290)."""
    answers = [
        _button("decline", "AcpReject", "decline"),
        _button("cancel", "AcpNeutral", "cancel"),
    ]
    if isinstance(wanted, Link):
        address = judge(wanted.url)
        if address.refusal:
            return answers
        host = one_line(address.host, SHOWN)
        return [_button(f"open {host} in the browser", "AcpAllow", "accept"), *answers]
    if any(isinstance(field, UnsupportedField) and field.required for field in wanted.fields):
        return answers
    return [_button("accept", "AcpAllow", "accept"), *answers]


def _field(field: Field, number: int, filled: Filled) -> list[_Row]:
    label = one_line(field.title, LABEL) + (" *" if field.required else "")
    match field:
        case TextField() | NumberField():
            text = filled if isinstance(filled, str) else ""
            row = FormRow(-1, "text", number, label=label, text=text)
            return [(_labelled(label, one_line(text, SHOWN)), row)]
        case BooleanField():
            row = FormRow(-1, "toggle", number, label=label)
            said = ("yes" if filled else "no") if isinstance(filled, bool) else ""
            return [(_labelled(label, said), row)]
        case ChoiceField():
            names = tuple(_option(option) for option in field.options)
            chosen = next((_option(it) for it in field.options if it.value == filled), "")
            row = FormRow(-1, "choice", number, label=label, choices=names)
            return [(_labelled(label, chosen), row)]
        case ChoicesField():
            taken = filled if isinstance(filled, tuple) else ()
            return [(_labelled(label, ""), None), *_items(field, number, taken)]
        case UnsupportedField():
            said = f"(of type {one_line(field.type, LABEL)}: cannot be filled in here)"
            return [(_labelled(label, said), None)]
    assert_never(field)


def _items(field: ChoicesField, number: int, taken: tuple[str, ...]) -> list[_Row]:
    return [
        (
            Line(f"{INDENT}[{'x' if option.value in taken else ' '}] {_option(option)}"),
            FormRow(-1, "toggle", number, position),
        )
        for position, option in enumerate(field.options)
    ]


def _labelled(label: str, text: str) -> Line:
    return pieces([(f"{label}:", "AcpFormLabel"), (f" {text}".rstrip(), "")])


def _option(option: Option) -> str:
    name = one_line(option.title, LABEL)
    return f"{name}: {one_line(option.description, SHOWN)}" if option.description else name


def _hint(field: Field) -> str:
    """Return what the agent says of the field, and its limits."""
    parts = [field.description or "", "required" if field.required else ""]
    match field:
        case TextField():
            parts += [_limits(field.minimum, field.maximum, "characters"), field.format or ""]
            parts += [f"matches {field.pattern}" if field.pattern else ""]
        case NumberField():
            parts += ["whole number" if field.integer else "number"]
            parts += [_limits(field.minimum, field.maximum, "")]
        case ChoicesField():
            parts += [_limits(field.minimum, field.maximum, "of them")]
    return one_line(" · ".join(part for part in parts if part), HINT)


def _limits(least: float | None, most: float | None, noun: str) -> str:
    if least is None and most is None:
        return ""
    if least is None:
        text = f"at most {most:g}"
    elif most is None:
        text = f"at least {least:g}"
    else:
        text = f"{least:g} to {most:g}"
    return f"{text} {noun}".rstrip()


# --- links


def _link(url: str, message: str) -> list[_Row]:
    """Return the whole address with its host before it, and what to beware of (C-293, C-296)."""
    address = judge(url)
    if address.refusal:
        said = f"This address is not opened: {address.refusal}"
        return [*_text(said, "AcpError"), (_url(address), None)]
    host = one_line(address.host, SHOWN)
    named = [f"the agent's words name another: {it}" for it in named_others(message, url)]
    warnings = [
        row for text in (*named, *address.warnings) for row in _text(f"! {text}", "AcpWarning")
    ]
    return [(coloured(f"Host: {host}", "AcpFormHost"), None), *warnings, (_url(address), None)]


def _url(address: Address) -> Line:
    url, start, end = address.url, address.start, address.end
    parts = ((url[:start], ""), (url[start:end], "AcpFormHost"), (url[end:], ""))
    return pieces((visible(text).replace("\n", "␊"), group) for text, group in parts)
