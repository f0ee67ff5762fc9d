"""`make demo`: a real Neovim with the tutor at work on a small sample.

Isolated from the user's configuration and data; needs no key, no network, no configuration.
Arguments are passed on to Neovim.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

INIT = """\
vim.opt.runtimepath:prepend({root!r})
vim.g.acp = {{ python = {python!r} }}
pcall(vim.cmd.helptags, {root!r} .. '/doc')
vim.o.termguicolors = vim.env.COLORTERM == 'truecolor'
vim.o.laststatus, vim.o.number, vim.o.mouse = 2, true, 'a'
vim.cmd.filetype('plugin on')
vim.api.nvim_create_autocmd('VimEnter', {{
  callback = function()
    vim.cmd('Acp tutor')
    vim.cmd.tabonly()
  end,
}})
"""


def main() -> int:
    """Run the demo; return Neovim's exit code."""
    with tempfile.TemporaryDirectory(prefix="acp-demo-") as folder:
        print("Starting Neovim with the tutor ...", flush=True)
        init = Path(folder, "init.lua")
        init.write_text(INIT.format(root=str(ROOT), python=sys.executable), encoding="utf-8")
        command = [find_nvim(), "-u", str(init), "-i", "NONE", *sys.argv[1:]]
        return subprocess.run(command, cwd=folder, env=environment(folder), check=False).returncode


def find_nvim() -> str:
    """Return the user's nvim if it is 0.10 or newer, else the one beside this Python."""
    own = shutil.which("nvim")
    if own and version(own) >= (0, 10):
        return own
    return str(Path(sys.executable).parent / "nvim")


def version(nvim: str) -> tuple[int, int]:
    """Return major and minor version of an nvim program; (0, 0) when it does not say."""
    said = subprocess.run([nvim, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.match(r"NVIM v(\d+)\.(\d+)", said)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def environment(folder: str) -> Mapping[str, str]:
    """Return the environment with all of the user's Neovim folders moved into `folder`."""
    names = ("CONFIG", "DATA", "STATE", "CACHE")
    moved = {f"XDG_{name}_HOME": os.path.join(folder, name.lower()) for name in names}
    return {**os.environ, **moved}


if __name__ == "__main__":
    sys.exit(main())
