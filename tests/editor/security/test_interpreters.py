"""No Python that the plugin starts runs what lies in a project, whatever PYTHONPATH says."""

from __future__ import annotations

import hashlib
import os
import sys
import zipfile
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


def tools(folder: Path) -> Path:
    """Return a folder of programs without uv."""
    bin_ = folder / "bin"
    bin_.mkdir()
    for name in ("python3", "python3.11"):
        (bin_ / name).symlink_to(sys.executable)
    for tool in ("sh", "cat"):
        (bin_ / tool).symlink_to(f"/bin/{tool}")
    return bin_


def test_an_installation_and_the_health_check_as_well(project: Path, tmp_path: Path) -> None:
    bin_ = tools(tmp_path)
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


SHELL = {
    "PYTHONHOME": "/nowhere",
    "PYTHONSAFEPATH": "",
    "PYTHONINSPECT": "1",
    "PYTHONWARNINGS": "error",
    "PYTHONBREAKPOINT": "queue.x",
    "PYTHONASYNCIODEBUG": "1",
    "MALLOC_ARENA_MAX": "4",
    "VIRTUAL_ENV": "/nowhere",
    "__PYVENV_LAUNCHER__": "/nowhere",
}


@pytest.fixture
def shell(project: Path) -> dict[str, str]:
    """Return the variables of a shell that has much to say to Pythons, with traps of all kinds."""
    trap = TRAP.format(str(project.parent / "ran"))
    for name in ("queue", "json", "asyncio", "runpy", "acp_nvim", "acp_tutor"):
        (project / f"{name}.py").write_text(trap)
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    base = project / "base" / "lib" / version / "site-packages"
    base.mkdir(parents=True)
    (base / "usercustomize.py").write_text(trap)
    (base / "x.pth").write_text("import usercustomize\n")
    paths = {"PYTHONPATH": str(project), "PYTHONSTARTUP": str(project / "queue.py")}
    return {**SHELL, **paths, "PYTHONUSERBASE": str(project / "base")}


AGENT = """
vim.g.acp = {
  python = vim.g.acp.python,
  agents = { dumps = { command = '/bin/sh', args = { '-c', ... } } },
}
"""


@pytest.mark.usefixtures("cold")
def test_what_the_shell_says_to_pythons_is_for_agents_alone(
    project: Path, shell: dict[str, str]
) -> None:
    with Neovim(cwd=project, env=shell) as nvim:
        nvim.command("AcpStart tutor")
        nvim.wait("require('acp').status().state == 'idle'")
        nvim.command("AcpPrompt hello")
        nvim.wait("#require('acp').inspect().sessions[1].entries > 1")
        seen = project.parent / "seen"
        nvim.lua(AGENT, f"env -0 > {seen}.new; mv {seen}.new {seen}")
        nvim.command("AcpStart dumps")
        nvim.wait(seen.exists)
        nvim.command("checkhealth acp")
        assert "(from vim.g.acp.python)" in "\n".join(nvim.lines())
    environment = dict(it.split("=", 1) for it in seen.read_text().split("\0") if it)
    assert {name: environment.get(name) for name in shell} == shell
    assert not [name for name in environment if name.startswith("ACP_NVIM_KEPT_")]
    assert "MALLOC_TRIM_THRESHOLD_" not in environment  # the host's own
    assert not (project.parent / "ran").exists()


PLUGIN = """
local root = ...
vim.g.acp = {}
require('acp.host.interpreter').root = function() return root end
"""


def a_plugin(folder: Path) -> Path:
    """Return a plugin that needs one package, whose wheel is in `wheels` beside it."""
    wheels, plugin, about = folder / "wheels", folder / "plugin", "lonely-1.0.dist-info"
    wheels.mkdir()
    wheel = wheels / "lonely-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("lonely.py", "")
        file.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: lonely\nVersion: 1.0\n")
        file.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        file.writestr(f"{about}/RECORD", "")
    for name in ("python", "rplugin"):
        (plugin / name).mkdir(parents=True)
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    (plugin / "requirements.txt").write_text(f"lonely==1.0 --hash=sha256:{digest}\n")
    return plugin


@pytest.mark.usefixtures("cold")
def test_an_installation_is_not_led_astray(
    project: Path, shell: dict[str, str], tmp_path: Path
) -> None:
    """A real pip, a real environment, and settings that each would break it; its wheel is found
    where the user's settings say that wheels are."""
    plugin = a_plugin(tmp_path)
    home = tmp_path / "home"
    settings = home / ".config/pip/pip.conf"
    settings.parent.mkdir(parents=True)
    settings.write_text(
        f"[global]\nfind-links = {tmp_path}/wheels\nno-index = true\nuser = true\n"
        f"constraint = {project}/nothing\nno-binary = :all:\n"
        f"[install]\ntarget = {project}/there\nno-deps = true\ndry-run = true\n"
    )
    env = {
        **shell,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "PATH": str(tools(tmp_path)),
        "PIP_FIND_LINKS": "",
        "PIP_USER": "1",
        "PIP_REQUIRE_VIRTUALENV": "1",
        "PIP_PREFIX": str(project / "there"),
        "PIP_PYTHON": "/nowhere",
    }
    with Neovim(cwd=project, env=env) as nvim:
        nvim.lua(PLUGIN, str(plugin))
        nvim.lua("require('acp.host.install').run(function(err) _G.done = { err or vim.NIL } end)")
        assert nvim.wait("_G.done", timeout=120) == [None]
        venv = Path(nvim.lua("return require('acp.host.interpreter').venv()"))
        assert list(venv.glob("lib/python3*/site-packages/lonely.py"))
    assert not (project / "there").exists()
    assert not (project.parent / "ran").exists()
