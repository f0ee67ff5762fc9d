"""Which test shows which obligation: `python -m tests.support.obligations` writes doc/protocol.md.

An obligation is shown by every test whose name has its number (`test_c042_…`, and of version 2
`test_c2_010_…`); one without any
needs a reason in a dict `NOT_TESTED` of its module. A reason beside a test is about a part of it.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).with_name("obligations.json")
PAGE = ROOT / "doc" / "protocol.md"
FOLDERS = ("tests/conformance", "tests/editor")

HEAD = """\
# The protocol: what a client must do, and what shows that this one does

{count} obligations of a client of ACP v1, and of v2 from C2-001 on, in our own words, and the tests
named by their numbers.
This page is written by `python -m tests.support.obligations`; a test compares it.

The level is the specification's word. `*`: derived from the schema or from JSON-RPC; `(RFD)`: said
only in an RFD; REC: said nowhere, and needed in practice; PROJECT: a rule of this project, stricter
than the specification. {shown} have tests, {reasons} have a reason instead.

| Number | Level | What | Shown by |
|---|---|---|---|
"""


@dataclass(frozen=True, slots=True)
class Obligation:
    """One row of the page, without what shows it."""

    number: str
    level: str
    summary: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the test modules say: the tests of a number, and the reasons for having none."""

    tests: Mapping[str, list[str]]
    reasons: Mapping[str, str]


def obligations() -> list[Obligation]:
    """Return all of them, in order."""
    return [Obligation(**row) for row in json.loads(LIST.read_text(encoding="utf-8"))]


def evidence() -> Evidence:
    """Read the test modules, without running them."""
    tests: dict[str, list[str]] = {}
    reasons: dict[str, str] = {}
    for path in _modules():
        module = ast.parse(path.read_text(encoding="utf-8"))
        for node in module.body:
            for number in _numbers(node):
                tests.setdefault(number, []).append(f"{path.stem}.{node.name}")  # type: ignore[attr-defined]
        for statement in module.body:
            reasons |= _reasons(statement)
    return Evidence(tests, reasons)


def _modules() -> Iterator[Path]:
    for folder in FOLDERS:
        yield from sorted((ROOT / folder).glob("**/test_*.py"))


def _numbers(node: ast.AST) -> list[str]:
    """Return the numbers in the name of a test: `test_c001_…`, `test_c001_c002_…`."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return []
    if found := re.match(r"test_c2_(\d{3})_", node.name):
        return [f"C2-{found[1]}"]
    found = re.match(r"test((?:_c\d{3})+)_", node.name)
    return [f"C-{number}" for number in re.findall(r"\d{3}", found[1])] if found else []


def _reasons(statement: ast.stmt) -> dict[str, str]:
    match statement:
        case ast.Assign(targets=[ast.Name("NOT_TESTED")], value=value):
            return dict(ast.literal_eval(value))
        case _:
            return {}


def page() -> str:
    """Return the page as it should be."""
    known, found = obligations(), evidence()
    rows = [_row(it, found) for it in known]
    shown = sum(it.number in found.tests for it in known)
    head = HEAD.format(count=len(known), shown=shown, reasons=len(known) - shown)
    return head + "\n".join(rows) + "\n"


def _row(it: Obligation, found: Evidence) -> str:
    shown = [f"`{name}`" for name in found.tests.get(it.number, [])]
    if it.number in found.reasons or not shown:
        shown.append(f"not tested: {found.reasons.get(it.number, 'MISSING')}")
    cell = "<br>".join(shown)
    return f"| {it.number} | {it.level} | {it.summary} | {cell} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
