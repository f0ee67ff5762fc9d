"""How selected lines of a buffer become content of a prompt (v1/content § Embedded Resource)."""

from __future__ import annotations

from urllib.parse import quote

from acp_nvim.session.content import Content, Resource, ResourceLink, Text
from acp_nvim.session.event import Selection

MIME_TYPES = {
    "c": "text/x-c",
    "cpp": "text/x-c++",
    "css": "text/css",
    "html": "text/html",
    "javascript": "text/javascript",
    "json": "application/json",
    "markdown": "text/markdown",
    "sh": "text/x-shellscript",
    "toml": "application/toml",
    "typescript": "text/typescript",
    "xml": "application/xml",
    "yaml": "application/yaml",
}
"""Mime types by Neovim file type, where `text/x-` and the file type would be wrong."""


def file_uri(path: str) -> str:
    """Return the `file://` URI of an absolute path, percent-encoded (C-115)."""
    return "file://" + quote(path.encode("utf-8", "surrogateescape"), safe="/~")


def mime_type(filetype: str) -> str:
    """Return the mime type of a Neovim file type; plain text for an empty one."""
    return MIME_TYPES.get(filetype) or (f"text/x-{filetype}" if filetype else "text/plain")


def content_of(selection: Selection, *, embedded: bool) -> tuple[Content, ...]:
    """Return the blocks for a selection: whole lines, each ended by a newline.

    With `embedded` (the agent's `promptCapabilities.embeddedContext`) one `resource`; else a link
    and a fenced text block; a buffer without a file is always a fenced text block.
    """
    text = "".join(line + "\n" for line in selection.lines)
    fenced = Text(_fence(text, selection.filetype))
    if selection.path is None:
        return (fenced,)
    uri = f"{file_uri(selection.path)}#L{selection.first}-L{selection.last}"
    kind = mime_type(selection.filetype)
    if embedded:
        return (Resource(uri, text=text, mime_type=kind),)
    return (ResourceLink(uri, selection.path.rpartition("/")[2], mime_type=kind), fenced)


def _fence(text: str, filetype: str) -> str:
    ticks = "```"
    while ticks in text:
        ticks += "`"
    return f"{ticks}{filetype}\n{text}{ticks}"
