"""Ledgers of earlier versions, which had the lines of files as they are read, not as they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from acp_nvim.files.encoding import MARKS, UTF_8, codec, encoded_line, guess
from acp_nvim.ledger.ledger import UNKNOWN_ATTRIBUTES, Ledger
from acp_nvim.ledger.span import split_lines

BOM = "\ufeff"


def recoded(ledger: Ledger, text: str, encoding: str) -> Ledger:
    """Return the ledger of a file that holds that exact text, with exact lines, as it is else.

    `encoding`: that of its buffer, "" without one.
    """
    odd = [it for span in ledger.weave if span.alive for it in span.lines if not it.isascii()]
    name = codec(encoding) if encoding else guess(text)
    held = set(split_lines(text)) if odd and name != UTF_8 else set()
    exact = _coder(name)
    if held and not held.intersection(odd) and not held.isdisjoint(map(exact, odd)):
        return _mapped(ledger, exact)
    return ledger


def revived(ledger: Ledger) -> Ledger:
    """Return the ledger of a file that is gone, with exact lines."""
    name = codec(ledger.form.encoding)
    form = replace(UNKNOWN_ATTRIBUTES, mode=ledger.form.mode)
    return replace(ledger if name == UTF_8 else _mapped(ledger, _coder(name)), form=form)


def _mapped(ledger: Ledger, exact: Callable[[str], str]) -> Ledger:
    weave = (replace(span, lines=tuple(map(exact, span.lines))) for span in ledger.weave)
    return replace(ledger, weave=tuple(weave))


def _coder(name: str) -> Callable[[str], str]:
    def exact(line: str) -> str:
        if line.isascii():
            return line
        if name in MARKS:
            return MARKS[name] + line if line.startswith(BOM) else line
        bare = line.rstrip("\r\n")
        return encoded_line(bare, name) + line[len(bare) :]

    return exact
