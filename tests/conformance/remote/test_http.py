"""C-334 to C-342, C-347: an agent behind Streamable HTTP, and how that fails."""

from __future__ import annotations

import gzip
import json
from typing import Any

import anyio
import httpx2
import pytest

from acp_nvim.errors import Code
from acp_nvim.transport import http, http_client
from tests.support.agents.http_wire import HttpWire
from tests.support.agents.scripted_agent import SESSION
from tests.support.remote_stage import RemoteStage
from tests.support.stage import notices, texts

SECRET = "Bearer 3fe1"


class HttpStage(RemoteStage):
    """The agent that it scripts is at the other end of HTTP."""

    def __init__(self, wire: HttpWire, **options: Any) -> None:
        super().__init__(wire.url, headers={"Authorization": SECRET}, **options)
        self.agent.link = wire  # type: ignore[assignment]


async def test_c334_cookies_and_headers_go_with_all_that_follows():
    async with HttpWire() as wire, HttpStage(wire) as stage:
        session = await stage.start()
        stage.prompt(session, "go")
        await stage.agent.expect("session/prompt")
        assert all(headers["authorization"] == SECRET for _, headers, _ in wire.requests)
        assert wire.posts("session/prompt")[0]["cookie"].startswith("affinity=")
        assert SECRET not in stage.logged() + repr(stage.client.launch) + repr(stage.opened)
        await stage.end()


@pytest.mark.parametrize(
    ("cookie", "sent"),
    [
        ("HttpOnly; SameSite=None; Secure", True),  # of a proxy before which TLS ends
        ("Path=/session", True),
        ("Domain=agents.example; Max-Age=600", True),
        ("Path=/; Max-Age=0", False),
        ("Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT", False),
    ],
)
async def test_c334_each_cookie_is_sent_until_it_is_old(cookie: str, *, sent: bool):
    async with HttpWire() as wire, HttpStage(wire) as stage:
        wire.cookie = cookie
        session = await stage.start()
        await stage.turn(session)
        assert ("affinity=" in wire.posts("session/prompt")[0].get("cookie", "")) is sent
        await stage.end()


async def test_c334_cookies_of_the_user_go_along_with_those_of_the_server():
    headers = {"COOKIE": "key=3fe1; other=a=b"}
    async with HttpWire() as wire, RemoteStage(wire.url, headers=headers) as stage:
        stage.agent.link = wire  # type: ignore[assignment]
        session = await stage.start()
        stage.prompt(session, "go")
        await stage.agent.expect("session/prompt")
        given = {"key=3fe1", "other=a=b"}
        assert set(wire.posts("initialize")[0]["cookie"].split("; ")) == given
        sent = set(wire.posts("session/prompt")[0]["cookie"].split("; "))
        assert given < sent and len(sent) == 3
        await stage.end()


def test_cookies_of_a_server_have_a_bound():
    jar = http_client._cookies("key=3fe1")
    cookies = httpx2.Cookies(jar)
    for number in range(1_000):
        cookies.set(f"c{number}", "x" * 1_000, domain="host")
        cookies.set("affinity", str(number), domain="host")
    kept = {it.name: it.value for it in jar}
    assert (kept["key"], kept["affinity"]) == ("3fe1", "999")
    assert sum(map(len, kept.values())) <= http_client.MOST_OF_COOKIES


def test_cookies_of_one_letter_are_counted():
    """4,000 of them in one answer of 100 KB held the loop for ten seconds."""
    jar = http_client._cookies("key=3fe1")
    request = httpx2.Request("GET", "https://host/acp")
    many = [("set-cookie", f"a=;path=/{number}") for number in range(4_000)]
    httpx2.Cookies(jar).extract_cookies(httpx2.Response(200, headers=many, request=request))
    assert len([*jar]) <= http_client.MOST_COOKIES
    assert "key" in {it.name for it in jar}


async def test_c335_posts_go_one_by_one_and_an_answer_may_come_first():
    async with HttpWire() as wire, HttpStage(wire) as stage:
        session = await stage.start()
        taken: list[str] = []

        async def answer_first(message: Any) -> None:
            taken.append(message["method"])
            if message["method"] == "session/prompt":
                stage.agent.say("early")
                stage.agent.reply(message, {"stopReason": "end_turn"})
                await stage.until(lambda: session.state.status == "idle")
                assert taken[-1] == "session/prompt"

        wire.before_202 = answer_first
        stage.prompt(session, "go")
        await stage.until(lambda: texts(session) == ["early"] and session.state.status == "idle")
        await stage.end()


async def test_c335_what_follows_at_once_needs_no_connection_of_its_own():
    async with HttpWire() as wire, HttpStage(wire) as stage:
        session = await stage.start()
        for _ in range(10):
            stage.prompt(session, "go")
            prompt = await stage.agent.expect("session/prompt")
            stage.agent.reply(prompt, {"stopReason": "end_turn"})
            await stage.until(lambda: session.state.status == "idle")
        assert len(wire.posts("session/prompt")) == 10
        assert wire.connections <= 6  # two are streams; one that is idle for long is not kept
        await stage.end()


async def test_c335_half_a_body_after_the_status_of_a_post_is_no_harm():
    async with HttpWire() as wire, HttpStage(wire) as stage:
        session = await stage.start()
        wire.half = b"5\r\nta"
        await stage.turn(session)
        stage.client.cancel(session)
        await stage.agent.expect("session/cancel")
        assert stage.client.state == "ready"
        await stage.end()


async def test_c335_a_body_without_an_end_holds_nothing_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(http_client, "REST", 0.01)
    async with HttpWire() as wire, HttpStage(wire) as stage:
        session = await stage.start()
        wire.before_end = anyio.sleep_forever
        wire.half = b"1\r\na\r\n"
        await stage.turn(session)
        stage.client.cancel(session)
        await stage.agent.expect("session/cancel")
        assert stage.client.state == "ready"
        await stage.end()


async def test_c336_the_stream_of_a_session_is_there_before_a_post_to_it():
    async with HttpWire() as wire, HttpStage(wire) as stage:
        session = await stage.start()
        await stage.turn(session)
        await wire.opened("")
        seen = [(method, headers.get("acp-session-id")) for method, headers, _ in wire.requests]
        assert seen.index(("GET", SESSION)) < seen.index(("POST", SESSION))
        assert ("GET", None) in seen
        await stage.end()


async def test_c337_each_post_names_the_session_that_it_belongs_to():
    async with HttpWire() as wire, HttpStage(wire) as stage:
        session = await stage.start()
        await stage.turn(session)
        stage.client.cancel(session)
        await stage.agent.expect("session/cancel")
        for method in ("session/prompt", "session/cancel"):
            headers = wire.posts(method)[0]
            assert (headers["acp-session-id"], headers["acp-connection-id"]) == (SESSION, "c1")
        assert "acp-session-id" not in wire.posts("session/new")[0]
        assert "acp-connection-id" not in wire.posts("initialize")[0]
        await stage.end()


async def test_c338_an_answer_goes_where_the_question_came_from():
    async with HttpWire() as wire, HttpStage(wire) as stage:
        await stage.start()
        for session, stream in ((SESSION, SESSION), ("", "")):
            request = {"jsonrpc": "2.0", "id": f"q{stream}", "method": "_odd", "params": {}}
            await wire.opened(session)
            await wire.event(session, json.dumps(request).encode())
            await stage.agent.answer_to(f"q{stream}")
            headers = wire.requests[-1][1]
            assert headers.get("acp-session-id", "") == stream
        await stage.end()


@pytest.mark.parametrize("knows_all", [True, False])
async def test_c339_a_load_with_and_without_the_header(*, knows_all: bool):
    async with HttpWire(knows_all=knows_all) as wire, HttpStage(wire) as stage:
        stage.tasks.start_soon(stage._run)
        session = stage.reopen("old")
        await stage.agent.initialize(agentCapabilities={"loadSession": True})
        request = await stage.agent.expect("session/load")
        content = {"type": "text", "text": "what did I say?"}
        stage.agent.update("user_message_chunk", "old", content=content)
        stage.agent.say("this", "old")
        stage.agent.reply(request, {})
        await stage.until(lambda: session.state.status == "idle")
        assert (texts(session, "user"), texts(session)) == (["what did I say?"], ["this"])
        assert len(wire.posts("session/load")) == 1
        assert ("acp-session-id" in wire.posts("session/load")[0]) is knows_all
        await stage.end()


async def test_c340_the_end_is_told():
    async with HttpWire() as wire, HttpStage(wire) as stage:
        await stage.start()
        await stage.end()
        method, headers, _ = wire.requests[-1]
        assert (method, headers["acp-connection-id"]) == ("DELETE", "c1")


async def test_c341_the_end_of_the_connections_stream_is_the_end():
    async with HttpWire() as wire, HttpStage(wire) as stage:
        session = await stage.start()
        await wire.opened("")
        await wire.cut()
        await stage.until(lambda: stage.over)
        assert notices(session)[-1].startswith("the connection to scripted is lost (")
        assert stage.client.left == (session,)


async def test_half_an_event_is_the_end():
    async with HttpWire() as wire, HttpStage(wire) as stage:
        session = await stage.start()
        await wire.opened("")
        await wire.streams[""].send(b'ff\r\ndata: {"jsonrpc":')
        await wire.cut()
        await stage.until(lambda: stage.over)
        assert notices(session)[-1].startswith(
            "the connection to scripted is lost (it broke off): it is tried"
        )
        assert stage.client.left == (session,)


async def test_c341_the_end_of_a_sessions_stream_fails_what_waits_and_it_is_opened_again():
    async with HttpWire() as wire, HttpStage(wire) as stage:
        session = await stage.start()
        await stage.turn(session)
        await wire.cut(SESSION)
        await stage.until(lambda: session.state.status == "idle")
        assert "the session's stream has ended" in notices(session)[-1]
        request = await stage.turn(session, "again")
        stage.agent.reply(request, {"stopReason": "end_turn"})
        await stage.until(lambda: session.state.stop_reason == "end_turn")
        await stage.end()


@pytest.mark.parametrize("status", [400, 409, 413, 500])
async def test_c342_a_status_fails_one_request_alone(status: int):
    async with HttpWire() as wire, HttpStage(wire) as stage:
        session = await stage.start()
        method = "session/prompt"
        wire.judge = lambda _, __, it: (
            (status, {}, b"no") if it and it.get("method") == method else None
        )
        stage.prompt(session, "go")
        await stage.until(lambda: session.state.turn == 1 and session.state.status == "idle")
        assert f"(status {status})" in notices(session)[-1]
        method = ""
        request = await stage.turn(session, "again")
        stage.agent.reply(request, {"stopReason": "end_turn"})
        await stage.until(lambda: session.state.stop_reason == "end_turn")
        await stage.end()


@pytest.mark.parametrize(
    ("status", "sentence", "hopeless"),
    [
        (401, "check agents.scripted.headers (status 401)", True),
        (403, "check agents.scripted.headers (status 403)", True),
        (404, "the server knows it no more, status 404", False),
        (410, "the server knows it no more, status 410", False),
    ],
)
async def test_c342_a_status_ends_the_connection(status: int, sentence: str, *, hopeless: bool):
    async with HttpWire() as wire, HttpStage(wire) as stage:
        session = await stage.start()
        wire.judge = lambda *_: (status, {}, b"")
        stage.prompt(session, "go")
        await stage.until(lambda: stage.over)
        assert sentence in str(stage.client.error)
        assert stage.client.hopeless is hopeless


async def test_a_page_of_a_proxy_in_the_middle_of_it_fails_one_request_alone():
    async with HttpWire() as wire, HttpStage(wire) as stage:
        session = await stage.start()
        page = (200, {"Content-Type": "text/html; charset=utf-8"}, b"<html>Log in</html>")
        wire.judge = lambda method, *_: page if method == "POST" else None
        stage.prompt(session, "go")
        await stage.until(lambda: session.state.turn == 1 and session.state.status == "idle")
        assert "it answers with a web page, not with ACP; check agents.s" in notices(session)[-1]
        wire.judge = lambda *_: None
        request = await stage.turn(session, "again")
        stage.agent.reply(request, {"stopReason": "end_turn"})
        await stage.until(lambda: session.state.stop_reason == "end_turn")
        await stage.end()


async def test_a_server_that_answers_where_it_is_asked():
    async with HttpWire() as wire, HttpStage(wire) as stage:
        session = await stage.start()

        def answer(_: str, __: dict[str, str], message: Any) -> Any:
            if not message or message.get("method") != "session/prompt":
                return None
            result = {"jsonrpc": "2.0", "id": message["id"], "result": {"stopReason": "refusal"}}
            return 200, {"Content-Type": "application/json"}, json.dumps(result).encode()

        wire.judge = answer
        stage.prompt(session, "go")
        await stage.until(lambda: session.state.stop_reason == "refusal")
        await stage.end()


async def test_a_stream_that_never_begins_fails_what_needs_it(monkeypatch: pytest.MonkeyPatch):
    async with HttpWire() as wire, HttpStage(wire) as stage:
        held = anyio.Event()

        async def hold(headers: dict[str, str]) -> None:
            if "acp-session-id" in headers:
                await held.wait()

        wire.before_stream = hold
        monkeypatch.setattr(http, "PATIENCE", 0.2)
        session = await stage.start()
        stage.prompt(session, "go")
        await stage.until(lambda: session.state.turn == 1 and session.state.status == "idle")
        assert "did not answer within" in notices(session)[-1]
        held.set()
        request = await stage.turn(session, "again")
        stage.agent.reply(request, {"stopReason": "end_turn"})
        await stage.until(lambda: session.state.stop_reason == "end_turn")
        await stage.end()


async def test_c342_one_who_takes_the_stream_of_a_session():
    async with HttpWire() as wire, HttpStage(wire) as stage:
        wire.judge = lambda method, headers, _: (
            (409, {}, b"") if method == "GET" and "acp-session-id" in headers else None
        )
        session = await stage.start()
        stage.prompt(session, "go")
        await stage.until(lambda: session.state.turn == 1 and session.state.status == "idle")
        assert "another client has this connection" in notices(session)[-1]
        await stage.end()


async def test_c347_events_are_cut_anywhere_and_comments_are_none():
    async with HttpWire() as wire, HttpStage(wire) as stage:
        session = await stage.start()
        await wire.opened(SESSION)
        content = {"type": "text", "text": "hello"}
        update = {"sessionUpdate": "agent_message_chunk", "content": content}
        line = json.dumps(
            {
                "jsonrpc": "2.0",
                "method": "session/update",
                "params": {"sessionId": SESSION, "update": update},
            }
        )
        half = len(line) // 2
        await wire.event(SESSION, b"no json")
        await wire.event(SESSION, line[:half].encode(), b"")
        await wire.streams[SESSION].send(
            b"%x\r\n%b\n\n\r\n" % (len(line) - half + 2, line[half:].encode())
        )
        await wire.streams[SESSION].send(b"4\r\n: a\n\r\n")
        await stage.until(lambda: texts(session) == ["hello"])
        await stage.end()


# --- how it begins badly


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ((401, {}, b""), "it does not let us in; check agents.scripted.headers"),
        ((403, {}, b""), "it does not let us in; check agents.scripted.headers"),
        ((404, {}, b""), "there is no agent here; check the path of agents.scripted.url"),
        ((409, {}, b""), "another client has this connection"),
        ((413, {}, b""), "the message is too large for this server"),
        ((426, {}, b""), "it speaks WebSocket only; write ws: or wss: in agents.scripted.url"),
        ((500, {}, b""), "this server has failed; see its log"),
        ((302, {"Location": "http://x/?k=3fe1"}, b""), "it has moved to http://x/; write that in"),
        ((200, {"Content-Type": "text/html"}, b"<html>"), "it answers with a web page, not with"),
        (
            (200, {"Content-Type": "application/json"}, b"{}"),
            "what it answers to initialize is not",
        ),
        ((503, {"Retry-After": "9"}, b""), "it cannot answer now; see its log, or try again in 9 "),
        ((302, {"Location": "http://[::1/3fe1"}, b""), "it has moved to what is not an address"),
        ((307, {"Location": "/login?k=3fe1"}, b""), "it has moved to http://127.0.0.1:"),
        (
            (
                200,
                {
                    "Content-Type": "application/json",
                    "Content-Encoding": "gzip",
                    "Acp-Connection-Id": "c",
                },
                gzip.compress(b" " * 40_000_000),
            ),
            "what it answers to initialize is not ACP",
        ),
        (
            (200, {"Content-Type": "application/json", "Acp-Connection-Id": "c"}, b"[1"),
            "what it answers to initialize is not ACP",
        ),
    ],
)
async def test_what_comes_in_place_of_an_agent(answer: Any, sentence: str):
    async with HttpWire() as wire, HttpStage(wire) as stage:
        wire.judge = lambda *_: answer
        session = stage.launch()
        await stage.until(lambda: stage.over and session.state.status == "closed")
        said = notices(session)[-1]
        assert sentence in said and wire.url in said and SECRET not in said
        assert "3fe1" not in said
        assert len(wire.requests) == 1


async def test_a_connection_that_breaks_before_the_answer():
    async def hang_up(stream: anyio.abc.SocketStream) -> None:
        await stream.aclose()

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, hang_up)
        port = listener.extra(anyio.abc.SocketAttribute.local_port)
        async with RemoteStage(f"http://127.0.0.1:{port}/acp") as stage:
            stage.launch()
            await stage.until(lambda: stage.over)
            assert f"127.0.0.1:{port}" in str(stage.client.error)
        tasks.cancel_scope.cancel()


async def test_a_server_that_breaks_off_its_first_answer_is_not_called_another():
    async def break_off(stream: anyio.abc.SocketStream) -> None:
        async with stream:
            await stream.receive()
            head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n"
            await stream.send(head + b'Acp-Connection-Id: c\r\n\r\n{"jsonrpc":')

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, break_off)
        port = listener.extra(anyio.abc.SocketAttribute.local_port)
        async with RemoteStage(f"http://127.0.0.1:{port}/acp") as stage:
            stage.launch()
            await stage.until(lambda: stage.over)
            assert f"127.0.0.1:{port} has closed the connection" in str(stage.client.error)
        tasks.cancel_scope.cancel()


@pytest.mark.parametrize("change", [str, lambda it: it])
async def test_an_answer_with_its_id_as_a_string_and_a_mark_before_it(change: Any):
    async with HttpWire() as wire, HttpStage(wire) as stage:

        def answer(_: str, __: dict[str, str], message: Any) -> Any:
            if not message or message.get("method") != "initialize":
                return None
            told = {"Content-Type": "application/json", "Acp-Connection-Id": "c1"}
            result = {"id": change(message["id"]), "result": {"protocolVersion": 1}}
            return 200, told, b"\xef\xbb\xbf" + json.dumps(result).encode()

        wire.judge = answer
        session = stage.launch()
        await stage.agent.open()
        await stage.until(lambda: session.state.status == "idle")
        await stage.end()


async def test_a_newer_version_in_answer_to_ours():
    async with HttpWire() as wire, HttpStage(wire) as stage:
        stage.launch()
        await stage.agent.initialize(protocolVersion=2)
        await stage.until(lambda: stage.over)
        assert "protocol version 2" in str(stage.client.error)


async def test_a_batch_and_an_error_without_an_id_do_no_harm():
    async with HttpWire() as wire, HttpStage(wire) as stage:
        session = await stage.start()
        error = {"code": Code.INTERNAL_ERROR, "message": "parse error"}
        await wire.opened("")
        await wire.event("", json.dumps([{"jsonrpc": "2.0", "id": None, "error": error}]).encode())
        stage.agent.say("hello")
        await stage.until(lambda: texts(session) == ["hello"])
        await stage.end()
