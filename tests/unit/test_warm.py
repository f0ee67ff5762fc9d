"""A warm host is as a cold one to who starts it: streams, surroundings, and how it ends."""

from __future__ import annotations

import json
import marshal
import os
import select
import signal
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.warm import hosts

LIMIT = 30  # seconds

TELL = """
import json, os, sys
print(json.dumps([sys.argv, os.environ['WORD'], os.getcwd(), sys.stdin.read(), __name__]))
print("wrong", file=sys.stderr)
sys.exit(7)
"""

WAIT = """
import os, sys
print(os.getpid(), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv(hosts.VARIABLE, "warm")
    return hosts.python()


def start(
    program: str, code: str, plugin: Path = hosts.PLUGIN, **options: Any
) -> subprocess.Popen[str]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([program, "-c", code, str(plugin)], text=True, **pipes, **options)


def test_it_has_what_it_was_started_with(program: str, tmp_path: Path) -> None:
    folder = str(tmp_path.resolve())
    word = "ü" * 50_000
    with start(program, TELL, cwd=folder, env={"WORD": word}) as host:
        out, err = host.communicate("said")
    assert json.loads(out) == [["-c", str(hosts.PLUGIN)], word, folder, "said", "__main__"]
    assert err == "wrong\n"
    assert host.returncode == 7


def test_all_is_loaded_but_for_a_plugin_in_another_place(program: str, tmp_path: Path) -> None:
    code = "import sys; print('acp_nvim.app' in sys.modules)"
    for plugin, loaded in ((hosts.PLUGIN, "True"), (tmp_path / "acp_host.py", "False")):
        with start(program, code, plugin) as host:
            assert host.communicate()[0] == f"{loaded}\n"


def test_it_ends_with_its_input(program: str) -> None:
    with start(program, WAIT) as host:
        host.communicate()
    assert host.returncode == 0


def test_an_exception_is_told(program: str) -> None:
    with start(program, "raise ValueError('no')") as host:
        assert host.communicate()[1].endswith("ValueError: no\n")
    assert host.returncode == 1


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_it_is_killed(program: str, number: signal.Signals) -> None:
    with start(program, WAIT) as host:
        assert host.stdout
        os.kill(int(host.stdout.readline()), number)
        assert host.wait() == -number


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_it_is_killed_with_what_started_it(program: str, number: signal.Signals) -> None:
    with start(program, WAIT) as host:
        assert host.stdout
        host.stdout.readline()
        host.send_signal(number)
        assert host.stdout.read() == ""  # nobody has it any more
        assert host.wait() == -number


def come_and_go(program: str, *, said: bool) -> None:
    """Come as a starter does, and go without a word: having said half, or not read the answer."""
    data = marshal.dumps((["-c", WAIT, str(hosts.PLUGIN)], dict(os.environb), os.getcwd()))
    message = b"%d\n%s" % (len(data), data if said else data[:9])
    told, kept = os.pipe()
    with socket.socket(socket.AF_UNIX) as link, open(os.devnull, "r+b") as nothing:
        link.connect(str(Path(program).with_name("sock")))
        socket.send_fds(link, [message], [*[nothing.fileno()] * 3, told])
        if said:
            assert select.select([link], [], [], LIMIT)[0]
    os.close(told)
    os.close(kept)


@pytest.mark.parametrize("said", [True, False])
def test_a_starter_that_goes_without_a_word_harms_no_other(program: str, said: bool) -> None:
    with start(program, WAIT) as host:
        assert host.stdout
        process = int(host.stdout.readline())
        come_and_go(program, said=said)
        for _ in range(2):  # the second is heard when the end of the first is told
            with start(program, WAIT) as other:
                other.communicate()
            assert other.returncode == 0
        os.kill(process, signal.SIGKILL)
        assert host.wait() == -signal.SIGKILL
