"""`:Acp install` with programs that only pretend: no network, no real environment."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.fakes.fake_host import script, until_gone
from tests.support.nvim import ROOT, Neovim
from tests.support.screen.grid import Screen

pytestmark = pytest.mark.usefixtures("cold")

VENV = """
case "$3" in
  venv) mkdir -p "$4/bin"; cp "$0" "$4/bin/python" ;;
esac
"""
READY = "the Python environment is ready: :Acp tutor teaches the plugin"
LOGGING = 'echo "$(basename "$0") $*" >> "$CALLS"\n'

Install = Callable[..., tuple[str | None, list[str]]]


def without_blanks(*lines: str) -> str:
    """Return the text of messages that may be broken into lines."""
    return "".join("".join(lines).split())


@pytest.fixture
def install(tmp_path: Path) -> Iterator[Install]:
    """Return a function that installs with these programs on PATH; it returns error and calls."""
    with ExitStack() as stack:
        calls = tmp_path / "calls"
        calls.touch()

        def run(**programs: str) -> tuple[str | None, list[str]]:
            folder = tmp_path / "bin"
            folder.mkdir()
            for tool in ("sh", "basename", "mkdir", "cp", "echo", "cat"):
                (folder / tool).symlink_to(f"/bin/{tool}")
            for name, text in programs.items():
                script(folder / name.replace("_", "."), LOGGING + text)
            env = {"PATH": str(folder), "CALLS": str(calls)}
            nvim = stack.enter_context(Neovim(env=env))
            nvim.lua("vim.g.acp = {}")
            nvim.lua(
                "require('acp.host.install').run(function(err) _G.done = { err or vim.NIL } end)"
            )
            err = nvim.wait("_G.done")[0]
            assert not nvim.mode()["blocking"]
            said = nvim.messages().splitlines()
            assert said[0].startswith("acp: installing (1 of 3): making a Python environment")
            told = f"acp: {err or READY}"
            assert without_blanks(told) in without_blanks(*said[1:])
            return err, calls.read_text().splitlines()

        yield run


WHEELS = f"--require-hashes --only-binary :all: -r {ROOT}/requirements.txt"


def test_with_uv(install: Install) -> None:
    venv = 'case "$1" in venv) shift 5; mkdir -p "$1/bin"; cp "$0" "$1/bin/python" ;; esac\n'
    err, calls = install(uv=venv, python3="exit 1")
    assert err is None
    assert calls[0].startswith("uv venv --quiet --allow-existing --python >=3.11 /")
    assert calls[0].endswith("/acp.nvim/venv")
    python = calls[0].split()[-1] + "/bin/python"
    assert calls[1] == f"uv pip install --quiet --compile-bytecode --python {python} {WHEELS}"
    assert calls[2].startswith("python -I -c import compileall")
    assert len(calls) == 3


def test_with_the_newest_python_that_runs(install: Install) -> None:
    err, calls = install(python3_13="exit 127", python3_12=VENV, python3_11=VENV, python3=VENV)
    assert err is None
    names = [call.split()[0] for call in calls]
    assert names == ["python3.13", "python3.12", "python3.12", "python", "python", "python"]
    assert calls[3] == "python -I -m pip config list"
    assert calls[4] == f"python -I -m pip install --quiet --disable-pip-version-check {WHEELS}"


CONFIG = r"""
case "$4 $5" in
  "config list") cat <<END
:env:.cert='/env.pem'
:env:.target='/there'
global.cert='/global.pem'
global.extra-index-url='https://a\nhttps://b\\c'
global.index-url='https://me:it\'s@host/simple'
global.user='true'
install.proxy="http://proxy's:1"
list.timeout='5'
END
  ;;
  "install --quiet") env >> "$CALLS" ;;
esac
"""


def test_of_the_users_settings_of_pip_those_of_the_network_stay(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_USER", "1")
    monkeypatch.setenv("PIP_CONSTRAINT", "/mine")
    err, calls = install(python3=VENV + CONFIG, env='exec /usr/bin/env "$@"')
    assert err is None
    said = "\n".join(calls)
    assert sorted(it for it in calls if it.startswith("PIP_")) == [
        "PIP_CERT=/env.pem",
        "PIP_CONFIG_FILE=/dev/null",
        "PIP_EXTRA_INDEX_URL=https://a",
        "PIP_INDEX_URL=https://me:it's@host/simple",
        "PIP_PROXY=http://proxy's:1",
    ]
    assert "=https://a\nhttps://b\\c\n" in said


def test_of_the_users_settings_of_uv_those_of_the_network_stay(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("UV_TARGET", "UV_CONSTRAINT", "UV_PYTHON", "UV_INDEX_URL", "UV_DEFAULT_INDEX"):
        monkeypatch.setenv(name, "/x")
    monkeypatch.setenv("VIRTUAL_ENV", "/x")
    make = 'case "$1" in venv) shift 5; mkdir -p "$1/bin"; cp "$0" "$1/bin/python" ;; '
    err, calls = install(uv=f'{make} pip) env >> "$CALLS" ;; esac\n', env='exec /usr/bin/env "$@"')
    assert err is None
    said = {it for it in calls if it.startswith(("UV_", "VIRTUAL_ENV"))}
    assert said == {"UV_INDEX_URL=/x", "UV_DEFAULT_INDEX=/x"}


def test_a_python_without_venv_gives_way_to_one_with_it(install: Install) -> None:
    broken = 'case "$2" in -m) echo "apt install python3.12-venv"; echo ensurepip; exit 1; esac\n'
    err, calls = install(python3_12=broken, python3_11=VENV)
    assert err is None
    assert [call.split()[0] for call in calls][2:4] == ["python3.11", "python3.11"]


@pytest.mark.parametrize(
    ("said", "package"),
    [
        ("ensurepip is not available.\\n\\n    apt install python3.12-venv\\n", "python3.12-venv"),
        ("/usr/bin/python3.12: No module named venv\\n", "python3.12-venv"),
        ("The virtual environment was not created: ensurepip\\n", "python3.12-venv"),
    ],
)
def test_the_debian_package_is_named(install: Install, said: str, package: str) -> None:
    err, _ = install(python3_12=f"case \"$2\" in -m) printf '{said}'; exit 1; esac\n")
    assert err is not None
    assert f"python3.12 has no venv module: apt install {package}, then :Acp install" in err


def test_no_python_is_new_enough(install: Install) -> None:
    err, calls = install(python3="exit 1")
    assert err == "there is no Python 3.11 or newer on PATH: install one, or uv, then :Acp install"
    assert len(calls) == 1


def test_the_last_line_of_an_error_is_told(install: Install) -> None:
    pip = 'case "$3" in pip) echo "a lot"; echo "no network" >&2; exit 1; esac\n'
    err, _ = install(python3=VENV + pip)
    assert err is not None
    assert err.startswith("python failed: no network; log: ")
    log = Path(err.split("log: ")[1]).read_text()
    assert "a lot" in log and "run: " in log


class Uv:
    """A `uv` that waits in `uv venv` until it is let go on, and then fails."""

    def __init__(self, folder: Path) -> None:
        self.started, self.finished = folder / "started", folder / "finished"
        self._gate = folder / "gate"
        os.mkfifo(self._gate)
        wait = f"echo $$ > {self.started}; cat {self._gate}; touch {self.finished}; exit 1"
        script(folder / "uv", wait)
        self.env = {"PATH": f"{folder}:{os.environ['PATH']}"}

    def pid(self) -> int | None:
        return int(text) if self.started.exists() and (text := self.started.read_text()) else None

    def go_on(self) -> None:
        self._gate.write_text("")


def test_it_never_blocks_and_runs_once_at_a_time(tmp_path: Path) -> None:
    uv = Uv(tmp_path)
    with Neovim(env=uv.env) as nvim:
        nvim.input(":Acp install<CR>")
        nvim.wait(uv.pid)
        nvim.input(":Acp install<CR>")
        assert nvim.messages().splitlines()[-1] == "acp: the installation is still running"
        uv.go_on()
        nvim.wait(lambda: "uv failed" in nvim.messages())


def test_another_interpreter_that_goes_before_it_is_named(tmp_path: Path) -> None:
    script(tmp_path / "uv", "exit 0")
    with Neovim(env={"PATH": f"{tmp_path}:{os.environ['PATH']}"}) as nvim:
        nvim.command("Acp install")
        nvim.wait(lambda: "ready, but vim.g.acp.python is used instead" in nvim.messages())


def test_a_build_without_a_user_is_waited_for(tmp_path: Path) -> None:
    uv = Uv(tmp_path)
    with Neovim(env=uv.env) as nvim:
        nvim.command("Acp install")
        nvim.wait(uv.pid)
        nvim.rpc.notify("nvim_command", "qall!")
        uv.go_on()
        assert nvim.exit_code() == 0
    assert uv.finished.exists()


def test_a_user_who_leaves_does_not_wait(tmp_path: Path) -> None:
    uv = Uv(tmp_path)
    with Neovim(env=uv.env) as nvim, Screen(nvim):
        nvim.input(":Acp install<CR>")
        pid = nvim.wait(uv.pid)
        nvim.rpc.notify("nvim_command", "qall!")
        assert nvim.exit_code() == 0
        until_gone(pid)
    assert not uv.finished.exists()


def test_a_session_that_is_begun_meanwhile_waits_and_goes_on(tmp_path: Path) -> None:
    go = tmp_path / "go"
    os.mkfifo(go)
    made = f'mkdir -p "$6/bin"; printf \'#!/bin/sh\\nexec {sys.executable} "$@"\' > "$6/bin/python"'
    wait = f'[ "$1" = venv ] || exit 0; cat {go}; {made}; chmod +x "$6/bin/python"'
    script(tmp_path / "uv", wait)
    with Neovim(env={"PATH": f"{tmp_path}:{os.environ['PATH']}"}) as nvim:
        nvim.lua("vim.g.acp = {}")
        nvim.command("Acp install")
        nvim.command("AcpStart tutor")
        assert nvim.lua("return require('acp.host.bridge').running()") is False
        chat = nvim.lua("return require('acp.chat.registry').current().chat")
        assert nvim.lines(chat) == [
            "Starting tutor as soon as :Acp install has made the Python environment …"
        ]
        go.write_text("go")
        nvim.wait("require('acp').status().state == 'idle'")
        said = nvim.messages()
        assert "installing (2 of 3): getting the packages" in said
        assert "missing" not in said


def test_a_session_that_is_begun_before_a_failed_installation_says_why(tmp_path: Path) -> None:
    go = tmp_path / "go"
    os.mkfifo(go)
    script(tmp_path / "uv", f"cat {go}; echo no network >&2; exit 1")
    with Neovim(env={"PATH": f"{tmp_path}:{os.environ['PATH']}"}) as nvim:
        nvim.lua("vim.g.acp = {}")
        nvim.command("Acp install")
        nvim.command("AcpStart tutor")
        chat = nvim.lua("return require('acp.chat.registry').current().chat")
        go.write_text("go")
        nvim.wait(lambda: "uv failed: no network" in nvim.lines(chat)[0])
