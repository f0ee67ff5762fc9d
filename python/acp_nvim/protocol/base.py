"""The base of all wire models, and the leniencies that the schema marks on its fields.

Used by the versions of the protocol only.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

T = TypeVar("T")
N = TypeVar("N", int, float)

LARGEST = 2**63 - 1
"""The largest number that is taken from an agent: MessagePack and Lua have no larger ones."""

MOST_ITEMS = 10_000
"""Items that are taken of a list: no thread has the interpreter while pydantic looks at more."""


class WireModel(BaseModel):
    """A JSON object of the protocol: camelCase on the wire, unknown keys ignored (C-135)."""

    model_config = ConfigDict(
        frozen=True,
        defer_build=True,
        extra="ignore",
        alias_generator=to_camel,
        populate_by_name=True,
        strict=True,
    )


def _or_none(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    try:
        return validate(value)
    except ValidationError:
        return None


def _good_items(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    # an empty Lua table looks like a map; one item may stand without its list
    values = ([value] if value else []) if isinstance(value, dict) else value
    if not isinstance(values, list):
        raise PydanticCustomError("list_type", "Input should be a valid array")
    items = (_or_none((item,), validate) for item in values[:MOST_ITEMS])
    return tuple(item for good in items if good is not None for item in good)


Lenient = Annotated[T | None, WrapValidator(_or_none), Field(default=None)]
"""`x-deserialize-default-on-error`: a bad value is as good as none (C-134)."""

OrNone = Annotated[T | None, WrapValidator(_or_none)]
"""The same for what is no field: the values of a map."""

Items = Annotated[tuple[T, ...], WrapValidator(_good_items)]
"""`x-deserialize-skip-invalid-items`: bad items are dropped; what is no list at all is an error."""

LenientList = Annotated[Items[T] | None, WrapValidator(_or_none), Field(default=None)]
"""Both: bad items are dropped, and what is no list at all is as good as none."""


def _fitting(value: N) -> N:
    return max(-LARGEST, min(value, LARGEST))


def _as_whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


Whole = Annotated[int, BeforeValidator(_as_whole), AfterValidator(_fitting)]
"""A whole number, 2.0 too, the nearest that any editor has."""


def _as_text(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Id = Annotated[str, BeforeValidator(_as_text)]
"""What something is called by; an agent that counts may say a number."""

Real = Annotated[float, AfterValidator(_fitting)]
"""Any number, no farther from 0 than a whole one may be: nobody counts so far."""


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def compact(value: object) -> str:
    """Return the value as JSON text without spaces, to be shown or logged."""
    try:
        return _ENCODER.encode(value)
    except RecursionError:
        return "(nested too deeply)"
