"""How it fails: one clear line each, nothing lost, and the editor stays usable."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob


def program(code: str) -> dict[str, Any]:
    """Return the options of an agent that is a few lines of Python."""
    return {"command": sys.executable, "args": ["-S", "-c", code]}


def failed(job: MainJob) -> str:
    """Wait until the connection has failed; return what the chat says about it."""
    job.until(lambda: [it["state"] for it in job.inspect()["connections"]] == ["failed"])
    job.until(lambda: job.session()["state"] == "closed")
    job.usable()
    return "\n".join(job.chat())


def test_an_agent_that_is_not_installed() -> None:
    with MainJob({"agents": {"absent": {"command": "no-such-agent"}}}) as job:
        job.command("AcpStart absent")
        job.told("no-such-agent is not installed")
        said = failed(job)
        assert "no 'no-such-agent' in PATH (/" in said
        job.start()


def test_a_preset_names_its_install_command() -> None:
    with MainJob({"agents": {"gemini": {"command": "no-such-gemini"}}}) as job:
        job.command("AcpStart gemini")
        job.told("not installed")
        assert "Install it with: npm install -g @google/gemini-cli" in failed(job)


def test_an_agent_that_nobody_knows(job: MainJob) -> None:
    job.command("AcpStart gemni")
    job.told("'gemni'", "did you mean gemini")
    job.until(lambda: job.session()["state"] == "closed")
    job.start()


def test_an_agent_that_ends_at_once() -> None:
    code = "import sys; sys.stderr.write('no key: set KEY'); sys.exit(3)"
    with MainJob({"agents": {"broken": program(code)}}) as job:
        job.command("AcpStart broken")
        job.told("broken", "ended before it answered")
        said = failed(job)
        assert "3" in said and "no key: set KEY" in said
        connection = job.inspect()["connections"][0]
        assert (connection["exit"], connection["stderr"]) == ({"code": 3}, "no key: set KEY")


def test_an_agent_that_ends_during_a_turn(job: MainJob) -> None:
    agent = job.start()
    job.turn(agent)
    agent.say("half a sen")
    job.until(lambda: "half a sen" in job.chat())
    job.kill(agent.pid)
    job.until(lambda: job.session()["state"] == "closed")
    assert any("SIGKILL" in line for line in job.chat())
    assert "half a sen" in job.chat()
    assert job.until_event("AcpDisconnected")["error"]
    job.usable()
    job.command("AcpPrompt more")
    job.told("closed")
    job.start()


@pytest.mark.parametrize("version", [99, 0, None, "1"])
def test_another_protocol_version(job: MainJob, version: object) -> None:
    job.command("AcpStart scripted")
    agent = job.stage.accept()
    agent.initialize(protocolVersion=version)
    agent.closed()
    job.told("protocol version")
    said = failed(job)
    assert "acp.nvim asked for 1" in said
    assert ("no protocol version" if version is None else repr(version)) in said


def test_noise_between_messages_is_skipped(job: MainJob) -> None:
    job.command("AcpStart scripted")
    agent = job.stage.accept()
    agent.write(b'Starting...\n\n42\nnull\n[1,2]\n\x1b[2J\n{"level":"info"}\n\xff\xfe\n{"json\n')
    agent.initialize()
    agent.write(b"more noise\r\n")
    agent.open()
    job.until_event("AcpSessionStarted")
    job.finish(agent, job.turn(agent))
    assert job.nvim.messages() == ""


def test_an_agent_that_never_answers_can_be_cancelled(job: MainJob) -> None:
    job.command("AcpStart scripted")
    agent = job.stage.accept()
    agent.expect("initialize")
    job.command("Acp cancel")
    job.gone(agent.pid)
    job.until(lambda: job.session()["state"] == "closed")
    job.usable()
    job.start()


def test_an_agent_that_refuses_to_open_a_session(job: MainJob) -> None:
    job.command("AcpStart scripted")
    agent = job.stage.accept()
    agent.initialize()
    agent.refuse(agent.expect("session/new"), -32603, "no quota")
    job.told("scripted", "no quota")
    assert "no quota" in "\n".join(job.chat())
    job.usable()
    job.command("Acp new scripted")
    agent.open()
    job.until_event("AcpSessionStarted")


def test_an_agent_that_wants_a_login(job: MainJob) -> None:
    job.command("AcpStart scripted")
    agent = job.stage.accept()
    agent.initialize(authMethods=[{"id": "key", "name": "API key"}])
    agent.refuse(agent.expect("session/new"), -32000, "Authentication required")
    job.told("scripted", "log in")
    assert job.inspect()["connections"][0]["state"] == "needs_login"
    job.usable()


def test_an_unknown_configuration_key() -> None:
    with MainJob({"permision": {"focus": "auto"}}) as job:
        job.start()
        job.told("permision", "permission")
        assert job.nvim.messages().count("permision") == 1
        job.command("Acp new scripted")
        assert job.nvim.messages().count("permision") == 1


@pytest.mark.parametrize(
    ("python", "words"),
    [
        ("/no/such/python", ("/no/such/python", ":Acp install")),
        ("/bin/false", ("the host ended", "exit code 1")),
    ],
)
def test_an_interpreter_that_is_none(python: str, words: tuple[str, ...]) -> None:
    with MainJob({"python": python}) as job:
        job.command("AcpStart scripted")
        job.told(*words)
        assert job.inspect()["host"]["running"] is False
        assert job.nvim.messages().count(words[0]) == 1


def test_a_file_that_cannot_be_read(job: MainJob) -> None:
    agent = job.start()
    (job.work / "binary").write_bytes(b"\x7fELF\0\0")
    missing = error_of(agent, job.work / "missing")
    assert missing["code"] == -32002 and "does not exist" in missing["message"]
    assert "is a binary file" in error_of(agent, job.work / "binary")["message"]
    assert "directory" in error_of(agent, job.work)["message"]
    assert job.nvim.messages() == ""


def error_of(agent: StdioAgent, path: Path) -> dict[str, Any]:
    """Return the error of a read."""
    return dict(agent.ask("fs/read_text_file", path=str(path))["error"])


def test_a_long_message_does_not_make_the_editor_wait() -> None:
    code = "import sys; sys.stderr.write('x' * 5000 + '\\n' + 'y' * 5000); sys.exit(1)"
    with MainJob({"agents": {"loud": program(code), "silent": program("")}}) as job:
        job.command("AcpStart loud")
        job.command("AcpStart silent")
        job.until_event("AcpDisconnected", 2)
        job.told("loud")
        job.told("silent")
        assert all(len(line) <= 120 for line in job.nvim.messages().splitlines())
        job.nvim.input("iit works<Esc>")
        assert job.nvim.lines()[-1] == "it works"
