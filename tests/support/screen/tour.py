"""Takes the README's picture: `python -m tests.support.screen.tour doc/screen.svg`.

The tutor in its sample project, at the moment when it asks before it edits.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from tests.support.nvim import ROOT, Neovim
from tests.support.screen.grid import Screen
from tests.support.screen.picture import save

COLUMNS, ROWS = 124, 34


def take(path: Path) -> None:
    """Write the picture."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "project")
        shutil.copytree(ROOT / "python" / "acp_tutor" / "sample", project)
        with (
            Neovim(cwd=project, columns=COLUMNS, lines=ROWS) as nvim,
            Screen(nvim, COLUMNS, ROWS) as screen,
        ):
            nvim.command("set termguicolors number laststatus=2 | edit stats.py")
            nvim.input(":AcpStart tutor<CR>")
            screen.wait_for("idle")
            nvim.input("<C-w>h:4,6AcpPrompt /edit<CR>")
            screen.wait_for("4. No")
            nvim.input(":2<CR>")
            screen.wait_gone(":4,6")
            save(screen, path)


if __name__ == "__main__":
    take(Path(sys.argv[1]))
