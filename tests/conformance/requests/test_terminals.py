"""C-195 to C-219, C-042, C-150, C-170: commands that an agent runs; real children of this test."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from acp_nvim.errors import Code
from acp_nvim.terminals import terminal as terminals
from acp_nvim.transport import group, pty
from tests.conformance.connection.probe import shows
from tests.conformance.requests.terminals import Terminals, plain
from tests.support.agents.scripted_agent import SESSION

VERBS = ("output", "wait_for_exit", "kill", "release")
MISSING = Code.RESOURCE_NOT_FOUND


async def test_c042_all_five_methods_are_served() -> None:
    async with Terminals() as stage:
        await stage.start()
        offered = stage.agent.received[0]["params"]["clientCapabilities"]["terminal"]
        assert offered is True
        terminal = await stage.create("true")
        for verb in VERBS:
            assert isinstance(await stage.call(verb, terminalId=terminal), dict)


async def test_c042_none_is_served_where_terminals_are_switched_off() -> None:
    async with Terminals(terminals=False) as stage:
        await stage.start()
        offered = stage.agent.received[0]["params"]["clientCapabilities"]["terminal"]
        assert offered is False
        for verb in ("create", *VERBS):
            answer = await stage.call(verb, command="true", terminalId="terminal-1")
            assert answer == Code.METHOD_NOT_FOUND


async def test_c150_a_cancelled_turn_leaves_terminals_alone() -> None:
    async with Terminals() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        terminal = await stage.create("echo hi; sleep 100")
        await stage.wrote(session, terminal, "hi")
        stage.client.cancel(session)
        await stage.agent.expect("session/cancel")
        stage.agent.reply(request, {"stopReason": "cancelled"})
        assert await stage.output(terminal) == {"output": "hi\n", "truncated": False}


async def test_c195_create_answers_at_once() -> None:
    async with Terminals() as stage:
        await stage.start()
        terminal = await stage.create("sleep 100")
        assert "exitStatus" not in await stage.output(terminal)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder without links in its path, with another one in it."""
    (tmp_path / "sub dir").mkdir()
    return tmp_path.resolve()


async def test_c196_arguments_directory_and_environment(folder: Path) -> None:
    env = [{"name": "ACP_TEST", "value": "a b"}, {"name": "PAGER", "value": "less"}]
    async with Terminals(folder) as stage:
        await stage.start()
        assert await stage.run("pwd") == f"{folder}\n"
        assert await stage.run("pwd", cwd=f"{folder}/sub dir") == f"{folder}/sub dir\n"
        assert await stage.run("printf", "<%s>", "a b", "$HOME", "*") == "<a b><$HOME><*>"
        assert await stage.run("printenv", "ACP_TEST", "PAGER", env=env) == "a b\nless\n"
        assert await stage.run("printenv", "HOME") == os.environ["HOME"] + "\n"
        assert await stage.run("printenv", "TERM", "GIT_PAGER") == "xterm-256color\ncat\n"


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("echo a && echo b | tr a b", "a\nb\n"),
        ("printf '%s\\n' $((1 + 1))", "2\n"),
        ("cd / && pwd", "/\n"),
        ("echo 'it''s'", "its\n"),
    ],
)
async def test_c197_a_whole_line_runs_through_the_shell(line: str, output: str) -> None:
    async with Terminals() as stage:
        await stage.start()
        assert await stage.run(line) == output


async def test_c197_a_program_with_a_space_in_its_name_is_a_program(tmp_path: Path) -> None:
    script = tmp_path / "my tool"
    script.write_text("#!/bin/sh\necho ran\n")
    script.chmod(0o755)
    async with Terminals(tmp_path) as stage:
        await stage.start()
        assert await stage.run(str(script)) == "ran\n"
        assert await stage.run("./my tool") == "ran\n"


async def test_c198_a_command_that_is_not_there(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_text("#!/no/such/interpreter\n")
    broken.chmod(0o755)
    async with Terminals() as stage:
        await stage.start()
        assert await stage.call("create", command="/nope", args=["x"]) == Code.INTERNAL_ERROR
        assert await stage.call("create", command=str(broken)) == Code.INTERNAL_ERROR
        terminal = await stage.create("/nope")
        assert await stage.exited(terminal) == {"exitCode": 127, "signal": None}
        assert "/nope" in (await stage.output(terminal))["output"]


@pytest.mark.parametrize(
    "params",
    [
        {"command": "true", "cwd": "x"},
        {"command": "true", "cwd": "/no/such/folder"},
        {"command": ""},
        {"command": "a\0b"},
        {"command": 5},
        {},
        {"command": "true", "env": [{"name": "A=B", "value": "x"}]},
    ],
)
async def test_c199_what_cannot_be_run_is_an_error(params: dict[str, Any]) -> None:
    async with Terminals() as stage:
        await stage.start()
        assert await stage.call("create", **params) == Code.INVALID_PARAMS


async def test_c200_output_does_not_wait() -> None:
    async with Terminals() as stage:
        session = await stage.start()
        terminal = await stage.create("echo one; read x; echo two")
        await stage.wrote(session, terminal, "one")
        assert await stage.output(terminal) == {"output": "one\n", "truncated": False}
        stage.screens.typed(1, b"x\r")
        await stage.exited(terminal)
        assert await stage.output(terminal) == {
            "output": "one\nx\ntwo\n",
            "truncated": False,
            "exitStatus": {"exitCode": 0, "signal": None},
        }


async def test_c201_the_beginning_is_dropped() -> None:
    async with Terminals() as stage:
        await stage.start()
        terminal = await stage.create("seq 1000", outputByteLimit=100)
        await stage.exited(terminal)
        kept = await stage.output(terminal)
        whole = "".join(f"{number}\n" for number in range(1, 1001))
        assert kept["truncated"] is True
        assert whole.endswith(kept["output"])
        assert len(kept["output"]) == 100


@pytest.mark.parametrize(("character", "limit", "kept"), [("é", 101, 50), ("😀", 10, 2)])
async def test_c202_no_character_is_cut(character: str, limit: int, kept: int) -> None:
    async with Terminals() as stage:
        await stage.start()
        terminal = await stage.create("printf", "%s", character * 100, outputByteLimit=limit)
        await stage.exited(terminal)
        shown = await stage.output(terminal)
        assert shown["output"] == character * kept
        assert shown["truncated"] is True


async def test_c202_a_character_that_comes_in_pieces_is_whole() -> None:
    async with Terminals() as stage:
        session = await stage.start()
        terminal = await stage.create("printf 'x\\303'; read x; printf '\\251'")
        await stage.wrote(session, terminal, "x")
        stage.screens.typed(1, b"\r")
        await stage.exited(terminal)
        # what the terminal echoes comes between the pieces, so only this much is certain
        assert "é" not in (await stage.output(terminal))["output"]
        stream = await stage.create("stty -echo; printf 'x\\303'; read x; printf '\\251'")
        await stage.wrote(session, stream, "x")
        stage.screens.typed(2, b"\r")
        await stage.exited(stream)
        assert (await stage.output(stream))["output"] == "xé"


@pytest.mark.parametrize(("limit", "truncated"), [(6, False), (5, True), (0, True)])
async def test_c203_truncated_says_that_something_was_dropped(
    limit: int, *, truncated: bool
) -> None:
    async with Terminals() as stage:
        await stage.start()
        terminal = await stage.create("echo hello", outputByteLimit=limit)
        await stage.exited(terminal)
        for _ in range(2):
            shown = await stage.output(terminal)
            assert shown["truncated"] is truncated
            assert shown["output"] == "hello\n"[6 - limit :]


async def test_c204_output_and_exit_stay_after_a_kill() -> None:
    async with Terminals() as stage:
        session = await stage.start()
        terminal = await stage.create("echo hi; sleep 100")
        await stage.wrote(session, terminal, "hi")
        assert await stage.call("kill", terminalId=terminal) == {}
        ended = {"exitCode": None, "signal": "SIGTERM"}
        assert await stage.exited(terminal) == ended
        shown = await stage.output(terminal)
        assert shown == {"output": "hi\n", "truncated": False, "exitStatus": ended}


@pytest.mark.parametrize("embedded_first", [True, False])
async def test_c170_c205_a_released_terminal_stays_in_the_chat(*, embedded_first: bool) -> None:
    async with Terminals() as stage:
        session = await stage.start()
        await stage.turn(session)
        terminal = await stage.create("echo some output; exit 3")
        content = [{"type": "terminal", "terminalId": terminal}]
        if embedded_first:
            stage.agent.update("tool_call", toolCallId="t", title="Run", content=content)
            await stage.until(lambda: shows(session, "some output", "tool:t"))
        await stage.exited(terminal)
        assert await stage.call("release", terminalId=terminal) == {}
        if not embedded_first:
            stage.agent.update("tool_call", toolCallId="t", title="Run", content=content)
            await stage.agent.quiet()
        assert shows(session, "some output", "tool:t")
        assert shows(session, "[exit 3]", "tool:t")
        assert shows(session, "exit 3")


async def test_c206_several_may_wait() -> None:
    async with Terminals() as stage:
        session = await stage.start()
        terminal = await stage.create("echo up; read x; exit 5")
        params = {"sessionId": SESSION, "terminalId": terminal}
        for number in range(3):
            stage.agent.request("terminal/wait_for_exit", params, f"wait-{number}")
        await stage.wrote(session, terminal, "up")
        stage.screens.typed(1, b"\r")
        for number in range(3):
            answer = await stage.agent.answer_to(f"wait-{number}")
            assert plain(answer) == {"exitCode": 5, "signal": None}
        assert await stage.exited(terminal) == {"exitCode": 5, "signal": None}


async def test_c207_a_wait_hinders_nothing() -> None:
    async with Terminals() as stage:
        await stage.start()
        terminal = await stage.create("sleep 100")
        params = {"sessionId": SESSION, "terminalId": terminal}
        stage.agent.request("terminal/wait_for_exit", params, "wait")
        assert "exitStatus" not in await stage.output(terminal)
        assert await stage.call("kill", terminalId=terminal) == {}
        answer = await stage.agent.answer_to("wait")
        assert plain(answer) == {"exitCode": None, "signal": "SIGTERM"}


@pytest.mark.parametrize(
    ("command", "code", "signal"),
    [
        ("exit 0", 0, None),
        ("exit 143", 143, None),
        ("kill -9 $$", None, "SIGKILL"),
        ("kill -15 $$", None, "SIGTERM"),
    ],
)
async def test_c208_code_or_signal(command: str, code: int | None, signal: str | None) -> None:
    async with Terminals() as stage:
        await stage.start()
        terminal = await stage.create(command)
        assert await stage.exited(terminal) == {"exitCode": code, "signal": signal}


async def test_c209_all_output_is_there_once_it_has_ended() -> None:
    async with Terminals() as stage:
        await stage.start()
        line = "x" * 63
        output = await stage.run(f"yes {line} | head -n 16384")
        assert output == f"{line}\n" * 16_384


async def test_c209_a_grandchild_that_keeps_the_terminal_is_not_waited_for() -> None:
    async with Terminals() as stage:
        await stage.start()
        terminal = await stage.create("(trap '' HUP; exec sleep 100) & echo done; exit 4")
        assert await stage.exited(terminal) == {"exitCode": 4, "signal": None}
        assert (await stage.output(terminal))["output"] == "done\n"


async def test_c210_kill_keeps_the_id_and_may_come_twice() -> None:
    async with Terminals() as stage:
        await stage.start()
        terminal = await stage.create("sleep 100")
        assert await stage.call("kill", terminalId=terminal) == {}
        assert await stage.call("kill", terminalId=terminal) == {}
        assert (await stage.output(terminal))["exitStatus"]["signal"] == "SIGTERM"


STUBBORN = "trap '' TERM; (trap '' TERM HUP; echo up; while :; do sleep 100; done) & wait"


@pytest.mark.parametrize("verb", ["kill", "release"])
async def test_c211_the_whole_group_ends(monkeypatch: pytest.MonkeyPatch, verb: str) -> None:
    monkeypatch.setattr("acp_nvim.terminals.terminal.GRACE", 0.1)
    async with Terminals() as stage:
        session = await stage.start()
        terminal = await stage.create(STUBBORN)
        await stage.wrote(session, terminal, "up")
        assert group.alive(stage.groups[0])
        assert await stage.call(verb, terminalId=terminal) == {}
        await stage.until(lambda: session.state.terminals[terminal].exit is not None)
        # what was killed has let go of the terminal before it is gone
        await stage.until(lambda: not group.alive(stage.groups[0]))


async def test_c212_a_released_id_is_unknown() -> None:
    async with Terminals() as stage:
        session = await stage.start()
        terminal = await stage.create("sleep 100")
        assert await stage.call("release", terminalId=terminal) == {}
        for verb in VERBS:
            assert await stage.call(verb, terminalId=terminal) == MISSING
        await stage.until(lambda: session.state.terminals[terminal].exit is not None)


async def test_c213_a_wait_is_answered_when_its_terminal_is_released() -> None:
    async with Terminals() as stage:
        await stage.start()
        terminal = await stage.create("sleep 100")
        params = {"sessionId": SESSION, "terminalId": terminal}
        stage.agent.request("terminal/wait_for_exit", params, "wait")
        assert await stage.call("release", terminalId=terminal) == {}
        answer = await stage.agent.answer_to("wait")
        assert plain(answer) == {"exitCode": None, "signal": "SIGTERM"}


async def test_c214_unknown_and_foreign_ids() -> None:
    async with Terminals() as stage:
        await stage.start()
        await stage.start_another("other")
        terminal = await stage.create("sleep 100")
        for verb in VERBS:
            assert await stage.call(verb, terminalId="bogus") == MISSING
            assert await stage.call(verb, "other", terminalId=terminal) == MISSING
            assert await stage.call(verb, "no session", terminalId=terminal) == MISSING
        assert await stage.call("create", "no session", command="true") == MISSING
        assert "exitStatus" not in await stage.output(terminal)


async def test_c215_ids_are_never_used_again() -> None:
    async with Terminals() as stage:
        await stage.start()
        seen = set()
        for _ in range(50):
            terminal = await stage.create("true")
            seen.add(terminal)
            await stage.call("release", terminalId=terminal)
        assert len(seen) == 50


async def test_c216_the_end_of_a_session_ends_its_terminals_only() -> None:
    async with Terminals() as stage:
        session = await stage.start()
        await stage.start_another("other")
        terminal = await stage.create("sleep 100")
        kept = (await stage.call("create", "other", command="sleep 100"))["terminalId"]
        await stage.client.close(session)
        await stage.until(lambda: session.state.terminals[terminal].exit is not None)
        assert stage.screens.forgotten == {1}
        assert await stage.call("output", terminalId=terminal) == MISSING
        assert "exitStatus" not in await stage.call("output", "other", terminalId=kept)


async def test_c216_the_end_of_the_agent_ends_them_all() -> None:
    async with Terminals() as stage:
        session = await stage.start()
        terminal = await stage.create("sleep 100")
        stage.link.exit()
        await stage.until(lambda: stage.over)
        assert session.state.terminals[terminal].exit is not None
        assert not any(map(group.alive, stage.groups))


async def test_c217_bytes_that_are_no_text_are_replaced() -> None:
    async with Terminals() as stage:
        await stage.start()
        assert await stage.run("printf 'a\\377\\300b\\000c'") == "a\ufffd\ufffdbc"
        terminal = await stage.create("head -c 1000 /dev/urandom")
        await stage.exited(terminal)
        (await stage.output(terminal))["output"].encode("utf-8", "strict")


async def test_c209_what_was_written_before_the_end_is_read_on_a_busy_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminals, "DRAIN", -1.0)  # it is over before anybody had time to read
    monkeypatch.setattr(pty, "CHUNK", 100)
    door = tmp_path / "door"
    os.mkfifo(door)
    async with Terminals() as stage:
        await stage.start()
        number = await stage.create(f"cat {door}; seq 300")
        door.write_text("")
        os.waitid(os.P_PID, stage.groups[-1], os.WEXITED | os.WNOWAIT)  # noqa: ASYNC222
        await stage.exited(number)
        shown = await stage.output(number)
    assert shown["output"] == "".join(f"{count}\n" for count in range(1, 301))


@pytest.mark.parametrize("limit", [None, 10**12])
async def test_c218_a_cap_of_our_own(limit: int | None) -> None:
    stage = Terminals()
    stage.output_limit = 10_000
    async with stage:
        await stage.start()
        terminal = await stage.create("yes | head -c 300000", outputByteLimit=limit)
        await stage.exited(terminal)
        shown = await stage.output(terminal)
        assert shown["truncated"] is True
        assert shown["output"] == "y\n" * 5_000


@pytest.mark.parametrize(
    "wrong",
    [
        {"args": [1]},
        {"args": {"1": "a"}},
        {"args": "a"},
        {"env": [{"name": "A"}]},
        {"env": {"A": "b"}},
        {"cwd": 7},
        {"cwd": ""},
        {"outputByteLimit": -1},
        {"outputByteLimit": "1"},
    ],
)
async def test_c319_what_is_malformed_runs_nothing(wrong: dict[str, Any], tmp_path: Path) -> None:
    async with Terminals(tmp_path) as stage:
        await stage.start()
        answer = await stage.call("create", command=f"touch {tmp_path}/ran", **wrong)
        assert answer == Code.INVALID_PARAMS
        nothing = {"args": None, "env": None, "cwd": None, "outputByteLimit": None}
        assert await stage.run("ls", **nothing) == ""


async def test_c219_stdin_is_a_terminal_of_its_own() -> None:
    async with Terminals() as stage:
        session = await stage.start()
        assert await stage.run("test -t 0 && test -t 1 && : </dev/tty && echo yes") == "yes\n"
        terminal = await stage.create("cat")
        stage.screens.typed(2, b"hi\r\x04")
        assert await stage.exited(terminal) == {"exitCode": 0, "signal": None}
        assert session.state.terminals[terminal].tail == "hi\r\nhi\r\n"


async def test_c151_a_cancelled_wait_is_answered_and_hinders_nothing() -> None:
    async with Terminals() as stage:
        await stage.start()
        terminal = await stage.create("sleep 100")
        params = {"sessionId": SESSION, "terminalId": terminal}
        stage.agent.request("terminal/wait_for_exit", params, "wait")
        stage.agent.notify("$/cancel_request", {"requestId": "wait"})
        answer = await stage.agent.answer_to("wait")
        assert plain(answer) == Code.REQUEST_CANCELLED
        assert "exitStatus" not in await stage.output(terminal)


# --- what else an agent relies on


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("printf '\\033[31mred\\033[0m\\n'", "red\n"),
        ("printf '\\033]0;title\\007text'", "text"),
        ("printf '10%%\\r20%%\\r\\033[Kdone\\n'", "done\n"),
        ("printf 'abc\\b\\bX\\n'", "aXc\n"),
        ("printf 'long line\\rshort'", "shortline"),
    ],
)
async def test_the_agent_reads_plain_text(line: str, output: str) -> None:
    async with Terminals() as stage:
        await stage.start()
        assert await stage.run(line) == output


async def test_a_program_learns_the_size_of_its_window() -> None:
    async with Terminals() as stage:
        session = await stage.start()
        terminal = await stage.create("echo up; read x; stty size")
        await stage.wrote(session, terminal, "up")
        stage.screens.resized(1, 7, 33)
        stage.screens.typed(1, b"\r")
        await stage.exited(terminal)
        assert "7 33\n" in (await stage.output(terminal))["output"]


async def test_terminals_of_the_agent_itself() -> None:
    """codex, claude: their own terminals are told in `_meta` of the tool call."""
    async with Terminals() as stage:
        session = await stage.start()
        meta = stage.agent.received[0]["params"]["clientCapabilities"]["_meta"]
        assert meta == {"terminal_output": True}
        await stage.turn(session)
        content = [{"type": "terminal", "terminalId": "own"}]
        info = {"terminal_info": {"terminal_id": "own", "cwd": "/"}}
        stage.agent.update("tool_call", toolCallId="t", title="Run", content=content, _meta=info)
        told: list[tuple[str, Any]] = [
            ("terminal_output_delta", {"terminal_id": "own", "data": "\x1b[1mone\n"}),
            ("terminal_output", {"terminal_id": "own", "data": "two\n"}),
            ("terminal_output", 5),
            ("terminal_output", {"terminal_id": {}, "data": "x"}),
            ("terminal_exit", {"terminal_id": "own", "exit_code": 1, "signal": None}),
        ]
        for key, value in told:
            stage.agent.update("tool_call_update", toolCallId="t", _meta={key: value})
        await stage.agent.quiet()
        for line in ("one", "two", "[exit 1]"):
            assert shows(session, line, "tool:t")


async def test_of_a_long_command_the_beginning_is_kept() -> None:
    """What a command and its variables may have is megabytes, and it is kept for each of many."""
    async with Terminals() as stage:
        session = await stage.start()
        long = [{"name": f"A{it}", "value": "v" * 20_000} for it in range(3)]
        terminal = await stage.create(
            "/bin/sh", args=["-c", "echo ${#A1} ${#1}", "sh", "x" * 90_000], env=long
        )
        await stage.call("wait_for_exit", terminalId=terminal)
        assert (await stage.output(terminal))["output"] == "20000 90000\n"
        known = session.state.terminals[terminal]
        assert known.command.startswith("/bin/sh -c ") and len(known.command) < 25_000
        assert [name for name, _ in known.env] == ["A0", "A1", "A2"]
        assert len(str(known.env)) < 5_000


async def test_of_many_that_write_without_end_one_is_read_in_each_pass_of_the_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    passes: list[int] = [0]
    rest = pty.Pty.rest

    def counted(child: pty.Pty) -> bytes | None:
        passes[-1] += 1
        return rest(child)

    monkeypatch.setattr(pty.Pty, "rest", counted)
    async with Terminals() as stage:
        await stage.start()
        for _ in range(8):
            await stage.create("yes")
        for _ in range(200):
            passes.append(0)
            await anyio.lowlevel.checkpoint()
    assert sum(passes[1:]) > 20
    assert max(passes[1:]) <= 2
