"""What the `@…` of a prompt stand for, as content for the agent: called at the moment of sending.

Whatever names nothing stays plain text; what cannot be had is said in a sentence (C-111 to C-116).
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from acp_nvim.editor import Files, Finding, LiveBuffer, NamedText, Surroundings
from acp_nvim.errors import EditorError, FileProblem, UserError
from acp_nvim.files import disk, git
from acp_nvim.files.encoding import clean
from acp_nvim.files.roots import Roots
from acp_nvim.files.text import buffer_text
from acp_nvim.hunks import split_lines
from acp_nvim.prompt import clipboard
from acp_nvim.session.content import Audio, Content, Image, Resource, ResourceLink
from acp_nvim.session.context import (
    content_of,
    fenced,
    file_uri,
    mime_type,
    mime_type_of,
    unembedded,
)
from acp_nvim.session.mention import lines_in, mentions_in
from acp_nvim.session.model import Mention, Selection

TEXT_LIMIT = 256 * 1024
"""Bytes of a file from which on it goes as a link, and of a diff from which on it is cut."""
MEDIA_LIMIT = 20_000_000
"""Bytes of an image or a sound from which on it goes as a link."""
SPECIALS: Final[Mapping[str, str]] = dict(
    json.loads(Path(__file__).parents[1].joinpath("mentions.json").read_text(encoding="utf-8"))
)
"""What is no file, and what it is: the completion in Lua reads it as well."""


class Named(Struct, frozen=True):
    """A mention of a line, from byte `first` to `last`; `name` is "" where it names nothing.

    `lines`: those of the file at `path`, 1-based and inclusive, if it names some.
    """

    first: int
    last: int
    what: str
    """What goes along for it, in words."""
    name: str = ""
    path: str = ""
    lines: tuple[int, ...] = ()


class Held(Struct, frozen=True):
    """What the editor holds: files that are open, by their paths, and buffers that are none."""

    open: Collection[str] = ()
    buffers: Collection[str] = ()


def named(line: str, roots: Roots, held: Held) -> Iterator[Named]:
    """Yield the mentions of a line, as a prompt with that line would be understood now."""
    for first, names in mentions_in(line):
        start, rest = _bytes(line[:first]), _bytes(line[: max(names.values())])
        for name, last in names.items():
            if found := _stands_for(name, roots, held):
                yield replace(found, first=start, last=_bytes(line[:last]), name=name)
                break
        else:
            yield Named(start, rest, "names nothing: it is sent as text")


def _stands_for(name: str, roots: Roots, held: Held) -> Named | None:
    """Return what a name stands for; None if that is nothing."""
    if special := SPECIALS.get(name):
        return Named(0, 0, special)
    if what := _kind(name, roots, held):
        return Named(0, 0, what)
    if name in held.buffers:
        return Named(0, 0, "buffer: its text is attached")
    file, first, last = lines_in(name) or ("", 0, 0)
    if not _kind(file, roots, held).startswith("file"):
        return None
    what = f"line {first} of {file}" if first == last else f"lines {first} to {last} of {file}"
    return Named(0, 0, what, path=_plain(file, roots), lines=(first, last))


def _kind(name: str, roots: Roots, held: Held) -> str:
    path = _path(name, roots)
    if path is None:
        return ""
    if os.path.isdir(path):
        return "folder: a link to it is attached"
    if path in held.open or _plain(name, roots) in held.open:
        return "file, as it is in its buffer"
    return "file" if _is_file(path) else ""


def _plain(name: str, roots: Roots) -> str:
    """Return the path that a file of that name has, links in it and all."""
    return os.path.normpath(os.path.join(roots.cwd, os.path.expanduser(name)))


def _bytes(text: str) -> int:
    return len(text.encode(errors="surrogateescape"))


class Takes(Struct, frozen=True):
    """What the agent takes in a prompt besides text and links: its `promptCapabilities`."""

    embedded: bool = False
    image: bool = False
    audio: bool = False


class Found(Struct):
    """The content of the mentions, and what to tell the user of them."""

    blocks: list[Content] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


Special: TypeAlias = Callable[[Roots, Takes], Awaitable[tuple[Content, ...]]]


class Mentions:
    """Finds what the user speaks of. Raises nothing that a mention could cause."""

    def __init__(self, files: Files, surroundings: Surroundings) -> None:
        self._files = files
        self._surroundings = surroundings
        here = surroundings
        unknown = "none is known around the cursor in the file last worked in"
        unselected = "nothing was selected in the file last worked in"
        self._specials: dict[str, Special] = {
            "selection": partial(_lines_of, here.selection, f"@selection: {unselected}"),
            "viewport": partial(
                _lines_of, here.viewport, "@viewport: no window shows the file last worked in"
            ),
            "diagnostics": partial(_list_of, "diagnostics", here.diagnostics),
            "diagnostic": partial(_list_of, "diagnostic", partial(here.diagnostics, here=True)),
            "quickfix": partial(_list_of, "quickfix", here.quickfix),
            "buffers": self._buffers,
            "marks": partial(_list_of, "marks", here.marks),
            "function": partial(
                _lines_of, partial(here.enclosing, "function"), f"@function: {unknown}"
            ),
            "class": partial(_lines_of, partial(here.enclosing, "class"), f"@class: {unknown}"),
            "diff": self._diff,
            "messages": partial(_text_of, "messages", partial(here.text, "messages")),
            "terminal": partial(_text_of, "terminal", partial(here.text, "terminal")),
            "clipboard": self._clipboard,
        }

    async def find(self, mentions: Sequence[Mention], roots: Roots, takes: Takes) -> Found:
        """Return the content of all mentions in order, each thing once."""
        found = Found()
        for mention in mentions:
            try:
                blocks = await self._first(mention, roots, takes)
            except (UserError, FileProblem, EditorError) as error:
                found.notices.append(str(error))
            except OSError as error:  # it went away, or its folder may not be read
                found.notices.append(f"@{mention.names[0]} cannot be read: {error.strerror}")
            else:
                found.blocks += (block for block in blocks if block not in found.blocks)
        return found

    async def _first(self, mention: Mention, roots: Roots, takes: Takes) -> tuple[Content, ...]:
        for name in mention.names:
            if special := self._specials.get(name):
                return await special(roots, takes)
            if blocks := await self._named(name, roots, takes):
                return blocks
        return ()

    async def _named(self, name: str, roots: Roots, takes: Takes) -> tuple[Content, ...]:
        path = _path(name, roots)
        buffer = None if path is None else await self._files.loaded(path)
        if path is not None and (buffer is not None or _is_there(path)):
            return await self._file(path, buffer, takes)
        text = await self._surroundings.buffer(name)
        if text is None:
            return await self._lines(name, roots, takes)
        return _whole(f"buffer/{text.name}", text, takes)

    # --- files

    async def _file(
        self, path: str, buffer: LiveBuffer | None, takes: Takes
    ) -> tuple[Content, ...]:
        kind = mime_type_of(path)
        if kind is not None and kind.startswith(("image/", "audio/")):
            return (await self._media(path, kind, takes),)
        text = None if buffer is None else _held(buffer)
        if text is None and takes.embedded and disk.size(path) <= TEXT_LIMIT:
            text = await _text(path)
        if text is None or "\0" in text or not takes.embedded or len(text.encode()) > TEXT_LIMIT:
            return (_link(path, kind),)
        return (Resource(file_uri(path), text=text, mime_type=kind or "text/plain"),)

    async def _lines(self, name: str, roots: Roots, takes: Takes) -> tuple[Content, ...]:
        """Return the lines that a name like `a.py:4-6` speaks of; none if it speaks of none."""
        file, first, last = lines_in(name) or ("", 0, 0)
        path = _path(file, roots)
        buffer = None if path is None else await self._files.loaded(path)
        if path is None or (buffer is None and not _is_file(path)):
            return ()
        long = buffer is None and disk.size(path) > MEDIA_LIMIT
        text = None if long else await _text(path) if buffer is None else _held(buffer)
        lines = split_lines(text or "")
        last = min(last, len(lines))
        said = "".join(lines[first - 1 : last])
        if long or len(said.encode()) > TEXT_LIMIT:
            raise UserError(f"@{name} is too long to attach: name the lines that matter")
        if not 0 < first <= last:
            raise UserError(f"@{name} is not attached: the file has {len(lines)} lines")
        uri = f"{file_uri(path)}#L{first}-L{last}"
        resource = Resource(uri, text=said, mime_type=mime_type_of(path) or "text/plain")
        return (resource,) if takes.embedded else unembedded(resource)

    async def _media(self, path: str, kind: str, takes: Takes) -> Content:
        taken = takes.image if kind.startswith("image/") else takes.audio
        if not taken or not 0 < disk.size(path) <= MEDIA_LIMIT:
            return _link(path, kind)
        data = base64.b64encode(await disk.read_bytes(path)).decode("ascii")
        if kind.startswith("audio/"):
            return Audio(data, kind)
        return Image(data, kind, file_uri(path))

    # --- what is no file

    async def _buffers(self, roots: Roots, _takes: Takes) -> tuple[Content, ...]:
        paths = (_path(path, roots) for path in await self._surroundings.open_files())
        links = tuple(_link(it, mime_type_of(it)) for it in paths if it is not None)
        if not links:
            raise UserError("@buffers: no file of the session's folders is open")
        return links

    async def _diff(self, roots: Roots, takes: Takes) -> tuple[Content, ...]:
        text = await git.diff(roots.cwd, TEXT_LIMIT)
        if not text:
            raise UserError("@diff: nothing has changed since the last commit")
        return _report("diff", text, takes, "diff")

    async def _clipboard(self, _roots: Roots, takes: Takes) -> tuple[Content, ...]:
        if not takes.image:
            raise UserError("@clipboard: this agent takes no images")
        data = await clipboard.image()
        return (Image(base64.b64encode(data).decode("ascii"), "image/png"),)


async def _lines_of(
    ask: Callable[[], Awaitable[Selection | None]], none: str, _roots: Roots, takes: Takes
) -> tuple[Content, ...]:
    found = await ask()
    if found is None:
        raise UserError(none)
    return content_of(found, embedded=takes.embedded)


async def _list_of(
    name: str, ask: Callable[[], Awaitable[Sequence[Finding]]], roots: Roots, takes: Takes
) -> tuple[Content, ...]:
    findings = await ask()
    if not findings:
        raise UserError(f"@{name}: there is nothing in it")
    return _report(name, "".join(_row(it, roots) + "\n" for it in findings), takes)


async def _text_of(
    name: str, ask: Callable[[], Awaitable[NamedText | None]], _roots: Roots, takes: Takes
) -> tuple[Content, ...]:
    text = await ask()
    if text is None:
        raise UserError(f"@{name}: there is nothing in it")
    return _whole(name, text, takes)


def _held(buffer: LiveBuffer) -> str:
    return clean(buffer_text(buffer), buffer.encoding or "utf-8")


async def _text(path: str) -> str | None:
    """Return what the disk holds; None for a file that is not there or holds no text."""
    try:
        read = await disk.read(path)
    except FileProblem:
        return None
    return None if read is None else clean(read, "")


def _path(name: str, roots: Roots) -> str | None:
    """Return the resolved path that a name may stand for; None if it leads out of the roots."""
    if not name.strip("./"):  # "@..." is no folder
        return None
    try:
        return roots.resolve(os.path.join(roots.cwd, os.path.expanduser(name)))
    except FileProblem:
        return None


def _is_file(path: str) -> bool:
    return os.path.isfile(path)


def _is_there(path: str) -> bool:
    return os.path.isfile(path) or os.path.isdir(path)


def _link(path: str, kind: str | None) -> ResourceLink:
    name = os.path.basename(path) or path
    if os.path.isdir(path):
        return ResourceLink(file_uri(path) + "/", name + "/")
    return ResourceLink(file_uri(path), name, mime_type=kind, size=disk.size(path) or None)


def _whole(name: str, text: NamedText, takes: Takes) -> tuple[Content, ...]:
    content = "".join(line + "\n" for line in text.lines)
    return _report(name, content, takes, text.filetype)


def _row(finding: Finding, roots: Roots) -> str:
    path = roots.told(finding.path)
    place = [path, *(str(it) for it in (finding.line, finding.column) if it)] if path else []
    kind = [finding.kind] if finding.kind else []
    return ": ".join([":".join(place), *kind, finding.text] if place else [*kind, finding.text])


def _report(name: str, text: str, takes: Takes, filetype: str = "") -> tuple[Content, ...]:
    """Return text that is in no file: the agent cannot read it by itself, so there is no link."""
    if len(text) > 2 * TEXT_LIMIT:
        raise UserError(f"@{name} is too long to attach: name the lines that matter")
    if not takes.embedded:
        return (fenced(clean(text), filetype),)
    uri = "acp-nvim://" + file_uri(name).removeprefix("file://")
    return (Resource(uri, text=clean(text), mime_type=mime_type(filetype)),)
