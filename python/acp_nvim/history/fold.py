"""A file of its facts: whatever was done to it follows from them alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from acp_nvim.history.attributes import FileAttributes
from acp_nvim.history.change import apply_change
from acp_nvim.history.facts import Began, Fact, Had, Kept, Off, On, Recoded, Rejected, Saw, Wrote
from acp_nvim.history.file import File
from acp_nvim.history.form import parsed
from acp_nvim.history.line import Run, Runs, packed
from acp_nvim.history.review import apply_decision
from acp_nvim.history.switch import apply_off, apply_on


def fold(facts: Iterable[Fact]) -> File:
    """Return the file that these facts have left, the first of which is how it began."""
    file = File()
    for fact in facts:
        file = apply(file, fact)
    return file


def apply(file: File, fact: Fact) -> File:
    """Return the file after one more fact."""
    match fact:
        case Began():
            return _begun(fact)
        case Wrote() | Saw():
            return apply_change(file, fact)
        case Off():
            return apply_off(file, fact)
        case On():
            return apply_on(file, fact)
        case Kept() | Rejected():
            return apply_decision(file, fact)
        case Recoded():
            return _recoded(file, fact)
        case Had(attributes):
            return replace(file, facts=(*file.facts, fact), attributes=attributes)


def begin(text: str | None) -> File:
    """Return a file that no agent has changed yet; None: there is no file."""
    return _begun(Began(text))


def had(file: File, attributes: FileAttributes) -> File:
    """Return the file with these attributes for when it comes back."""
    return file if file.attributes == attributes else apply(file, Had(attributes))


def recoded(file: File, lines: Mapping[str, str]) -> File:
    """Return the file with other lines for these, wherever they are there or were."""
    return apply(file, Recoded(tuple(lines.items()))) if lines else file


def _begun(fact: Began) -> File:
    written = parsed(fact.text)
    runs = packed([Run(tuple(written.lines))]) if written.lines else ()
    form = tuple(Run((it,)) for it in written.settings)
    return File((fact,), runs, form)


def _recoded(file: File, fact: Recoded) -> File:
    lines = dict(fact.lines)
    runs: Runs = tuple(
        Run(tuple(lines.get(it, it) for it in run.texts), run.story) for run in file.runs
    )
    return replace(file, facts=(*file.facts, fact), runs=runs)
