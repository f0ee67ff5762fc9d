"""The content blocks, which are the same in every version of ACP, as the schemas say."""

from __future__ import annotations

from acp_nvim.protocol.base import Lenient, Whole, WireModel


class ImageBlock(WireModel):
    """`ContentBlock`, type `image`."""

    data: str
    mime_type: str
    uri: Lenient[str]


class AudioBlock(WireModel):
    """`ContentBlock`, type `audio`."""

    data: str
    mime_type: str


class ResourceLinkBlock(WireModel):
    """`ContentBlock`, type `resource_link`."""

    uri: str
    name: str
    mime_type: Lenient[str]
    title: Lenient[str]
    description: Lenient[str]
    size: Lenient[Whole]


class TextContents(WireModel):
    """`TextResourceContents`."""

    uri: str
    text: str
    mime_type: Lenient[str]


class BlobContents(WireModel):
    """`BlobResourceContents`."""

    uri: str
    blob: str
    mime_type: Lenient[str]


class ResourceBlock(WireModel):
    """`ContentBlock`, type `resource`."""

    resource: TextContents | BlobContents
