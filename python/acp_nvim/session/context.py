"""How selected lines of a buffer become content of a prompt (v1/content § Embedded Resource)."""

from __future__ import annotations

from urllib.parse import quote, unquote

from acp_nvim.session.content import Content, Resource, ResourceLink, Text
from acp_nvim.session.noun import Selection

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
    if selection.path is None:
        return (_fenced(text, selection.filetype),)
    uri = f"{file_uri(selection.path)}#L{selection.first}-L{selection.last}"
    resource = Resource(uri, text=text, mime_type=mime_type(selection.filetype))
    return (resource,) if embedded else unembedded(resource, selection.filetype)


def unembedded(resource: Resource, filetype: str = "") -> tuple[Content, ...]:
    """Return a link, and the text fenced if there is one, for agents that take no `resource`."""
    name = unquote(resource.uri.partition("#")[0].rpartition("/")[2]) or resource.uri
    link = ResourceLink(resource.uri, name, mime_type=resource.mime_type)
    return (link,) if resource.text is None else (link, _fenced(resource.text, filetype))


def _fenced(text: str, filetype: str) -> Text:
    ticks = "```"
    while ticks in text:
        ticks += "`"
    end = "" if text.endswith("\n") or not text else "\n"
    return Text(f"{ticks}{filetype}\n{text}{end}{ticks}")
