"""All sentences that the program can say, to be read side by side.

`python -m tests.support.screen.sentences` prints them.
They are collected from the code: texts of some words in Python and Lua, but for what is said to
developers (docstrings, comments), with `{}` for what is put in.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PYTHON = ROOT / "python" / "acp_nvim"
LUA = ROOT / "lua" / "acp"
_WORDS = re.compile(r"[A-Za-z]{2,}[^\n]*? [A-Za-z]{2,}[^\n]*? [A-Za-z]{2,}")
_LITERAL = re.compile(r"'((?:\\.|[^'\\\n])*)'|\"((?:\\.|[^\"\\\n])*)\"")
_COMMENT = re.compile(r"^\s*--.*$|\s--\s.*$", re.MULTILINE)


def sentences() -> dict[str, list[str]]:
    """Return them by the file that has them, in its order."""
    found = {}
    for path in sorted([*PYTHON.rglob("*.py"), *LUA.rglob("*.lua")]):
        text = path.read_text(encoding="utf-8")
        texts = _of_python(text) if path.suffix == ".py" else _of_lua(text)
        said = list(dict.fromkeys(it for it in texts if _WORDS.search(it)))
        if said:
            found[str(path.relative_to(ROOT))] = said
    rows = json.loads((PYTHON / "commands.json").read_text(encoding="utf-8"))
    return found | {"python/acp_nvim/commands.json": [row["desc"] for row in rows]}


def _of_python(text: str) -> Iterator[str]:
    tree = ast.parse(text)
    silent: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            silent.add(id(node.value))  # a docstring
        elif isinstance(node, ast.JoinedStr):
            silent.update(id(it) for it in ast.walk(node) if it is not node)
    for node in ast.walk(tree):
        if id(node) in silent:
            continue
        if isinstance(node, ast.JoinedStr):
            parts = (it.value if isinstance(it, ast.Constant) else "{}" for it in node.values)
            yield "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _of_lua(text: str) -> Iterator[str]:
    for single, double in _LITERAL.findall(_COMMENT.sub("", text)):
        yield re.sub(r"%[-\d.]*[sdS]", "{}", single or double)


def main() -> None:
    """Print the table."""
    for path, said in sentences().items():
        print(f"\n{path}")
        for text in said:
            print(f"    {text}")


if __name__ == "__main__":
    main()
