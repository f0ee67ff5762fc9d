"""`elicitation/create` as a request, and its answer as a result (v1/elicitation).

A malformed property of a known type is an error; one of an unknown type is a field that cannot be
filled in (C-290). The same in every version.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import ValidationError

from acp_nvim.errors import RequestFailed
from acp_nvim.protocol.base import WireModel
from acp_nvim.protocol.common import methods, types
from acp_nvim.protocol.common.request import invalid
from acp_nvim.protocol.records import ClientCapabilities
from acp_nvim.session.elicitation.model import (
    BooleanField,
    ChoiceField,
    ChoicesField,
    Elicitation,
    Field,
    Form,
    Link,
    NumberField,
    Option,
    TextField,
    UnsupportedField,
)
from acp_nvim.session.request import ElicitationAnswer, ElicitationRequest, PermissionAnswer

M = TypeVar("M", bound=WireModel)


def decode_elicitation(params: object, capabilities: ClientCapabilities) -> ElicitationRequest:
    """Return what the agent wants to know; raises `RequestFailed` (C-292)."""
    request = _valid(types.CreateElicitation, params, "params")
    if request.session_id is None and request.request_id is None:
        raise _invalid("sessionId", "neither a session nor a request is named")
    if request.mode == "form" and capabilities.elicitation_form:
        form = _valid(types.FormMode, params, "params")
        wanted: Form | Link = _form(form.requested_schema)
    elif request.mode == "url" and capabilities.elicitation_url:
        link = _valid(types.UrlMode, params, "params")
        wanted = Link(link.elicitation_id, link.url)
    else:
        raise _invalid("mode", f"this client does not serve {request.mode!r}")
    return ElicitationRequest(
        Elicitation(request.message, wanted),
        request.session_id,
        request.tool_call_id,
        request.request_id,
    )


def encode_choice(answer: PermissionAnswer | ElicitationAnswer) -> dict[str, Any]:
    """Return the result that says what the user has chosen."""
    if isinstance(answer, ElicitationAnswer):
        return _encode_elicitation(answer)
    chosen = {"outcome": "selected", "optionId": answer.option_id}
    return {"outcome": {"outcome": "cancelled"} if answer.option_id is None else chosen}


def _encode_elicitation(answer: ElicitationAnswer) -> dict[str, Any]:
    """Return the result; only an accepted form has content (C-298)."""
    if answer.action != "accept" or answer.content is None:
        return {"action": answer.action}
    plain = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in answer.content.items()
    }
    return {"action": "accept", "content": plain}


def decode_complete(params: object) -> str | None:
    """Return the id that `elicitation/complete` names; None if it is unreadable."""
    if not isinstance(params, dict):
        return None
    return types.CompleteElicitation.model_validate(params).elicitation_id


def _form(schema: types.FormSchema) -> Form:
    required = schema.required or []
    fields = [
        _field(name, raw, required=name in required) for name, raw in schema.properties.items()
    ]
    # what is required but not described can never be answered
    unknown = [name for name in dict.fromkeys(required) if name not in schema.properties]
    fields += [
        UnsupportedField(name=name, title=name, required=True, type="unknown") for name in unknown
    ]
    return Form(tuple(fields), schema.title, schema.description)


def _field(name: str, raw: dict[str, Any], *, required: bool) -> Field:
    kind = raw.get("type")
    if not isinstance(kind, str):
        raise _invalid(f"requestedSchema.properties.{name}.type", "it is not a string")
    decode = _FIELDS.get(kind)
    where = f"requestedSchema.properties.{name}"
    common = {"name": name, "title": name, "required": required}
    return decode(raw, common, where) if decode else _unsupported(raw, common, kind)


def _unsupported(raw: Mapping[str, Any], common: dict[str, Any], kind: str) -> Field:
    title = raw.get("title")
    return UnsupportedField(
        **common | {"title": title if isinstance(title, str) and title else common["title"]},
        type=kind,
    )


def _string(raw: dict[str, Any], common: dict[str, Any], where: str) -> Field:
    told = _valid(types.StringProperty, raw, where)
    common = _said(common, told.title, told.description)
    if told.one_of is not None:
        return ChoiceField(**common, options=_titled(told.one_of), default=told.default)
    if told.enum is not None:
        return ChoiceField(**common, options=_plain(told.enum), default=told.default)
    return TextField(
        **common,
        minimum=told.min_length,
        maximum=told.max_length,
        pattern=told.pattern,
        format=told.format,
        default=told.default,
    )


def _number(raw: dict[str, Any], common: dict[str, Any], where: str) -> Field:
    is_whole = raw["type"] == "integer"
    told = _valid(types.IntegerProperty if is_whole else types.NumberProperty, raw, where)
    return NumberField(
        **_said(common, told.title, told.description),
        integer=is_whole,
        minimum=told.minimum,
        maximum=told.maximum,
        default=told.default,
    )


def _boolean(raw: dict[str, Any], common: dict[str, Any], where: str) -> Field:
    told = _valid(types.BooleanProperty, raw, where)
    return BooleanField(**_said(common, told.title, told.description), default=told.default)


def _array(raw: dict[str, Any], common: dict[str, Any], where: str) -> Field:
    told = _valid(types.ArrayProperty, raw, where)
    kind = told.items.get("type")
    if kind == "string":
        options = _plain(_valid(types.PlainItems, told.items, f"{where}.items").enum)
    elif kind is None:
        options = _titled(_valid(types.TitledItems, told.items, f"{where}.items").any_of)
    else:
        return _unsupported(raw, common, f"array of {kind}")
    return ChoicesField(
        **_said(common, told.title, told.description),
        options=options,
        minimum=told.min_items,
        maximum=told.max_items,
        default=told.default or (),
    )


_FIELDS: dict[str, Callable[[dict[str, Any], dict[str, Any], str], Field]] = {
    "string": _string,
    "number": _number,
    "integer": _number,
    "boolean": _boolean,
    "array": _array,
}


def _said(common: dict[str, Any], title: str | None, description: str | None) -> dict[str, Any]:
    return common | {"title": title or common["title"], "description": description}


def _plain(values: Sequence[str]) -> tuple[Option, ...]:
    return tuple(Option(value, value) for value in dict.fromkeys(values))


def _titled(options: Sequence[types.EnumOption]) -> tuple[Option, ...]:
    return tuple(Option(option.const, option.title, option.description) for option in options)


def _valid(model: type[M], value: object, where: str) -> M:
    """Return the part of the params that stands at `where` as that model."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise _invalid(".".join([where, *map(str, first["loc"])]), first["msg"]) from None


def _invalid(field: str, why: str) -> RequestFailed:
    return invalid(methods.CREATE_ELICITATION, field.removeprefix("params."), why)
