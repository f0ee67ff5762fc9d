"""Content that is no text: one line each, as a mention of a file or a placeholder (C-130, C-131).

For the renderers of messages, tool calls and permissions.
"""

from __future__ import annotations

from collections.abc import Iterable
from posixpath import basename
from urllib.parse import unquote

from acp_nvim.session.content import (
    Audio,
    Content,
    FileChange,
    Image,
    Resource,
    ResourceLink,
    Text,
    UnknownContent,
)
from acp_nvim.view.block import Line
from acp_nvim.view.cut import head, visible_lines
from acp_nvim.view.diff.change import MIME_TYPE, diff_lines
from acp_nvim.view.place import mention, relative
from acp_nvim.view.styled import beside, coloured, plural
from acp_nvim.view.visible import one_line

DONE = {
    "add": "new",
    "delete": "deleted",
    "modify": "changed",
    "move": "moved",
    "copy": "copied",
}
"""What became of a file; what is in no version of the protocol is shown as it came."""


def attachment(content: Content | FileChange, cwd: str, *, is_open: bool) -> tuple[Line, ...]:
    """Return the line of one block; open, the text of an embedded resource follows it."""
    if not isinstance(content, Resource | ResourceLink):
        return (coloured(label(content, cwd), "AcpDim"),)
    text = label(content, cwd)
    if not isinstance(content, Resource) or not content.text:
        return (coloured(text, "AcpMention"),)
    size = plural(content.text.removesuffix("\n").count("\n") + 1, "line")
    first = beside(coloured(text, "AcpMention"), "  " + size)
    return (first, *_opened(content.text, content.mime_type)) if is_open else (first,)


def _opened(text: str, mime_type: str | None) -> Iterable[Line]:
    """Return the lines of an embedded resource, a diff in its colours."""
    kept, rest = head(text)
    if mime_type == MIME_TYPE:
        return (*diff_lines(kept), *rest)
    return (*map(Line, visible_lines(kept)), *rest)


def label(content: Content | FileChange, cwd: str) -> str:
    """Return what stands for the block in plain text: `@src/foo.py`, `[image/png, 12 kB]`."""
    match content:
        case Text(text, typed):
            return one_line(typed or text, 200)
        case Image(data, mime_type, uri) if uri and uri.startswith("file://"):
            return f"{mention(uri, cwd)} {_sized(mime_type, data)}"
        case Image(data, mime_type) | Audio(data, mime_type):
            return _sized(mime_type, data)
        case ResourceLink(uri):
            return mention(uri, cwd) + _line_named(content)
        case Resource(uri, _, blob, mime_type):
            data = "" if blob is None else f" {_sized(mime_type or 'binary', blob)}"
            return mention(uri, cwd) + data
        case FileChange(path, operation, old_path, file_type, mime_type):
            done = DONE.get(operation, operation)
            source = "" if old_path is None else f", was {relative(old_path, cwd)}"
            kinds = "".join(f", {one_line(it, 60)}" for it in (file_type, mime_type) if it)
            return f"[{one_line(done, 60)}: {relative(path, cwd)}{source}{kinds}]"
        case UnknownContent(kind):
            return f"[{one_line(kind, 60)}]"


def _sized(mime_type: str, data: str) -> str:
    return f"[{one_line(mime_type, 60)}, {size(decoded_length(data))}]"


def _line_named(content: ResourceLink) -> str:
    """Return ":12" of a name that is the file's with a line: not all agents take that in a uri."""
    file, _, line = content.name.rpartition(":")
    is_named = line.isdecimal() and file == basename(unquote(content.uri))
    return f":{line}" if is_named else ""


def has_text(content: Content) -> bool:
    """Tell whether it can be opened: an embedded resource, or a prompt of the user's own."""
    if isinstance(content, Text):
        return bool(content.typed)
    return isinstance(content, Resource) and bool(content.text)


def decoded_length(data: str) -> int:
    """Return the number of bytes that base64 text stands for, without decoding it."""
    return len(data) * 3 // 4 - data[-2:].count("=")


def size(length: int) -> str:
    """Return a number of bytes as people write it: 512 B, 12 kB, 3.4 MB."""
    if length < 1_000:
        return f"{length} B"
    if length < 1_000_000:
        return f"{round(length / 1_000)} kB"
    return f"{length / 1_000_000:.1f} MB"
