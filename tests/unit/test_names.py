"""Names of files and modules in docstrings, comments and documents are of what is there.

A file that is renamed takes what speaks of it along, or a test fails here.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("python", "rplugin", "lua", "plugin", "ftplugin", "tests", "bench", "doc")
PATH = re.compile(r"(?<![\w/.~$%*-])((?:[\w-]+/)*[\w-]+\.(?:py|lua))(?![\w/*])")
"""A file, with as much of its path as is said."""
PLACE = re.compile(r"`((?:[a-z_]+/)+[a-z_*]*)`")
"""A folder or a module, as documents say it: `view/pause`, `tests/proof/`."""
DOTTED = re.compile(r"`((?:acp_nvim|acp_tutor|acp|tests)(?:\.[a-z_]+)+)(?:\.[A-Z]\w*)?`")
"""A module, by its whole name."""
WITHIN = re.compile(r"`([a-z_]+)\.([a-z_]+)(?:\.\w+)*`")
"""A module by its folder, as `files.disk.stamp`."""
ATTRIBUTES = {"nvim.loop"}
OTHERS = {
    # of Neovim, of Python, and of projects that examples speak of
    *("a.py", "stats.py", "init.lua", ".nvim.lua", "repro.lua", "queue.py", "module.lua"),
    *(
        "main.py",
        "b.py",
        "x.py",
        "setup.py",
        "conftest.py",
        "json.py",
        "foo.py",
        "cache.py",
        "test_stats.py",
    ),
}


@cache
def files() -> frozenset[str]:
    """Return the paths of all files of the repository, and of its folders."""
    found = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("*") if path.is_file()}
    for folder in FOLDERS:
        found |= {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*")}
    return frozenset(it for it in found | set(FOLDERS) if "__pycache__" not in it)


@cache
def endings() -> frozenset[str]:
    """Return all that a path may be called: any part of it up to its end."""
    parts = (path.split("/") for path in files())
    return frozenset("/".join(it[at:]) for it in parts for at in range(len(it)))


@cache
def packages() -> frozenset[str]:
    """Return the folders that a place may begin with; ACP has methods like `session/new`."""
    ours = {it.name for it in (ROOT / "python" / "acp_nvim").iterdir() if it.is_dir()}
    return frozenset(ours | set(FOLDERS)) - {"session"}


def is_there(name: str) -> bool:
    """Say whether something of the repository has that name, at least as the end of its path."""
    bare = name.removesuffix("*").rstrip("/")
    return any(it in endings() for it in (bare, f"{bare}.py", f"{bare}.lua"))


def docstrings(text: str) -> Iterator[str]:
    """Yield what a Python file says in words."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield str(node.value.value)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def comments(text: str) -> Iterator[str]:
    """Yield what a Lua file says in words."""
    yield from re.findall(r"--+(.*)", text)


def said(path: Path) -> str:
    """Return what a file says in words."""
    text = path.read_text("utf-8")
    speaks = {".py": docstrings, ".lua": comments}.get(path.suffix)
    return "\n".join(speaks(text)) if speaks else text


def missing(text: str) -> list[str]:
    """Return the names in a text that nothing has."""
    found = {it for it in PATH.findall(text) if it.split("/")[-1] not in OTHERS}
    found |= {it for it in PLACE.findall(text) if it.split("/")[0] in packages()}
    wrong = {it for it in found if not is_there(it)}
    for dotted in DOTTED.findall(text):  # a module, or a name in one
        path = dotted.replace(".", "/")
        if not (is_there(path) or is_there(path.rpartition("/")[0])):
            wrong.add(dotted)
    for folder, module in WITHIN.findall(text):
        is_ours = folder in packages() or folder == "services"  # as `files` was called once
        if is_ours and not is_there(f"{folder}/{module}"):
            wrong.add(f"{folder}.{module}")
    return sorted(wrong - ATTRIBUTES)


def speakers() -> list[str]:
    code = (*ROOT.glob("python/**/*.py"), *ROOT.glob("rplugin/**/*.py"), *ROOT.glob("lua/**/*.lua"))
    documents = (*ROOT.glob("doc/*.md"), *ROOT.glob("doc/*.txt"), ROOT / "README.md")
    code = (*code, *ROOT.glob("plugin/*.lua"), *ROOT.glob("ftplugin/*.lua"))
    return sorted(it.relative_to(ROOT).as_posix() for it in (*code, *documents))


@pytest.mark.parametrize("speaker", speakers())
def test_what_is_named_is_there(speaker: str) -> None:
    assert missing(said(ROOT / speaker)) == []


def test_what_tests_name_by_its_whole_path_is_there() -> None:
    whole = re.compile(rf"(?:{'|'.join(FOLDERS)})/")
    tests = (
        it for it in sorted(files()) if it.startswith("tests/") and it.endswith((".py", ".md"))
    )
    likely = (it for it in tests if whole.search((ROOT / it).read_text("utf-8")))
    wrong = [(it, name) for it in likely for name in missing(said(ROOT / it)) if whole.match(name)]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("see `lua/acp/gone.lua`", ["lua/acp/gone.lua"]),
        ("gone.py has it", ["gone.py"]),
        ("`transport/gone` and `view/pause`", ["transport/gone"]),
        ("`acp_nvim.gone.it`", ["acp_nvim.gone.it"]),
        ("`services.disk.stamp`, `files.disk.stamp`", ["services.disk"]),
        ("files/git.py, `lua/acp/ui/`, tests/unit/test_docs.py", []),
    ],
)
def test_a_wrong_name_is_seen(text: str, wrong: list[str]) -> None:
    assert missing(text) == wrong
