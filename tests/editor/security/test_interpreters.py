"""No Python that the plugin starts runs what lies in a project, whatever PYTHONPATH says."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.support.nvim import Neovim

TRAPS = (
    "pynvim",
    "venv",
    "pip",
    "logging",
    "sitecustomize",
    "usercustomize",
    "msgpack",
    "pydantic",
)
TRAP = "open({!r}, 'a').write(__name__ + '\\n')\nraise SystemExit(9)\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    for name in TRAPS:
        (folder / f"{name}.py").write_text(TRAP.format(str(tmp_path / "ran")))
    return folder


@pytest.mark.parametrize("python_path", ["", ":", ".:"])
def test_the_host_starts_where_no_project_is(project: Path, python_path: str) -> None:
    inherited = os.environ.get("PYTHONPATH", "")
    env = {"PYTHONPATH": python_path + inherited}
    with Neovim(cwd=project, env=env) as nvim:
        nvim.command("Acp start tutor")
        nvim.wait("require('acp').inspect().host.python")
        assert not (project.parent / "ran").exists()
        # and is where the user is
        pid = nvim.lua("return require('acp').inspect().host.pid")
        assert os.readlink(f"/proc/{pid}/cwd") == str(project)


def test_an_installation_and_the_health_check_as_well(project: Path, tmp_path: Path) -> None:
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    for name in ("python3", "python3.11"):
        (bin_ / name).symlink_to(sys.executable)
    for tool in ("sh", "cat"):
        (bin_ / tool).symlink_to(f"/bin/{tool}")
    # the pip in the environment is real, and fails for want of an index
    env = {"PATH": str(bin_), "PYTHONPATH": ":", "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}
    with Neovim(cwd=project, env=env) as nvim:
        nvim.command("let g:acp = {}")
        nvim.lua("require('acp.host.install').run(function(err) _G.done = { err or vim.NIL } end)")
        nvim.wait("_G.done", timeout=120)
        assert not (project.parent / "ran").exists()
        nvim.lua("vim.g.acp = { python = ... }", sys.executable)
        nvim.command("checkhealth acp")
        assert not (project.parent / "ran").exists()
        assert "(from vim.g.acp.python)" in "\n".join(nvim.lines())
