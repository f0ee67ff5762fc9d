"""Commands that run where the agent does: how that is told, and what runs there."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_nvim.errors import RequestFailed
from acp_nvim.session.request import CreateTerminalRequest
from acp_nvim.terminals.elsewhere import SCRIPT, Elsewhere, elsewhere, leads_elsewhere

SHELLS = [it for it in ("sh", "dash", "bash", "busybox") if shutil.which(it)]


@pytest.mark.parametrize(
    ("prefix", "joined"),
    [
        ("ssh host", True),
        ("ssh -p 2222 -oBatchMode=yes -i key me@host", True),
        ("ssh -T -p2222 host", True),
        ("ssh host -p 22", True),
        ("ssh -J jump -- host", True),
        ("/usr/bin/ssh host --", True),
        ("docker exec -i box", False),
        ("docker exec -i -u 1000 -w /workspace -e A=b --env C box", False),
        ("docker exec -iu root box", False),
        ("docker exec -ueme --interactive --user=me box", False),
        ("docker -H tcp://h:1 --context far exec -i box", False),
        ("docker container exec -i box", False),
        ("docker compose -f a.yml -p x exec -T service", False),
        ("sudo -u root docker exec -i box", False),
        ("podman exec -i box", False),
        ("podman --connection far exec -i box", False),
        ("nerdctl --namespace k exec -i box", False),
        ("devcontainer exec --workspace-folder .", False),
        ("devcontainer exec --container-id=box", False),
        ("chroot /srv/jail", False),
        ("chroot --userspec=me /srv/jail", False),
        ("kubectl exec -i pod -c main --", False),
        ("nsenter -t 1 -m --", False),
    ],
)
def test_what_stands_before_the_agents_program_leads_there(prefix: str, joined: bool) -> None:
    argv = [*prefix.split(), "gemini", "--acp"]
    assert elsewhere(argv) == Elsewhere(tuple(prefix.split()), joined)
    assert leads_elsewhere(argv)


@pytest.mark.parametrize(
    "argv",
    [
        "docker run -i --rm -v /a:/b image gemini",
        "docker compose run service gemini",
        "docker exec -i box",
        "docker exec --strange 1 box gemini",
        "docker",
        "ssh host",
        "ssh",
        "ssh -",
        "devcontainer up gemini",
        "kubectl exec -i pod gemini",
        "kubectl exec -i pod --",
        "chroot /srv",
    ],
)
def test_where_it_cannot_be_told_there_is_none(argv: str) -> None:
    assert elsewhere(argv.split()) is None
    assert leads_elsewhere(argv.split())


@pytest.mark.parametrize(
    "argv",
    ["gemini --acp", "sudo -u me gemini docker", "gemini ssh host x", "/opt/run docker exec", ""],
)
def test_other_programs_lead_nowhere(argv: str) -> None:
    assert elsewhere(argv.split()) is None
    assert not leads_elsewhere(argv.split())


def test_for_ssh_it_is_one_line_for_the_shell_there() -> None:
    request = CreateTerminalRequest("s", "printf", ("%s", "it's $HOME"), (("A", "b c"),))
    near = Elsewhere(("docker", "exec", "box")).command_line(request, {"PAGER": "cat"}, "/a b")
    run = ("sh", "-c", SCRIPT, "acp.nvim", "/a b", "PAGER=cat", "A=b c", "--", "printf")
    assert near == ("docker", "exec", "box", *run, "%s", "it's $HOME")
    *prefix, line = Elsewhere(("ssh", "host"), True).command_line(request, {"PAGER": "cat"}, "/a b")
    assert prefix == ["ssh", "host"]
    assert tuple(shlex.split(line)) == near[3:]


@pytest.mark.parametrize("name", ["", "A B", "1A", "A=B", "$(x)", "-p"])
def test_a_variable_that_no_shell_takes_is_refused(name: str) -> None:
    with pytest.raises(RequestFailed, match="not a name of a variable"):
        Elsewhere(("x",)).command_line(CreateTerminalRequest("s", "ls", env=((name, ""),)), {}, "/")


@pytest.fixture(params=SHELLS)
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., subprocess.Popen[str]]:
    """Return what starts a command as it is started there, with the shells of this machine."""
    shell = [request.param, *(["sh"] if request.param == "busybox" else [])]

    def start(
        command: str, *args: str, cwd: object = tmp_path, **env: str
    ) -> subprocess.Popen[str]:
        asked = CreateTerminalRequest("s", command, args, tuple(env.items()))
        _sh, *rest = Elsewhere(()).command_line(asked, {}, str(cwd))
        return subprocess.Popen(
            [*shell, *rest],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    return start


Run = Callable[..., "subprocess.Popen[str]"]


def ended(process: subprocess.Popen[str]) -> tuple[str, int]:
    """Return all output, and the code, while our end of its input stays open."""
    assert process.stdout is not None
    output = process.stdout.read()
    code = process.wait()
    assert process.stdin is not None
    process.stdin.close()
    process.stdout.close()
    return output, code


def test_it_runs_in_its_folder_with_its_variables(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "a b"
    folder.mkdir()
    process = run('pwd; echo "$A"; exit 3', cwd=folder, A="b 'c' $d")
    assert ended(process) == (f"{folder}\nb 'c' $d\n", 3)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_there_reads_one_line_as_it_was_meant(shell: str, tmp_path: Path) -> None:
    """As by ssh, which hands all that follows to the user's shell there."""
    folder = tmp_path / 'it\'s "a" b'
    folder.mkdir()
    asked = CreateTerminalRequest("s", 'pwd; printf %s "$A"', env=(("A", "$HOME 'x'\n!"),))
    name = [shell, *(["sh"] if shell == "busybox" else [])]
    argv = Elsewhere((*name, "-c"), joined=True).command_line(asked, {}, str(folder))
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert ended(process) == (f"{folder}\n$HOME 'x'\n!", 0)


def test_a_program_gets_its_arguments_as_they_are(run: Run) -> None:
    process = run("printf", "<%s>", "a b", "$HOME", "--", "it's", "")
    assert ended(process) == ("<a b><$HOME><--><it's><>", 0)


def test_a_program_without_arguments_is_found(run: Run) -> None:
    assert ended(run("true")) == ("", 0)
    output, code = ended(run("no-such-program-here"))
    assert "not found" in output
    assert code == 127


def test_a_folder_that_is_not_there_is_said(run: Run, tmp_path: Path) -> None:
    output, code = ended(run("echo no", cwd=tmp_path / "none"))
    assert str(tmp_path / "none") in output
    assert "no\n" not in output.splitlines()
    assert code != 0


def test_it_has_nothing_to_read(run: Run) -> None:
    assert ended(run("cat; echo done")) == ("done\n", 0)


def test_it_ends_with_all_that_it_has_begun_when_our_end_is_closed(
    run: Run, tmp_path: Path
) -> None:
    process = run("trap '' TERM; sleep 300 & echo ready; sleep 300; sleep 300", cwd=tmp_path)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.stdin.close()
    process.wait(timeout=60)
    deadline = time.monotonic() + 60
    while _lives(process.pid):
        assert time.monotonic() < deadline, "something of it is left"
        time.sleep(0.05)
    process.stdout.close()


def _lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    # what has ended and nobody has waited for does not live
    found = subprocess.run(
        ["ps", "-o", "stat=", "-g", str(group)], capture_output=True, text=True, check=False
    )
    return any(not it.startswith("Z") for it in found.stdout.split())


def test_our_input_stays_open_as_long_as_it_runs_and_nothing_waits_after_it(run: Run) -> None:
    assert ended(run("sleep 0.2; echo over")) == ("over\n", 0)
