"""Histories whose lines are not in the encoding that the file is in now: the user has converted it.

What an agent has converted is a change like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from acp_nvim.files.encoding import LATIN_1, MARKS, UTF_8, WIDE, codec, decoded, encoded_line, guess
from acp_nvim.history import fold
from acp_nvim.history.file import File
from acp_nvim.history.form import marked, parsed
from acp_nvim.history.versions import BOM


def recoded(file: File, text: str, encoding: str, last: str = "") -> File:
    """Return a file that holds that exact text now, with its lines as they would be.

    The same one, if they are so. `encoding`: that of its buffer, "" without one; `last`: the same
    when its lines were as they are in the file.
    """
    odd = {it for it in file.everything() if not it.isascii()}
    held = {*parsed(text, file.end).lines} if odd else set()
    # a line that is back, as it was before an agent converted it, is as the file has it
    if held.isdisjoint(odd):
        name, rest = codec(encoding) if encoding else guess(text), marked(text)[1] or ""
        if odd and rest.isascii() and (name in MARKS) != (marked(file.text)[0][:1] in WIDE):
            return _mapped(file, odd, _coder(codec(last), name))  # so they cannot come back
        for old in dict.fromkeys((codec(last), UTF_8, LATIN_1)):
            exact = _coder(old, name)
            if not held.isdisjoint(map(exact, odd)):
                return _mapped(file, odd, exact)
    return file


def _mapped(file: File, lines: Iterable[str], exact: Callable[[str], str]) -> File:
    return fold.recoded(file, {it: new for it in sorted(lines) if (new := exact(it)) != it})


def _coder(old: str, name: str) -> Callable[[str], str]:
    """Return what makes lines of one codec lines of another."""

    def exact(line: str) -> str:
        if line.isascii():
            return line
        bare = line.rstrip("\r\n")
        read, end = decoded(bare, old), line[len(bare) :]
        if name in MARKS:
            return (MARKS[name] if read.startswith(BOM) else "") + read + end
        return encoded_line(read, name) + end

    return exact
