"""Agents' lines are read by bash, else sh, whatever the user's own shell is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from acp_nvim.errors import RequestFailed
from acp_nvim.session.request import CreateTerminalRequest
from acp_nvim.terminals.command_line import command_line
from acp_nvim.terminals.elsewhere import Elsewhere

LINES = [
    ("A=1 B=2; echo $A$B", "12\n"),
    ("export A=x; printenv A", "x\n"),
    ("if [ 1 -lt 2 ]; then echo yes; fi", "yes\n"),
    ("for it in a b; do echo $it; done", "a\nb\n"),
    ("echo $(echo a) `echo b`", "a b\n"),
    ("cat <<'END'\n$a\nEND\n", "$a\n"),
    ('echo "${X:-none}" $?', "none 0\n"),
    ("f() { echo $1; }; f x", "x\n"),
    ("[[ ab == a* ]] && echo bash", "bash\n"),
    ("echo 'a\\\\b' \"it's\"", "a\\\\b it's\n"),
    ("(exit 3); echo $?", "3\n"),
    ("false || true && echo ok", "ok\n"),
    ("while read -r it; do echo $it; done <<< x", "x\n"),
]


def fish(folder: Path) -> str:
    """Return a shell that reads nothing as agents mean it, and says so with success."""
    program = folder / "fish"
    program.write_text("#!/bin/sh\necho fish\n")
    program.chmod(0o755)
    return str(program)


def output(argv: tuple[str, ...], env: dict[str, str], cwd: Path) -> str:
    return subprocess.run(argv, env=env, cwd=cwd, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(("line", "said"), LINES)
def test_the_users_own_shell_reads_no_line(tmp_path: Path, line: str, said: str) -> None:
    env = {**os.environ, "SHELL": fish(tmp_path)}
    argv = command_line(line, (), env=env, cwd=str(tmp_path), shell=None)
    assert output(argv, env, tmp_path) == said


def test_where_there_is_no_bash_sh_reads_them(tmp_path: Path) -> None:
    env = {"PATH": str(tmp_path), "SHELL": fish(tmp_path)}
    argv = command_line("x=1; echo $x", (), env=env, cwd=str(tmp_path), shell=None)
    assert argv[0] == "/bin/sh"
    assert output(argv, env, tmp_path) == "1\n"


@pytest.mark.parametrize("name", ["fish", "~/fish", "PATH"])
def test_the_shell_that_the_user_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    path = fish(tmp_path)
    env = {"PATH": f"{tmp_path}:/bin"}
    named = path if name == "PATH" else name
    assert command_line("a; b", (), env=env, cwd="/", shell=named) == (path, "-c", "a; b")
    assert command_line("echo", ("x;y",), env=env, cwd="/", shell=named)[1:] == ("x;y",)


def test_a_shell_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        RequestFailed, match=r"no shell nosh: the user sets it in vim\.g\.acp\.shell"
    ):
        command_line("a; b", (), env=dict(os.environ), cwd=str(tmp_path), shell="nosh")


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
@pytest.mark.parametrize(("line", "said"), LINES)
def test_elsewhere_bash_reads_them_too(tmp_path: Path, line: str, said: str) -> None:
    env = {**os.environ, "SHELL": fish(tmp_path)}
    argv = Elsewhere(("sh", "-c"), joined=True).command_line(
        CreateTerminalRequest("s", line), {}, str(tmp_path)
    )
    process = subprocess.Popen(
        argv, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.read() == said
        assert process.wait() == 0


def test_a_line_for_a_shell_there_is_the_same_in_fish() -> None:
    r"""In fish `\\` and `\'` mean something within single quotes, too."""
    words = Elsewhere((), joined=True).command_line(
        CreateTerminalRequest("s", r"grep '\\.' \'x"), {}, "/a\\b"
    )
    for quoted in re.findall(r"""'[^']*'|"[^"]*\"""", words[0]):
        assert "\\" not in quoted or quoted == r'"\\"'
