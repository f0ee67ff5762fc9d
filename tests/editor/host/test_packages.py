"""The plugin as package managers lay it out, what file types get, and `repro.lua`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.fakes.spy import BridgeSpy
from tests.support.nvim import ROOT, Neovim, binary

pytestmark = pytest.mark.usefixtures("cold")

ROCKSPEC = ROOT / "acp.nvim-scm-1.rockspec"
SPEC = "local spec = {}; setfenv(assert(loadfile(...)), spec)(); return spec.build"
TAKE = """
local root, rock, share = ...
vim.opt.runtimepath:remove(root)
vim.opt.runtimepath:prepend(rock)
package.path = share .. '/?.lua;' .. share .. '/?/init.lua;' .. package.path
vim.cmd.runtime('plugin/acp.lua')
"""


def test_a_rock_has_all_that_is_needed(tmp_path: Path) -> None:
    rock, share = tmp_path / "rocks-5.1" / "acp.nvim" / "scm-1", tmp_path / "share" / "lua" / "5.1"
    with Neovim(plugin=False) as nvim:
        build = nvim.lua(SPEC, str(ROCKSPEC))
        for name in build["copy_directories"]:
            shutil.copytree(ROOT / name, rock / name)
        for name in build["install"]["conf"]:
            (rock / "conf").mkdir(exist_ok=True)
            shutil.copy(ROOT / name, rock / "conf" / name)
        shutil.copytree(ROOT / "lua", share)
        nvim.lua(TAKE, str(ROOT), str(rock), str(share))
        nvim.command("AcpStart tutor")
        nvim.wait("require('acp').status().state == 'idle'")
        assert nvim.lua("return require('acp.host.interpreter').root()") == str(rock)
        assert "pynvim" in nvim.lua("return require('acp.host.install').dependencies()")[0]
        assert "tutor" in nvim.eval("getcompletion('AcpStart tu', 'cmdline')")


def test_chat_and_prompt_are_file_types_like_others(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.command("filetype plugin on")
    chat, prompt = spy.open_session()
    for buffer in (chat, prompt):
        options = nvim.lua("return vim.bo[...].commentstring", buffer)
        assert options == "<!-- %s -->"
        assert nvim.lua("return vim.b[...].undo_ftplugin", buffer)
    before = nvim.lua("return vim.bo[...].comments", prompt)
    nvim.lua("vim.bo[...].filetype = 'text'", prompt)
    assert nvim.lua("return vim.bo[...].comments", prompt) != before
    assert nvim.lua("return vim.treesitter.language.get_lang('acp_prompt')") == "markdown"
    assert nvim.messages() == ""


def test_a_list_goes_on_in_the_prompt(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.command("filetype plugin on")
    spy.open_session()
    nvim.input("i- one<CR>two")
    assert nvim.lines() == ["- one", "  two"]


def test_the_smallest_configuration_starts(tmp_path: Path) -> None:
    script = tmp_path / "repro.lua"
    shutil.copy(ROOT / "repro.lua", script)
    for name in ("lua", "plugin"):
        (tmp_path / name).symlink_to(ROOT / name)
    said = "lua io.write(vim.fn.exists(':Acp'), ' ', vim.fn.stdpath('state'))"
    command = [binary(), "--headless", "-u", str(script), "-c", said, "-c", "qa!"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=40)
    assert run.stdout + run.stderr == f"2 {tmp_path}/.repro/state/nvim"


def test_a_plain_clone_has_its_help_by_the_commands_of_the_readme(tmp_path: Path) -> None:
    """`:Acp install`, which they give, too, has tests of its own (test_install.py)."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "\nnvim '+helptags ALL' '+Acp install'\n" in readme
    folder = re.search(r"~/\.local/share/(\S+)\n", readme)
    assert folder
    for name in ("doc", "plugin"):
        shutil.copytree(ROOT / name, tmp_path / folder[1] / name)
    env = {"XDG_DATA_HOME": tmp_path, "XDG_CONFIG_HOME": tmp_path, "XDG_STATE_HOME": tmp_path}
    said = "lua io.write(vim.fs.basename(vim.fn.bufname()), ' ', vim.fn.exists(':Acp'))"
    command = [binary(), "--headless", "+helptags ALL", "+help acp", f"+{said}", "+qa!"]
    run = subprocess.run(
        command, env=os.environ | env, capture_output=True, text=True, check=False, timeout=40
    )
    assert run.stdout + run.stderr == "acp.txt 2"
