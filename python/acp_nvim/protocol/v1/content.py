"""Content blocks of ACP v1, in both directions (v1/content, v1/tool-calls § Content).

Decoding never raises: a block that is unknown or broken is a placeholder (C-131).
"""

from __future__ import annotations

from typing import Any, assert_never

from pydantic import ValidationError

from acp_nvim.protocol.base import WireModel, compact
from acp_nvim.protocol.v1 import types
from acp_nvim.session.content import (
    Audio,
    Content,
    Diff,
    Image,
    Resource,
    ResourceLink,
    TerminalOutput,
    Text,
    ToolContent,
    UnknownContent,
)

_BLOCKS: dict[str, type[WireModel]] = {
    "text": types.TextBlock,
    "image": types.ImageBlock,
    "audio": types.AudioBlock,
    "resource_link": types.ResourceLinkBlock,
    "resource": types.ResourceBlock,
    "diff": types.DiffContent,
    "terminal": types.TerminalContent,
}


def decode_content(value: object) -> Content:
    """Return the block of a message."""
    content = decode_tool_content(value)
    # what belongs into tool calls only is no message
    if isinstance(content, Diff | TerminalOutput):
        return _unknown(value)
    return content


def decode_tool_content(value: object) -> ToolContent:
    """Return an item of a tool call's content.

    A bare content block is taken for one too: the documentation's example of leaving plan mode
    has it (C-191).
    """
    if not isinstance(value, dict):
        return _unknown(value)
    kind = value.get("type")
    if kind == "content":
        return decode_content(value.get("content"))
    model = _BLOCKS.get(kind) if isinstance(kind, str) else None
    if model is None:
        return _unknown(value)
    try:
        return _from_model(model.model_validate(value))
    except ValidationError:
        return _unknown(value)


def _from_model(block: WireModel) -> ToolContent:
    match block:
        case types.TextBlock():
            return Text(block.text)
        case types.ImageBlock():
            return Image(block.data, block.mime_type, block.uri)
        case types.AudioBlock():
            return Audio(block.data, block.mime_type)
        case types.ResourceLinkBlock():
            return ResourceLink(**dict(block))
        case types.ResourceBlock():
            return Resource(**dict(block.resource))
        case types.DiffContent():
            return Diff(block.path, block.old_text, block.new_text)
        case types.TerminalContent():
            return TerminalOutput(block.terminal_id)
    raise TypeError(f"{type(block).__name__} is no content block")


def _unknown(value: object) -> UnknownContent:
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
