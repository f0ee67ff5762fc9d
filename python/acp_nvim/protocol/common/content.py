"""Content blocks of messages and prompts, in both directions (content; the same in every version).

Decoding never raises: a block that is unknown or broken is a placeholder (C-131).
"""

from __future__ import annotations

from typing import Any, assert_never

from pydantic import ValidationError

from acp_nvim.paths import named
from acp_nvim.protocol.base import WireModel, compact
from acp_nvim.protocol.common import types
from acp_nvim.session.content import (
    Audio,
    Content,
    Image,
    Resource,
    ResourceLink,
    Text,
    UnknownContent,
)
from acp_nvim.session.model import Location

_BLOCKS: dict[str, type[WireModel]] = {
    "image": types.ImageBlock,
    "audio": types.AudioBlock,
    "resource_link": types.ResourceLinkBlock,
    "resource": types.ResourceBlock,
}


def decode_content(value: object) -> Content:
    """Return the block of a message."""
    if not isinstance(value, dict):
        return unknown_content(value)
    kind, text = value.get("type"), value.get("text")
    if kind == "text" and isinstance(text, str):
        return Text(text)
    model = _BLOCKS.get(kind) if isinstance(kind, str) else None
    if model is None:
        return unknown_content(value)
    try:
        return _from_model(model.model_validate(value))
    except ValidationError:
        return unknown_content(value)


def _from_model(block: WireModel) -> Content:
    match block:
        case types.ImageBlock():
            return Image(block.data, block.mime_type, block.uri)
        case types.AudioBlock():
            return Audio(block.data, block.mime_type)
        case types.ResourceLinkBlock():
            return ResourceLink(**dict(block))
        case types.ResourceBlock():
            return Resource(**dict(block.resource))
    raise TypeError(f"{type(block).__name__} is not a content block")


def unknown_content(value: object) -> UnknownContent:
    """Return what stands for a block that cannot be read."""
    kind = value.get("type") if isinstance(value, dict) else None
    return UnknownContent(kind if isinstance(kind, str) else "", compact(value))


def encode_content(content: Content) -> dict[str, Any] | None:
    """Return the block of a prompt; None for what cannot be sent."""
    match content:
        case Text():
            return {"type": "text", "text": content.text}
        case Image():
            return _block("image", data=content.data, mimeType=content.mime_type, uri=content.uri)
        case Audio():
            return _block("audio", data=content.data, mimeType=content.mime_type)
        case ResourceLink():
            return _block(
                "resource_link",
                uri=content.uri,
                name=content.name,
                mimeType=content.mime_type,
                title=content.title,
                description=content.description,
                size=content.size,
            )
        case Resource():
            return {"type": "resource", "resource": _encode_resource(content)}
        case UnknownContent():
            return None
    assert_never(content)


def _encode_resource(resource: Resource) -> dict[str, Any]:
    body = {"text": resource.text or ""} if resource.blob is None else {"blob": resource.blob}
    return _given(uri=resource.uri, mimeType=resource.mime_type) | body


def _block(kind: str, **fields: object) -> dict[str, Any]:
    return {"type": kind} | _given(**fields)


def _given(**fields: object) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


KINDS = frozenset(
    {"read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode"}
)


def kind_of(kind: str) -> str:
    """Return the kind; all that are unknown are others."""
    return kind if kind in KINDS else "other"


def location_of(told: Any) -> Location:
    """Return the place; what has told it has its fields, whoever has decoded them."""
    path, named_line = named(told.path)
    line = told.line
    return Location(path, line if line is not None and line > 0 else named_line)


def json_text(value: object) -> str:
    """Return a text as it is, and all else as JSON."""
    return value if isinstance(value, str) else compact(value)
