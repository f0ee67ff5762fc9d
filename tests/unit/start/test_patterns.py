"""No pattern is compiled when the program is loaded; what is used of one is what `re` gives."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from acp_nvim.patterns import lazy_pattern

ROOT = Path(__file__).resolve().parents[3] / "python" / "acp_nvim"


def at_import(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what runs when a module is loaded: no body of a function."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            yield from at_import(child)
        elif not isinstance(child, ast.Lambda):
            yield from (it for part in child.decorator_list for it in ast.walk(part))


def test_no_module_compiles_a_pattern_when_it_is_loaded() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in ROOT.rglob("*.py")
        for node in at_import(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re.")
    ]
    assert not found


def test_a_pattern_is_the_compiled_one_when_it_is_used() -> None:
    text, flags = r"(\w+)-(\d)", re.IGNORECASE
    late, compiled = lazy_pattern(text, flags), re.compile(text, flags)
    said = "a-1 B-2"
    assert late.findall(said) == compiled.findall(said)
    assert late.sub(r"\2", said) == compiled.sub(r"\2", said)
    assert [it.span() for it in late.finditer(said)] == [
        it.span() for it in compiled.finditer(said)
    ]
    assert late.pattern == text
    assert late.flags == compiled.flags
    assert lazy_pattern(rb"b").fullmatch(b"b") is not None
