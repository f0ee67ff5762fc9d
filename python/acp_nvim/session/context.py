"""How selected lines of a buffer become content of a prompt (v1/content § Embedded Resource)."""

from __future__ import annotations

from urllib.parse import quote, unquote

from acp_nvim.session.content import Content, Resource, ResourceLink, Text
from acp_nvim.session.model import Selection

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

MEDIA_TYPES = {
    "gif": "image/gif",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "png": "image/png",
    "webp": "image/webp",
    "aac": "audio/aac",
    "flac": "audio/flac",
    "m4a": "audio/mp4",
    "mp3": "audio/mpeg",
    "ogg": "audio/ogg",
    "opus": "audio/ogg",
    "wav": "audio/wav",
}
"""Mime types of images and sounds by the end of the file's name."""

_FILE_TYPES = {
    "cc": "cpp",
    "go": "go",
    "h": "c",
    "hpp": "cpp",
    "htm": "html",
    "java": "java",
    "js": "javascript",
    "lua": "lua",
    "md": "markdown",
    "mjs": "javascript",
    "py": "python",
    "rb": "ruby",
    "rs": "rust",
    "ts": "typescript",
    "txt": "",
    "vim": "vim",
    "yml": "yaml",
}
"""Neovim file types by the end of the file's name, where it is not the name of one."""


def file_uri(path: str) -> str:
    """Return the `file://` URI of an absolute path, percent-encoded (C-115)."""
    return "file://" + quote(path.encode("utf-8", "surrogateescape"), safe="/~")


def mime_type(filetype: str) -> str:
    """Return the mime type of a Neovim file type; plain text for an empty one."""
    return MIME_TYPES.get(filetype) or (f"text/x-{filetype}" if filetype else "text/plain")


def mime_type_of(path: str) -> str | None:
    """Return the mime type that the end of a file's name tells, None if it tells none."""
    _, dot, ending = path.rpartition("/")[2].rpartition(".")
    if not dot:
        return None
    ending = ending.lower()
    filetype = _FILE_TYPES.get(ending, ending if ending in MIME_TYPES else None)
    return MEDIA_TYPES.get(ending) or (None if filetype is None else mime_type(filetype))


def content_of(selection: Selection, *, embedded: bool) -> tuple[Content, ...]:
    """Return the blocks for a selection: whole lines, each ended by a newline.

    With `embedded` (the agent's `promptCapabilities.embeddedContext`) one `resource`; else a link
    and a fenced text block; a buffer without a file is always a fenced text block.
    """
    text = "".join(line + "\n" for line in selection.lines)
    if selection.path is None:
        return (fenced(text, selection.filetype),)
    uri = f"{file_uri(selection.path)}#L{selection.first}-L{selection.last}"
    resource = Resource(uri, text=text, mime_type=mime_type(selection.filetype))
    return (resource,) if embedded else unembedded(resource, selection.filetype)


def unembedded(resource: Resource, filetype: str = "") -> tuple[Content, ...]:
    """Return a link, and the text fenced if there is one, for agents that take no `resource`."""
    name = unquote(resource.uri.partition("#")[0].rpartition("/")[2]) or resource.uri
    link = ResourceLink(resource.uri, name, mime_type=resource.mime_type)
    return (link,) if resource.text is None else (link, fenced(resource.text, filetype))


def fenced(text: str, filetype: str = "") -> Text:
    """Return the text in a fence that is longer than any in it."""
    ticks = "```"
    while ticks in text:
        ticks += "`"
    end = "" if text.endswith("\n") or not text else "\n"
    return Text(f"{ticks}{filetype}\n{text}{end}{ticks}")
