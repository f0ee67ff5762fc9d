"""`:checkhealth acp`, as a user reads it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.fakes.fake_host import script
from tests.support.nvim import Neovim

pytestmark = pytest.mark.usefixtures("cold")


def report(options: dict[str, Any] | None = None) -> str:
    with Neovim(options) as nvim:
        nvim.command("checkhealth acp")
        return "\n".join(nvim.lines())


def test_all_is_well() -> None:
    text = report({"agents": {"mine": {"command": sys.executable}, "gone": {"command": "no-such"}}})
    for package in ("pynvim", "pydantic", "anyio", "pygments"):
        assert f"OK {package} " in text
    assert f"OK {sys.executable} 3." in text
    assert "(from vim.g.acp.python)" in text
    assert "OK version 0.1.0, process" in text
    assert "OK vim.g.acp is valid" in text
    assert "OK mine" in text and f"{sys.executable}" in text
    assert "gone: no-such is not on PATH; its command is set in vim.g.acp.agents" in text
    assert "goose" in text and "install it with: " in text
    assert "ERROR" not in text


def test_mistakes_in_the_configuration() -> None:
    text = report({"default_agnet": "gemini", "ui": {"layout": "above"}})
    assert "WARNING" in text
    assert "default_agnet" in text and "default_agent" in text
    assert "layout" in text


def test_an_interpreter_that_is_not_there() -> None:
    text = report({"python": "/no/such/python"})
    assert "ERROR /no/such/python (vim.g.acp.python) does not run" in text
    assert "run :Acp install" in text


def test_packages_that_are_missing(tmp_path: Path) -> None:
    text = report({"python": script(tmp_path / "python", f'exec {sys.executable} -S "$@"')})
    assert "ERROR package pydantic is missing" in text
    assert "ERROR the host: Python package pynvim is missing" in text


def test_the_version_of_an_agent_that_was_connected() -> None:
    with Neovim() as nvim:
        nvim.command("AcpStart tutor")
        nvim.wait("require('acp').status().state == 'idle'")
        nvim.command("checkhealth acp")
        assert "OK tutor 0.1.0: " in "\n".join(nvim.lines())


def test_an_interpreter_that_is_too_old(tmp_path: Path) -> None:
    old = "case \"$2\" in *version_info*exit*) printf 'Python 3.9' >&2; exit 3; esac"
    python = script(tmp_path / "python", f"{old}\necho python 3.9.1; exit 1\n")
    text = report({"python": python})
    assert f"ERROR {python} 3.9.1 (from vim.g.acp.python) is too old: 3.11 is needed" in text
    assert f"ERROR the host: {python} is Python 3.9, the host needs 3.11 or newer" in text
    assert "not checked: that needs the host" in text


def test_modules_of_the_project_are_not_run() -> None:
    with Neovim() as nvim:
        (nvim.cwd / "importlib.py").write_text("raise SystemExit('run')")
        nvim.command("checkhealth acp")
        assert "ERROR" not in "\n".join(nvim.lines())


def test_a_shell_that_is_not_there() -> None:
    assert "vim.g.acp.shell: there is no program nosh" in report({"shell": "nosh"})
    assert "there is no program" not in report({"shell": "sh"})


BLINK = "package.loaded['blink.cmp.config'] = { sources = { default = { 'lsp', 'path' }, %s } }"
LUALINE = """package.loaded.lualine = { get_config = function() return {
  options = { disabled_filetypes = { winbar = { %s } } },
  winbar = { lualine_c = { 'filename' } },
} end }"""
TREE = """package.loaded['nvim-tree.config'] = { g = { actions = { open_file = { window_picker = {
  enable = true, exclude = { filetype = { 'qf', %s } } } } } } }"""
RENDER = "package.loaded['render-markdown.state'] = { file_types = { 'markdown', %s } }"


@pytest.mark.parametrize(
    ("plugin", "wrong", "right", "told"),
    [
        (BLINK, "per_filetype = {}", "per_filetype = { acp_prompt = { 'lsp' } }", "blink.cmp: its"),
        (LUALINE, "", "'acp_chat'", "lualine.nvim: its winbar"),
        (TREE, "", "'acp_prompt'", "nvim-tree.lua: its window picker"),
        (RENDER, "'acp_chat'", "", "render-markdown.nvim: it draws"),
    ],
)
def test_settings_of_other_plugins(
    nvim: Neovim, plugin: str, wrong: str, right: str, told: str
) -> None:
    find = "return vim.tbl_map(function(it) return it.problem end, M.problems())"
    problems = "local M = require('acp.host.neighbours') " + find
    nvim.lua(plugin % wrong)
    (problem,) = nvim.lua(problems)
    assert problem.startswith(told)
    nvim.lua(plugin % right)
    assert nvim.lua(problems) == []
    nvim.lua(
        "for name in pairs({ ['blink.cmp.config'] = 1, lualine = 1 }) do "
        "package.loaded[name] = {} end"
    )
    assert nvim.lua(problems) == []  # a version that keeps its settings elsewhere
