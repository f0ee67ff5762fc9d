"""Obligations C-001 to C-027: transport and JSON-RPC, through the whole client."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from acp_nvim.client import connection
from acp_nvim.process import group
from acp_nvim.process.child import Exit
from acp_nvim.session.event import ChunkReceived, TurnEnded
from tests.conformance.whole import whole_session, whole_stage
from tests.support.process_stage import ProcessStage
from tests.support.scripted_agent import SESSION, line
from tests.support.stage import Stage, notices, texts

NOT_TESTED = {"C-026": "there are no custom transports"}

BARRIER = {"jsonrpc": "2.0", "id": "b", "method": "_test/after", "params": {}}


async def test_c001_every_line_is_a_valid_message(tmp_path: Path) -> None:
    async with whole_stage(tmp_path) as stage:
        await whole_session(stage, tmp_path)  # the agent validates each line, and no rest is left
        said = {message["method"] for message in stage.agent.received if "method" in message}
        assert said == {
            "initialize",
            "session/new",
            "session/load",
            "session/prompt",
            "session/cancel",
            "session/set_mode",
            "session/close",
            "$/cancel_request",
        }


async def test_c002_a_prompt_of_many_lines_is_one_line() -> None:
    text = "a\nb\r\u2028c\u0085 😀\0"
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session, text)
        assert request["params"]["prompt"] == [{"type": "text", "text": text}]
        assert b"\r" not in stage.agent.raw[-1]
        assert "😀".encode() in stage.agent.raw[-1]
        await stage.agent.quiet()


async def test_c003_what_is_not_unicode_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "latin1"
    async with Stage(tmp_path) as stage:
        stage.files.open(file, "caf\udce9", modified=True)
        session = await stage.start()
        request = await stage.turn(session, "caf\udce9 \ud83d 😀")
        assert request["params"]["prompt"][0]["text"] == "caf\ufffd \ufffd 😀"
        ask = {"sessionId": SESSION, "path": str(file)}
        answer = await stage.agent.ask("fs/read_text_file", ask)
        assert "caf\ufffd" in answer["result"]["content"]


async def test_c003_no_nan_leaves_the_client() -> None:
    async with Stage() as stage:
        await stage.start()
        stage.agent.write(b'{"jsonrpc":"2.0","id":NaN,"method":"_x/y"}\n')
        answer = await stage.agent.next()  # parsed by one that refuses NaN
        assert answer["id"] is None


async def test_c004_every_message_says_jsonrpc_2(tmp_path: Path) -> None:
    async with whole_stage(tmp_path) as stage:
        await whole_session(stage, tmp_path)
        assert {message["jsonrpc"] for message in stage.agent.received} == {"2.0"}


async def test_c005_outstanding_requests_have_different_ids() -> None:
    modes = {"currentModeId": "a", "availableModes": [{"id": "a", "name": "A"}]}
    async with Stage() as stage:
        first = stage.launch()
        await stage.agent.initialize()
        await stage.agent.open("one", modes=modes)
        await stage.until(lambda: first.state.status == "idle")
        second = await stage.start_another("two")
        requests = [await stage.turn(first), await stage.turn(second)]
        stage.tasks.start_soon(stage.client.set_mode, first, "a")
        requests.append(await stage.agent.expect("session/set_mode"))
        stage.open()
        requests.append(await stage.agent.expect("session/new"))
        ids = [request["id"] for request in requests]
        assert len(set(ids)) == 4
        assert all(type(each) in (int, str) for each in ids)
        stage.agent.reply(requests[2], {})


async def test_c006_an_answer_has_the_id_of_its_question(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    ids = [0, -1, 2**53 + 1, "abc", "1", 1, None]
    async with Stage(tmp_path) as stage:
        await stage.start()
        ask = {"sessionId": SESSION, "path": str(tmp_path / "file")}
        for each in ids:
            stage.agent.request("fs/read_text_file", ask, each)
        for each in ids:
            answer = await stage.agent.answer_to(each)
            assert answer["result"] == {"content": "text"}, each


async def test_c007_both_directions_count_for_themselves(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    async with Stage(tmp_path) as stage:
        session = await stage.start()
        prompt = await stage.turn(session)
        ask = {"sessionId": SESSION, "path": str(tmp_path / "file")}
        for each in (0, 1, 2, prompt["id"]):
            assert "result" in await stage.agent.ask("fs/read_text_file", ask, each)
        assert session.state.status == "running"
        stage.agent.reply(prompt, {"stopReason": "end_turn"})
        await stage.until(lambda: session.state.stop_reason == "end_turn")


async def test_c008_a_notification_gets_no_answer() -> None:
    async with Stage() as stage:
        await stage.start()
        stage.agent.say("hello")
        stage.agent.notify("_x/y", {"a": 1})
        stage.agent.notify("$/foo", None)
        stage.agent.notify("$/cancel_request", {"requestId": 99})
        stage.agent.notify("$/cancel_request", 5)
        for params in (None, [], "x", {"sessionId": 5}, {"sessionId": SESSION, "update": {}}):
            stage.agent.notify("session/update", params)
        await stage.agent.quiet()


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("_x/ping", {}, -32601),
        ("fs/read_text_file", {}, -32602),
        ("fs/read_text_file", {"sessionId": SESSION, "path": "FOLDER/missing"}, -32002),
        ("fs/read_text_file", {"sessionId": SESSION, "path": "FOLDER"}, -32603),
        ("fs/read_text_file", {"sessionId": "other", "path": "FOLDER/file"}, -32002),
    ],
)
async def test_c009_an_answer_is_a_result_or_an_error(
    tmp_path: Path, method: str, params: dict[str, str], code: int
) -> None:
    if "path" in params:
        params = params | {"path": params["path"].replace("FOLDER", str(tmp_path))}
    async with Stage(tmp_path) as stage:
        await stage.start()
        answer = await stage.agent.ask(method, params)
        assert answer.keys() == {"jsonrpc", "id", "error"}
        assert answer["error"]["code"] == code
        assert isinstance(answer["error"]["message"], str)
        assert answer["error"]["message"]


async def test_c010_answers_come_in_any_order() -> None:
    async with Stage() as stage:
        first = await stage.start("one")
        second = await stage.start_another("two")
        asked_first, asked_second = await stage.turn(first), await stage.turn(second)
        stage.agent.reply(asked_second, {"stopReason": "max_tokens"})
        await stage.until(lambda: second.state.stop_reason == "max_tokens")
        assert first.state.status == "running"
        stage.agent.reply(asked_first, {"stopReason": "refusal"})
        await stage.until(lambda: first.state.stop_reason == "refusal")


NOISE = [
    b"Starting...",
    b"42",
    b"null",
    b"true",
    b'"text"',
    b"{}",
    b"[]",
    b"[1,[2]]",
    b'{"level":"info"}',
    b'{"id":1}',
    b'{"jsonrpc":"2.0","id":[1],"method":"x"}',
    b'{"jsonrpc":"2.0","id":[1],"result":{}}',
    b'{"jsonrpc":"2.0","id":12345,"result":{}}',
    b'{"method":5}',
    b"\x1b[2J",
    b"\0",
    b"[" * 100_000,
    b"{" * 1_000,
]


async def test_c011_noise_on_stdout_is_logged_and_skipped() -> None:
    async with Stage() as stage:
        session = await stage.start()
        before = len(stage.events)
        for noise in NOISE:
            stage.agent.write(noise + b"\n")
        await stage.agent.quiet()
        assert len(stage.events) == before
        assert stage.logged().count("skipped") >= len(NOISE)
        request = await stage.turn(session)
        stage.agent.reply(request, {"stopReason": "end_turn"})
        await stage.until(lambda: session.state.stop_reason == "end_turn")


async def test_c012_broken_json_fails_nothing() -> None:
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        stage.agent.write(b'{"jsonrpc":"2.0","id":\n')
        stage.agent.write(b'{"jsonrpc":"2.0","id":%d,"result":\n' % request["id"])
        stage.agent.say("still here")
        await stage.agent.quiet()
        assert texts(session) == ["still here"]
        assert session.state.status == "running"


async def test_c013_invalid_utf8_is_replaced() -> None:
    async with Stage() as stage:
        session = await stage.start()
        for text in (b"caf\xff ", b"\xed\xa0\x80 ", b"good"):
            update = (
                b'{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%s"}}'
            )
            params = b'{"sessionId":"%s","update":%s}' % (SESSION.encode(), update % text)
            stage.agent.write(b'{"jsonrpc":"2.0","method":"session/update","params":%s}\n' % params)
        await stage.agent.quiet()
        assert texts(session) == ["caf\ufffd \ufffd\ufffd\ufffd good"]


def _bytewise(data: bytes) -> Iterable[bytes]:
    return [data[i : i + 1] for i in range(len(data))]


CUTS: dict[str, Callable[[bytes], Iterable[bytes]]] = {
    "one byte at a time": _bytewise,
    "CRLF": lambda data: [data.replace(b"\n", b"\r\n")],
    "CRLF, one byte at a time": lambda data: _bytewise(data.replace(b"\n", b"\r\n")),
    "blank lines": lambda data: [b"\n \n\r\n" + data + b"\n\n"],
    "a BOM": lambda data: [b"\xef\xbb\xbf" + data],
    "the newline first": lambda data: [b"\n", data[:-1], b"\n"],
}


@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS)
async def test_c014_lines_may_be_cut_anyhow(cut: Callable[[bytes], Iterable[bytes]]) -> None:
    async with Stage() as stage:
        stage.agent.cut = cut
        session = await stage.start()
        request = await stage.turn(session)
        stage.agent.say("größe 😀")
        stage.agent.reply(request, {"stopReason": "end_turn"})
        await stage.until(lambda: session.state.stop_reason == "end_turn")
        assert texts(session) == ["größe 😀"]
        await stage.agent.quiet()


async def test_c014_two_messages_in_one_write() -> None:
    async with Stage() as stage:
        session = await stage.start()
        stage.agent.write(line(_chunk("a")) + line(_chunk("b")) + line(BARRIER)[:10])
        stage.agent.write(line(BARRIER)[10:])
        assert (await stage.agent.next())["id"] == "b"
        assert texts(session) == ["ab"]


async def test_c014_the_last_line_needs_no_newline() -> None:
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        answer = {"jsonrpc": "2.0", "id": request["id"], "result": {"stopReason": "refusal"}}
        stage.agent.write(line(answer).rstrip(b"\n"))
        stage.link.exit()
        await stage.until(lambda: session.state.status == "closed")
        assert session.state.stop_reason == "refusal"


async def test_c015_a_line_of_20_megabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: dict[bool, set[threading.Thread]] = {False: set(), True: set()}
    parse = connection.parse_line

    def spy(data: bytes) -> Any:
        threads[len(data) > 1_000_000].add(threading.current_thread())
        return parse(data)

    monkeypatch.setattr(connection, "parse_line", spy)
    async with Stage() as stage:
        session = await stage.start()
        whole = line(_chunk("x" * 20_000_000))
        for start in range(0, len(whole), 65_536):
            stage.link.write(whole[start : start + 65_536])
        stage.agent.say("y")
        await stage.until(lambda: texts(session) and texts(session)[0].endswith("y"))
        assert len(texts(session)[0]) == 20_000_001
    # The loop, and with it the user interface, goes on meanwhile.
    assert threads[False] == {threading.main_thread()}
    assert threading.main_thread() not in threads[True] != set()


@pytest.mark.parametrize("method", ["_x/ping", "foo/bar", "mcp/connect", "initialize", ""])
async def test_c016_an_unknown_request_is_refused(method: str) -> None:
    async with Stage() as stage:
        await stage.start()
        answer = await stage.agent.ask(method, {"a": [1]})
        assert answer["error"]["code"] == -32601


async def test_c017_an_unknown_notification_is_ignored_silently() -> None:
    async with Stage() as stage:
        session = await stage.start()
        before, state = len(stage.events), session.state
        stage.agent.notify("_cognition.ai/x", {"sessionId": SESSION, "text": "hi"})
        stage.agent.notify("session/other", {"sessionId": SESSION})
        await stage.agent.quiet()
        assert len(stage.events) == before
        assert session.state is state


async def test_c018_protocol_notifications_are_ignored() -> None:
    async with Stage() as stage:
        session = await stage.start()
        state = session.state
        stage.agent.notify("$/progress", {"token": 1})
        await stage.agent.quiet()
        assert session.state is state


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("session/request_permission", {"sessionId": SESSION, "toolCall": {}, "options": "x"}),
        ("session/request_permission", None),
        ("session/request_permission", [1]),
        ("fs/read_text_file", {"sessionId": SESSION, "path": 5}),
        ("fs/write_text_file", {"sessionId": SESSION, "path": "/tmp/x"}),
        ("fs/write_text_file", "x"),
    ],
)
async def test_c019_invalid_params_are_refused(method: str, params: object) -> None:
    async with Stage() as stage:
        session = await stage.start()
        answer = await stage.agent.ask(method, params)
        assert answer["error"]["code"] == -32602
        stage.agent.say("alive")
        await stage.agent.quiet()
        assert texts(session) == ["alive"]


async def test_c020_an_open_question_blocks_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    async with Stage(tmp_path) as stage:
        session = await stage.start()
        await stage.turn(session)
        stage.agent.request_permission("ask")
        await stage.until(lambda: session.state.asks)
        ask = {"sessionId": SESSION, "path": str(tmp_path / "file")}
        assert (await stage.agent.ask("fs/read_text_file", ask))["result"] == {"content": "text"}
        assert session.state.asks


async def test_c021_what_came_before_an_answer_is_applied_before_it() -> None:
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        answer = {"jsonrpc": "2.0", "id": request["id"], "result": {"stopReason": "end_turn"}}
        chunks = [line(_chunk(f"{number} ")) for number in range(100)]
        stage.agent.write(b"".join([*chunks, line(answer), line(_chunk("late"))]))
        await stage.until(lambda: texts(session) and "late" in texts(session)[-1])
        kinds = [type(event) for _, event in stage.events]
        end = kinds.index(TurnEnded)
        assert kinds[:end].count(ChunkReceived) == 100
        assert kinds[end + 1 :] == [ChunkReceived]


async def test_c021_the_session_is_open_before_what_follows_the_answer() -> None:
    async with Stage() as stage:
        session = stage.launch()
        await stage.agent.initialize()
        request = await stage.agent.expect("session/new")
        answer = {"jsonrpc": "2.0", "id": request["id"], "result": {"sessionId": SESSION}}
        stage.agent.write(line(answer) + line(_chunk("hello")))
        await stage.until(lambda: texts(session) == ["hello"])
        assert "dropped" not in stage.logged()


async def test_c022_stderr_is_drained(tmp_path: Path) -> None:
    flood = "sys.stderr.write('x' * 5_000_000 + '\\nlast words\\n'); sys.stderr.flush()\nserve()"
    async with ProcessStage(tmp_path, flood) as stage:
        session = await stage.start()
        assert session.state.status == "idle"
        await stage.end()
        assert stage.client.traffic.stderr.endswith("last words")


async def test_c023_stdin_is_closed_first(tmp_path: Path) -> None:
    polite = """
signal.signal(signal.SIGTERM, lambda *_: os._exit(9))
serve()
open("ended", "w").write("by itself")
"""
    async with ProcessStage(tmp_path, polite) as stage:
        await stage.start()
        await stage.end()
        assert (tmp_path / "ended").read_text() == "by itself"
        assert stage.client.exit == Exit(0, None)


WRAPPER = """
if os.fork() == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True: signal.pause()
"""


async def test_c023_the_children_of_a_wrapper_end_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_nvim.client.client.GRACE", 0.1)
    monkeypatch.setattr("acp_nvim.client.connection.DRAIN", 0.1)
    async with ProcessStage(tmp_path, WRAPPER + "serve()") as stage:
        await stage.start()
        await stage.end()
        assert not group.alive(stage.groups[0])


async def test_c023_the_children_of_a_wrapper_that_crashed_end_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_nvim.client.connection.DRAIN", 0.1)
    async with ProcessStage(tmp_path, WRAPPER + "serve(lambda request: os._exit(3))") as stage:
        session = await stage.start()
        stage.prompt(session, "go")
        await stage.until(lambda: stage.over)
        assert stage.client.exit == Exit(3, None)
        assert not group.alive(stage.groups[0])


async def test_c023_no_process_outlives_a_cancelled_client(tmp_path: Path) -> None:
    async with ProcessStage(tmp_path, WRAPPER + "serve()") as stage:
        await stage.start()  # and nobody ends it: the stage checks what is left


CRASH = """
def crash(request):
    sys.stderr.write("about to\\ncrash, größe\\n")
    sys.stderr.flush()
    os._exit(3)
serve(prompt=crash)
"""


async def test_c024_a_crash_ends_all_that_waits(tmp_path: Path) -> None:
    async with ProcessStage(tmp_path, CRASH) as stage:
        session = await stage.start()
        stage.prompt(session, "go")
        stage.prompt(session, "and then")
        await stage.until(lambda: stage.over)
        assert session.state.status == "closed"
        assert session.state.turn == 1
        assert len(session.state.queue) == 1
        said = notices(session)[-1]
        assert "exit code 3" in said
        assert "about to / crash, größe" in said
        assert stage.announced == ["connected", "disconnected"]


async def test_c024_a_crash_closes_the_open_question() -> None:
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        stage.agent.request_permission()
        await stage.until(lambda: session.state.asks)
        stage.link.exit(None, "SIGSEGV")
        await stage.until(lambda: stage.over)
        assert session.state.asks == ()
        assert stage.permissions.pending == ()
        assert "SIGSEGV" in notices(session)[-1]


async def test_c024_an_agent_without_output_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_nvim.client.connection.DRAIN", 0.1)
    mute = "serve(lambda request: (os.close(1), signal.pause()))"
    async with ProcessStage(tmp_path, mute) as stage:
        session = await stage.start()
        stage.prompt(session, "go")
        await stage.until(lambda: session.state.status == "closed")


async def test_c025_output_before_the_exit_is_not_lost(tmp_path: Path) -> None:
    hasty = """
def leave(request):
    end = answer(request, {"stopReason": "end_turn"})
    sys.stdout.write(lines(chunk("x" * 200_000), chunk(" bye"), end))
    sys.stdout.flush()
    os._exit(0)
serve(prompt=leave)
"""
    async with ProcessStage(tmp_path, hasty) as stage:
        session = await stage.start()
        stage.prompt(session, "go")
        await stage.until(lambda: session.state.status == "closed")
        assert texts(session) == ["x" * 200_000 + " bye"]
        assert session.state.stop_reason == "end_turn"


async def test_c027_the_messages_of_an_array_are_handled() -> None:
    async with Stage() as stage:
        session = await stage.start()
        stage.agent.write(json.dumps([_chunk("a"), 5, _chunk("b"), BARRIER]).encode() + b"\n")
        assert (await stage.agent.next())["id"] == "b"
        assert texts(session) == ["ab"]


# What no obligation names: a mistake of ours in one message concerns that message alone.


async def test_a_fault_in_a_message_spoils_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        apply = session.apply

        def faulty(*events: Any) -> None:
            if "bad" in str(events) or isinstance(events[0], TurnEnded):
                raise RuntimeError("our mistake")
            apply(*events)

        monkeypatch.setattr(session, "apply", faulty)
        stage.agent.say("bad")
        stage.agent.request_permission("ask", toolCall={"toolCallId": "bad"})
        assert (await stage.agent.answer_to("ask"))["error"]["code"] == -32603
        stage.agent.say("good")
        stage.agent.reply(request, {"stopReason": "end_turn"})
        await stage.agent.quiet()
        assert texts(session) == ["good"]
        assert [str(fault) for fault in stage.faults] == ["our mistake"] * 3
        stage.faults.clear()


def _chunk(text: str) -> dict[str, Any]:
    content = {"type": "text", "text": text}
    update = {"sessionUpdate": "agent_message_chunk", "content": content}
    params = {"sessionId": SESSION, "update": update}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}
