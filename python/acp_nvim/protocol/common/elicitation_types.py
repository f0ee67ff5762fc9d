"""What `elicitation/create` and `elicitation/complete` hold, in every version of ACP."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from acp_nvim.protocol.base import Lenient, LenientList, Real, Whole, WireModel


class FormSchema(WireModel):
    """`requestedSchema`; the properties are decoded one by one."""

    title: Lenient[str]
    description: Lenient[str]
    properties: dict[str, dict[str, Any]] = Field(default_factory=dict)
    required: list[str] | None = None


class CreateElicitation(WireModel):
    """`elicitation/create`, of whatever mode."""

    mode: str
    message: str
    session_id: str | None = None
    tool_call_id: Lenient[str]
    request_id: str | int | None = None


class FormMode(WireModel):
    """`elicitation/create`, mode `form`."""

    requested_schema: FormSchema


class UrlMode(WireModel):
    """`elicitation/create`, mode `url`."""

    elicitation_id: str
    url: str


class EnumOption(WireModel):
    """An enum value with a title."""

    const: str
    title: str
    description: Lenient[str]


class StringProperty(WireModel):
    """A property of type `string`; with `enum` or `oneOf` a choice."""

    title: Lenient[str]
    description: Lenient[str]
    min_length: Whole | None = Field(default=None, ge=0)
    max_length: Whole | None = Field(default=None, ge=0)
    pattern: str | None = None
    format: str | None = None
    default: Lenient[str]
    enum: list[str] | None = None
    one_of: list[EnumOption] | None = None


class NumberProperty(WireModel):
    """A property of type `number`."""

    title: Lenient[str]
    description: Lenient[str]
    minimum: Real | None = None
    maximum: Real | None = None
    default: Lenient[Real]


class IntegerProperty(WireModel):
    """A property of type `integer`."""

    title: Lenient[str]
    description: Lenient[str]
    minimum: Whole | None = None
    maximum: Whole | None = None
    default: Lenient[Whole]


class BooleanProperty(WireModel):
    """A property of type `boolean`."""

    title: Lenient[str]
    description: Lenient[str]
    default: Lenient[bool]


class ArrayProperty(WireModel):
    """A property of type `array`: some of the items."""

    title: Lenient[str]
    description: Lenient[str]
    min_items: Whole | None = Field(default=None, ge=0)
    max_items: Whole | None = Field(default=None, ge=0)
    items: dict[str, Any]
    default: LenientList[str]


class PlainItems(WireModel):
    """The items of an array, type `string`."""

    enum: list[str]


class TitledItems(WireModel):
    """The items of an array, with titles."""

    any_of: list[EnumOption]


class CompleteElicitation(WireModel):
    """`elicitation/complete`."""

    elicitation_id: Lenient[str]
