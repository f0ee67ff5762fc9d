"""A file exactly as it stands: what the editor or the disk holds, and how to make it another text.

Unlike what agents are given, the text is exact to the byte: a restored line is the line it was.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass, replace

from acp_nvim.editor import Files, LiveBuffer
from acp_nvim.errors import Code, RequestFailed, UserError
from acp_nvim.files import disk
from acp_nvim.files.text import buffer_form, buffer_text, exact
from acp_nvim.hunks import diff
from acp_nvim.ledger.ledger import UNKNOWN_ATTRIBUTES, FileAttributes
from acp_nvim.ledger.span import split_lines


@dataclass(frozen=True, slots=True)
class Standing:
    """What a resolved path holds; `text` None: there is no such file."""

    path: str
    text: str | None
    buffer: LiveBuffer | None = None
    form: FileAttributes = UNKNOWN_ATTRIBUTES
    """How it is on disk besides."""

    @property
    def rows(self) -> int:
        """How many lines the editor shows, or would."""
        if self.buffer is not None:
            return len(self.buffer.lines)
        return len(split_lines(self.text or ""))


async def stand(files: Files, path: str) -> Standing:
    """Return how the file stands. Raises `RequestFailed` if it holds no text, or cannot be read."""
    buffer = await files.loaded(path)
    mode = _mode(path)
    if buffer is not None:
        # A buffer that is as its file was, and has no file any more, shows what is no more.
        is_gone = not buffer.modified and mode is None
        text = None if is_gone else buffer_text(buffer)
        return Standing(path, text, buffer, FileAttributes(mode or 0, buffer.encoding))
    try:
        found = await disk.read(path)
    except RequestFailed as error:
        if error.code == Code.RESOURCE_NOT_FOUND:
            return Standing(path, None)
        raise
    return Standing(path, found.text, form=FileAttributes(mode or 0, found.encoding))


def _mode(path: str) -> int | None:
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except OSError:
        return None


async def put(
    files: Files,
    standing: Standing,
    text: str | None,
    form: FileAttributes = UNKNOWN_ATTRIBUTES,
    *,
    settled: bool = False,
) -> bool:
    """Make the file hold this text, None: let it be gone; False if it changed meanwhile.

    `form` is what a file gets that is not there now. A buffer with unsaved edits is changed, but
    not saved for the user; any other file is. `settled`: with this text the user has decided on
    what the disk holds, so that Neovim need not ask at `:w`. Raises `UserError`, and then nothing
    has changed.
    """
    try:
        if text is None:
            return await _remove(files, standing)
        if standing.buffer is not None:
            return await _edit(files, standing, standing.buffer, text, form, settled=settled)
        disk.check_writable(standing.path)
        disk.make_folders(standing.path)
        kept = form if standing.text is None else standing.form
        await disk.write(standing.path, exact(text, kept.encoding))
        if standing.text is None:
            _restore_mode(standing.path, form)
    except RequestFailed as error:
        raise UserError(error.message) from error
    return True


def _restore_mode(path: str, form: FileAttributes) -> None:
    if form.mode:
        # without the mode it is there all the same
        with suppress(OSError):
            os.chmod(path, form.mode)


async def _edit(
    files: Files,
    standing: Standing,
    buffer: LiveBuffer,
    text: str,
    form: FileAttributes,
    *,
    settled: bool,
) -> bool:
    if not buffer.modifiable or buffer.readonly:
        how = "read-only" if buffer.readonly else "not modifiable"
        raise UserError(f"{standing.path} is {how}: nothing was changed in it")
    lines, options = buffer_form(text, buffer)
    hunks = diff(buffer.lines, lines)
    if buffer.modified:
        return await files.edit(buffer, hunks, options, settled=settled)
    disk.make_folders(standing.path)
    disk.check_writable(standing.path)
    done = await files.write(buffer, hunks, options)
    if done and standing.text is None:
        _restore_mode(standing.path, form)
    return done


async def _remove(files: Files, standing: Standing) -> bool:
    """Remove the file; its buffer is emptied, where `u` brings the text back."""
    buffer = standing.buffer
    disk.check_removable(standing.path)
    if buffer is not None:
        lines, options = buffer_form("", buffer)
        # what the user writes there next is to have a line end
        options = replace(options, endofline=True)
        hunks = diff(buffer.lines, lines)
        if buffer.modified:
            if not await files.edit(buffer, hunks, options, settled=True):
                return False
        elif not await files.follow(buffer, hunks, options):
            return False
    try:
        os.unlink(standing.path)
    except FileNotFoundError:
        return True
    except OSError as error:
        raise UserError(f"{standing.path} cannot be removed: {error.strerror}") from error
    return True
