"""What an agent may want to know of the user, as values: a form or a link (v1/elicitation).

Only the questions; what the user has filled in is a `form.Draft` and is never part of a session.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

Value: TypeAlias = str | int | float | bool | tuple[str, ...]
"""An answer, of the JSON type that its field wants (schema ElicitationContentValue)."""


class Option(Struct, frozen=True):
    """One value of an enum, and what to call it."""

    value: str
    title: str
    description: str | None = None


class _Named(Struct, frozen=True, kw_only=True):
    name: str
    title: str
    description: str | None = None
    required: bool = False


class TextField(_Named, frozen=True, kw_only=True):
    """A string; an unknown `format` is only said, not checked (C-289)."""

    minimum: int | None = None
    maximum: int | None = None
    pattern: str | None = None
    format: str | None = None
    default: str | None = None


class NumberField(_Named, frozen=True, kw_only=True):
    """A number, or an integer."""

    integer: bool = False
    minimum: float | None = None
    maximum: float | None = None
    default: float | None = None


class BooleanField(_Named, frozen=True, kw_only=True):
    """Yes or no; without a default it is neither until the user says so."""

    default: bool | None = None


class ChoiceField(_Named, frozen=True, kw_only=True):
    """One of the options."""

    options: tuple[Option, ...]
    default: str | None = None


class ChoicesField(_Named, frozen=True, kw_only=True):
    """Some of the options."""

    options: tuple[Option, ...]
    minimum: int | None = None
    maximum: int | None = None
    default: tuple[str, ...] = ()


class UnsupportedField(_Named, frozen=True, kw_only=True):
    """A property of a type that this client does not know: never asked for (C-290)."""

    type: str


Field: TypeAlias = (
    TextField | NumberField | BooleanField | ChoiceField | ChoicesField | UnsupportedField
)


class Form(Struct, frozen=True):
    """Fields in the agent's order; none at all is a plain question (C-291)."""

    fields: tuple[Field, ...] = ()
    title: str | None = None
    description: str | None = None


class Link(Struct, frozen=True):
    """An address that the user is to visit; `id` is the agent's name for it, opaque (C-299)."""

    id: str
    url: str


class Elicitation(Struct, frozen=True):
    """A question of the agent beyond permissions."""

    message: str
    wanted: Form | Link

    @property
    def mode(self) -> str:
        """`form` or `url`."""
        return "form" if isinstance(self.wanted, Form) else "url"
