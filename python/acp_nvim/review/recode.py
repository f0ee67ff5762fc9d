"""Ledgers whose lines are not in the encoding that the file is in now.

Those of earlier versions had the lines as they are read, not as they are; or the user has converted
the file. What an agent has converted is a change like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from acp_nvim.files.encoding import (
    BOM,
    LATIN_1,
    MARKS,
    UTF_8,
    WIDE,
    codec,
    decoded,
    encoded_line,
    guess,
)
from acp_nvim.ledger.ledger import Ledger
from acp_nvim.ledger.span import marked, split_lines


def recoded(ledger: Ledger, text: str, encoding: str, last: str = "") -> Ledger:
    """Return the ledger of a file that holds that exact text now, with its lines as they would be.

    The same one, if they are so. `encoding`: that of its buffer, "" without one; `last`: the same
    when its lines were as they are in the ledger.
    """
    odd = [it for span in ledger.weave for it in span.lines if not it.isascii()]
    rest = marked(text)[1] or ""
    held = {*split_lines(text), *split_lines(rest)} if odd else set()
    # a line that is back, as it was before an agent converted it, is as the ledger has it
    if held.isdisjoint(odd):
        name = codec(encoding) if encoding else guess(text)
        if odd and rest.isascii() and (name in MARKS) != (marked(ledger.text)[0][:1] in WIDE):
            return _mapped(ledger, _coder(codec(last), name))  # as they are they cannot come back
        for old in dict.fromkeys((codec(last), UTF_8, LATIN_1)):
            exact = _coder(old, name)
            if not held.isdisjoint(map(exact, odd)):
                return _mapped(ledger, exact)
    return ledger


def revived(ledger: Ledger) -> Ledger:
    """Return the ledger of a file that is gone, with exact lines."""
    name = codec(ledger.form.encoding)
    form = replace(ledger.form, encoding="")
    return replace(ledger if name == UTF_8 else _mapped(ledger, _coder(UTF_8, name)), form=form)


def _mapped(ledger: Ledger, exact: Callable[[str], str]) -> Ledger:
    weave = (replace(span, lines=tuple(map(exact, span.lines))) for span in ledger.weave)
    return replace(ledger, weave=tuple(weave))


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
