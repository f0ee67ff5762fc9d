"""The import table of doc/architecture.md holds: import-linter reads it from pyproject.toml."""

import ast
import os
import re
import subprocess
import sys
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_modules_import_only_downwards() -> None:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    run = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_no_file_holds_two_ideas() -> None:
    """A file is cut where a second idea begins; 600 lines are a sign of one."""
    sources = [
        *ROOT.glob("python/**/*.py"),
        *ROOT.glob("lua/**/*.lua"),
        *ROOT.glob("rplugin/**/*.py"),
    ]
    long = {
        str(path.relative_to(ROOT)): lines
        for path in sources
        if (lines := path.read_text(encoding="utf-8").count("\n")) > 600
    }
    assert not long


def test_no_module_comes_back_to_itself() -> None:
    """The contracts forbid circles between rooms; this one forbids them within a room, too."""
    sources = {_module(path): ast.parse(path.read_text("utf-8")) for path in _sources()}
    imports = {
        name: {
            target
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module
            for alias in node.names
            for target in (f"{node.module}.{alias.name}", node.module)
            if target in sources and target != name
        }
        for name, tree in sources.items()
    }
    list(TopologicalSorter(imports).static_order())


def test_no_folder_holds_more_than_one_can_take_in() -> None:
    """Twenty files at most; about fifteen siblings want a room."""
    folders = Counter(
        str(path.parent.relative_to(ROOT))
        for top in ("python", "rplugin", "lua", "plugin", "bench", "tests")
        for path in ROOT.glob(f"{top}/**/*")
        if path.suffix in (".py", ".lua") and path.name != "__init__.py"
    )
    assert not {folder: count for folder, count in folders.items() if count > 20}


def test_no_record_and_no_constructor_takes_more_than_one_can_name() -> None:
    """A record has sixteen fields at most, but for the state of a session; an `__init__` takes
    seven parameters at most."""
    wide = []
    for path in _sources():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.ClassDef):
                continue
            fields = [it for it in node.body if isinstance(it, ast.AnnAssign)]
            parts = (*node.bases, *node.decorator_list)
            is_record = any(re.search("Struct|Stored|dataclass", ast.unparse(it)) for it in parts)
            if is_record and len(fields) > 16 and node.name != "SessionState":
                wide.append(f"{node.name}: {len(fields)} fields")
            wide += [
                f"{node.name}: {count} parameters"
                for it in node.body
                if isinstance(it, ast.FunctionDef) and it.name == "__init__"
                if (count := len(it.args.args) + len(it.args.kwonlyargs) - 1) > 7
            ]
    assert not wide


def _sources() -> list[Path]:
    return sorted((ROOT / "python").glob("**/*.py"))


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT / "python").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_dataclasses_are_in_wire_only() -> None:
    """Making one takes a hundred times as long as making a struct, at each start."""
    found = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "python" / "acp_nvim").glob("**/*.py")
        if path.parent.name != "wire" and "dataclasses" in path.read_text("utf-8")
    ]
    assert not found
