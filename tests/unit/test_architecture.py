"""The import table of doc/architecture.md holds: import-linter reads it from pyproject.toml."""

import os
import subprocess
import sys
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
    """400 lines at most; tables and wire types are exempt."""
    exempt = {"python/acp_nvim/protocol/v1/types.py"}
    sources = [
        *ROOT.glob("python/**/*.py"),
        *ROOT.glob("lua/**/*.lua"),
        *ROOT.glob("rplugin/**/*.py"),
    ]
    long = {
        str(path.relative_to(ROOT)): lines
        for path in sources
        if (lines := path.read_text(encoding="utf-8").count("\n")) > 400
    }
    assert not {name: lines for name, lines in long.items() if name not in exempt}
