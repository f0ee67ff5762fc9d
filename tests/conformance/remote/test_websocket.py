"""C-332, C-333, C-344 to C-346, C-348: an agent behind a WebSocket."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from acp_nvim.errors import Code
from acp_nvim.transport import websocket
from acp_nvim.transport.link import MOST
from tests.support.agents.scripted_agent import SESSION
from tests.support.agents.socket_wire import SocketWire
from tests.support.certificate import make_certificate
from tests.support.ports import reserved
from tests.support.remote_stage import RemoteStage, SocketStage
from tests.support.stage import notices, texts

SECRET = "Bearer 3fe1"


def chunk(text: str) -> str:
    """Return a chunk of an agent message as JSON."""
    content = {"type": "text", "text": text}
    update = {"sessionUpdate": "agent_message_chunk", "content": content}
    params = {"sessionId": SESSION, "update": update}
    return json.dumps({"jsonrpc": "2.0", "method": "session/update", "params": params})


async def test_c332_a_text_frame_is_a_message_and_a_binary_one_is_none():
    async with SocketWire() as wire, SocketStage(wire) as stage:
        session = await stage.start()
        wire.frame(b'{"jsonrpc":"2.0","method":"session/update"}')
        wire.frame("no json")
        wire.frame("[]")
        stage.agent.say("hello")
        await stage.agent.quiet()
        assert texts(session) == ["hello"]
        assert all(json.loads(line)["jsonrpc"] == "2.0" for line in stage.agent.raw)
        await stage.end()


async def test_c333_initialize_is_the_first_frame():
    async with SocketWire() as wire, SocketStage(wire) as stage:
        await stage.start()
        assert stage.agent.received[0]["method"] == "initialize"
        assert wire.requests[0].headers["User-Agent"].startswith("acp.nvim/")
        await stage.end()


async def test_ten_thousand_chunks_come_in_order():
    async with SocketWire() as wire, SocketStage(wire) as stage:
        session = await stage.start()
        for number in range(10_000):
            stage.agent.say(f"{number} ")
        await stage.agent.quiet()
        assert texts(session) == ["".join(f"{number} " for number in range(10_000))]
        await stage.end()


async def test_c348_what_is_not_asked_for_waits_at_the_sender():
    async with SocketWire() as wire, RemoteStage(wire.url) as stage:
        link = await stage._spawn(stage.client.launch)
        sent = 0
        with anyio.move_on_after(2):
            async with anyio.create_task_group() as tasks:
                await wait_for(lambda: wire.connections)
                while True:
                    await wire.connections[0].send("x" * 1_000_000)
                    sent += 1
                    if sent > 100:
                        tasks.cancel_scope.cancel()
        assert sent < 100, "an agent that floods is not held back"
        await link.end(grace=0)


async def test_c348_a_message_that_is_too_large_ends_the_connection():
    async with SocketWire() as wire, SocketStage(wire) as stage:
        await stage.start()
        wire.frame("x" * (MOST + 1))
        await stage.until(lambda: stage.over)
        assert "a message was larger than 32 MB" in (stage.client.error or "")


async def wait_for(predicate: Any) -> None:
    with anyio.fail_after(40):
        while not predicate():  # noqa: ASYNC110
            await anyio.sleep(0.01)


# --- how it fails


async def failure(url: str, **options: Any) -> str:
    """Return what is said of an agent that cannot be reached; nothing may be left of it."""
    async with RemoteStage(url, **options) as stage:
        session = stage.launch()
        await stage.until(lambda: stage.over and session.state.status == "closed")
        assert notices(session)[-1] == stage.client.error
        assert SECRET not in stage.logged() + repr(stage.client.launch)
        return str(stage.client.error)


@pytest.mark.parametrize("scheme", ["ws", "wss"])
async def test_nobody_listens(scheme: str):
    with reserved() as port:
        said = await failure(f"{scheme}://127.0.0.1:{port}/acp?key=3fe1")
    assert (
        f"nothing listens at 127.0.0.1:{port}: start the server, or check agents.scripted.url"
        in said
    )
    assert "3fe1" not in said


async def test_there_is_no_such_host():
    said = await failure("ws://nowhere.invalid/acp")
    assert "no host nowhere.invalid is found: check agents.scripted.url" in said


@pytest.mark.parametrize(
    ("status", "headers", "sentence"),
    [
        (401, {}, "it does not let us in; check agents.scripted.headers (status 401)"),
        (403, {}, "it does not let us in; check agents.scripted.headers (status 403)"),
        (404, {}, "there is no agent here; check the path of agents.scripted.url"),
        (409, {}, "another client has this connection"),
        (413, {}, "the message is too large for this server"),
        (429, {"Retry-After": "7"}, "it has too much to do; try again in 7 seconds (status 429)"),
        (429, {"Retry-After": "Sun, 22 Nov 2026"}, "it has too much to do; try again later"),
        (502, {}, "this server has failed; see its log (status 502)"),
        (503, {}, "it cannot answer now; see its log, or try again later (status 503)"),
        (302, {"Location": "/login?3fe1"}, "it has moved to ws://localhost:"),
        (302, {"Location": "http://[::1/3fe1"}, "it has moved to what is not an address"),
        (301, {"Location": "https://x:1/a?b"}, "it has moved to https://x:1/a; write that in"),
        (200, {"Content-Type": "text/html"}, "it answers with a web page, not with ACP"),
    ],
)
async def test_the_server_refuses(status: int, headers: dict[str, str], sentence: str):
    async with SocketWire() as wire:
        wire.refusal = (status, headers, b"<html>")
        said = await failure(wire.url + "?key=3fe1", headers={"Authorization": SECRET})
        assert sentence in said and wire.url in said
        assert "3fe1" not in said
        assert len(wire.requests) == 1, "the headers went elsewhere, too"


async def test_a_server_that_speaks_something_else():
    async def shout(stream: anyio.abc.SocketStream) -> None:
        async with stream:
            await stream.send(b"220 mail.example ESMTP\r\n")

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, shout)
        port = listener.extra(anyio.abc.SocketAttribute.local_port)
        assert "does not speak this protocol" in await failure(f"ws://127.0.0.1:{port}/")
        assert "does not speak TLS as it should" in await failure(f"wss://127.0.0.1:{port}/")
        tasks.cancel_scope.cancel()


async def test_a_connection_that_breaks_before_the_answer():
    async with SocketWire() as wire, SocketStage(wire) as stage:
        stage.launch()
        await stage.agent.expect("initialize")
        wire.connections[0].transport.abort()
        await stage.until(lambda: stage.over)
        assert "the connection to scripted is lost (it broke off) before it answered" in str(
            stage.client.error
        )
        assert not stage.client.left


async def test_half_a_frame_is_the_end():
    async with SocketWire() as wire, SocketStage(wire) as stage:
        session = await stage.start()
        wire.connections[0].transport.write(b'\x81\x7e\x10\x00{"jsonrpc":')
        wire.connections[0].transport.close()
        await stage.until(lambda: stage.over)
        assert notices(session)[-1].startswith(
            "the connection to scripted is lost (it broke off): it is tried"
        )
        assert stage.client.left == (session,)


async def test_the_server_says_why_it_closes():
    async with SocketWire() as wire, SocketStage(wire) as stage:
        session = await stage.start()
        await wire.connections[0].close(1001, "going for lunch")
        await stage.until(lambda: stage.over)
        assert notices(session)[-1].startswith(
            "the connection to scripted is lost (the server stops: going for lunch): it is tried"
        )
        assert stage.client.left == (session,)


@pytest.mark.parametrize("code", [3000, 3003, 4401, 4403])
async def test_the_server_throws_us_out(code: int):
    async with SocketWire() as wire, SocketStage(wire) as stage:
        await stage.start()
        await wire.connections[0].close(code, "token\nexpired")
        await stage.until(lambda: stage.over)
        expected = f"does not let us in; check agents.scripted.headers (code {code}: token expired)"
        assert expected in str(stage.client.error)
        assert stage.client.hopeless and not stage.client.left


async def test_messages_that_share_a_frame_are_all_read():
    async with SocketWire() as wire, SocketStage(wire) as stage:
        session = await stage.start()
        said = [chunk(text) for text in ("one ", "two ", "three")]
        for frame in (said[0] + said[1] + "\n", "\ufeff" + said[2]):
            wire.frame(frame)
        await stage.until(lambda: texts(session) == ["one two three"])
        await stage.end()


@pytest.mark.parametrize("written", ["Sec-WebSocket-Protocol", "sec-websocket-protocol"])
async def test_a_subprotocol_that_the_server_wants(written: str):
    options = {"subprotocols": ["acp.v1"]}
    async with SocketWire(**options) as wire:
        stage = SocketStage(wire, headers={written: "token.3fe1, acp.v1"})
        async with stage:
            await stage.start()
            assert wire.connections[0].subprotocol == "acp.v1"
            await stage.end()


@pytest.mark.parametrize("scheme", ["ws", "http", "wss"])
async def test_what_connects_is_stopped_at_once(scheme: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(websocket, "PATIENCE", 1_000)
    asked = anyio.Event()

    async def say_nothing(stream: anyio.abc.SocketStream) -> None:
        async with stream:
            await stream.receive()
            asked.set()
            await anyio.sleep_forever()

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, say_nothing)
        port = listener.extra(anyio.abc.SocketAttribute.local_port)
        async with RemoteStage(f"{scheme}://127.0.0.1:{port}/acp") as stage:
            session = stage.launch()
            await asked.wait()
            await stage.end()
            assert session.state.status == "closed"
        tasks.cancel_scope.cancel()


async def test_a_newer_version_in_answer_to_ours():
    async with SocketWire() as wire, SocketStage(wire) as stage:
        stage.launch()
        await stage.agent.initialize(protocolVersion=2)
        await stage.until(lambda: stage.over)
        assert "protocol version 2" in str(stage.client.error)


@pytest.mark.parametrize("value", ["a\nb", "ü", "a\x00"])
async def test_c345_a_header_that_cannot_be_sent(value: str):
    async with SocketWire() as wire:
        said = await failure(wire.url, headers={"X-Key": value})
        assert "the header 'X-Key' has characters that no header may have" in said
        assert value not in said


async def test_c345_headers_go_with_the_request_and_are_never_told():
    async with SocketWire() as wire, SocketStage(wire, headers={"Authorization": SECRET}) as stage:
        await stage.start()
        assert wire.requests[0].headers["Authorization"] == SECRET
        assert SECRET not in stage.logged() + repr(stage.client.launch) + repr(stage.opened)
        await stage.end()


# --- TLS


@pytest.fixture
def certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ssl.SSLContext]:
    """Yield what a server needs that is "localhost" and signed by itself."""
    path = make_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    yield context


async def test_c344_a_certificate_that_nobody_trusts(certificate: ssl.SSLContext):
    async with SocketWire(ssl=certificate) as wire:
        said = await failure(wire.url, headers={"Authorization": SECRET})
        assert "the certificate of localhost is not trusted: " in said
        assert not wire.requests, "the headers were sent to somebody unknown"


async def test_c344_one_that_this_machine_trusts(
    certificate: ssl.SSLContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))
    async with SocketWire(ssl=certificate) as wire, SocketStage(wire) as stage:
        await stage.start()
        await stage.end()


# --- what it may do here


async def test_c346_files_and_commands_are_served_only_where_that_is_allowed(tmp_path: Path):
    for allowed in (False, True):
        may = {"read_files": allowed, "write_files": allowed, "terminals": allowed}
        async with SocketWire() as wire, SocketStage(wire, cwd=tmp_path, **may) as stage:
            await stage.start()
            offered = stage.agent.received[0]["params"]["clientCapabilities"]
            assert offered["fs"] == {"readTextFile": allowed, "writeTextFile": allowed}
            assert offered["terminal"] is allowed
            for folder, code in (
                (str(tmp_path), None),
                ("/", Code.INVALID_PARAMS),
                (f"{tmp_path}/..", Code.INVALID_PARAMS),
            ):
                params = {"sessionId": SESSION, "command": "true", "cwd": folder}
                answer = await stage.agent.ask("terminal/create", params, folder)
                expected = code if allowed else Code.METHOD_NOT_FOUND
                assert answer.get("error", {}).get("code") == expected
            await stage.end()
