"""Proxies of the environment, and TLS of both transports: reached, or one sentence."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.agents.http_wire import HttpWire
from tests.support.agents.proxy import ProxyWire
from tests.support.agents.socket_wire import SocketWire
from tests.support.certificate import make_certificate
from tests.support.ports import reserved
from tests.support.remote_stage import RemoteStage
from tests.support.stage import notices, texts

SECRET = "Bearer 3fe1"
FAR = "agent.example"
"""No host of that name is anywhere; the proxies of these tests know it."""
SCHEMES = ["ws", "wss", "http", "https"]


class WireStage(RemoteStage):
    """The agent that it scripts is at the other end."""

    def __init__(self, wire: SocketWire | HttpWire, url: str, **options: Any) -> None:
        super().__init__(url, headers={"Authorization": SECRET}, **options)
        self.agent.link = wire  # type: ignore[assignment]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy but those of the test."""
    for name in ("http", "https", "all", "no", "ws", "wss"):
        monkeypatch.delenv(f"{name}_proxy", raising=False)
        monkeypatch.delenv(f"{name}_proxy".upper(), raising=False)


@asynccontextmanager
async def wire_of(
    scheme: str, folder: Path, *names: str
) -> AsyncIterator[tuple[SocketWire | HttpWire, str]]:
    """Yield an agent, and its address as that of a far host."""
    options: dict[str, Any] = {}
    if scheme in ("wss", "https"):
        options["ssl"] = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        options["ssl"].load_cert_chain(make_certificate(folder, *names))
    made = SocketWire(**options) if scheme.startswith("ws") else HttpWire(**options)
    async with made as wire:
        yield wire, f"{scheme}://{FAR}:{wire.port}/acp"


def variable(scheme: str) -> str:
    return "HTTPS_PROXY" if scheme in ("wss", "https") else "HTTP_PROXY"


async def failure(url: str) -> str:
    """Return the one sentence that is said; nothing may be left."""
    async with RemoteStage(url, headers={"Authorization": SECRET}) as stage:
        session = stage.launch()
        await stage.until(lambda: stage.over and session.state.status == "closed")
        said = notices(session)[-1]
        assert said == stage.client.error
        assert "3fe1" not in said and "hush" not in said
        return said


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("written", ["{}", "http://me:hush@{}"])
async def test_an_agent_is_reached_through_the_proxy(
    scheme: str, written: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async with ProxyWire() as proxy, wire_of(scheme, tmp_path, FAR) as (wire, url):
        monkeypatch.setenv(variable(scheme), written.format(f"127.0.0.1:{proxy.port}"))
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))
        async with WireStage(wire, url) as stage:
            session = await stage.start()
            request = await stage.turn(session)
            stage.agent.reply(request, {"stopReason": "end_turn"})
            await stage.until(lambda: session.state.stop_reason == "end_turn")
            await stage.end()
        assert all(f"{FAR}:{wire.port}" in head for head in proxy.heads)
        tunnels = [head for head in proxy.heads if head.startswith("CONNECT ")]
        assert SECRET not in "".join(tunnels), "the proxy was told what is the agent's"
        assert ("proxy-authorization: basic" in proxy.heads[0].lower()) is ("@" in written)


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_no_proxy_is_kept_to(scheme: str, monkeypatch: pytest.MonkeyPatch):
    async with ProxyWire() as proxy:
        monkeypatch.setenv(variable(scheme), f"127.0.0.1:{proxy.port}")
        monkeypatch.setenv("NO_PROXY", "other.example,.example")
        assert f"no host {FAR} is found" in await failure(f"{scheme}://{FAR}:1/acp")
        assert not proxy.heads


@pytest.mark.parametrize("scheme", ["ws", "http"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
async def test_this_machine_is_reached_without(
    scheme: str, host: str, monkeypatch: pytest.MonkeyPatch
):
    async with ProxyWire() as proxy:
        monkeypatch.setenv("ALL_PROXY", f"127.0.0.1:{proxy.port}")
        with reserved() as port:
            assert "nothing listens at" in await failure(f"{scheme}://{host}:{port}/acp")
        assert not proxy.heads


@pytest.mark.parametrize("scheme", ["ws", "wss", "https"])
@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (403, f"does not let us through to {FAR}: ask who runs it, or add it to $NO_PROXY"),
        (407, "wants a login: write user and password in ${variable}"),
        (502, f"cannot reach {FAR}: check the address, or add it to $NO_PROXY"),
    ],
)
async def test_the_proxy_refuses(
    scheme: str, status: int, sentence: str, monkeypatch: pytest.MonkeyPatch
):
    async with ProxyWire() as proxy:
        page = b"Content-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>"
        proxy.refusal = b"HTTP/1.1 %d Nono\r\n%b" % (status, page)
        monkeypatch.setenv(variable(scheme), f"http://me:hush@127.0.0.1:{proxy.port}")
        said = await failure(f"{scheme}://{FAR}/acp")
        expected = sentence.replace("{variable}", variable(scheme))
        assert f"the proxy 127.0.0.1:{proxy.port} {expected} (status {status})" in said
        assert len(proxy.heads) == 1


@pytest.mark.parametrize(
    ("status", "sentence"),
    [(407, "the proxy 127.0.0.1:{} wants a login"), (200, "it answers with a web page")],
)
async def test_a_page_of_a_proxy_in_place_of_an_answer(
    status: int, sentence: str, monkeypatch: pytest.MonkeyPatch
):
    async with ProxyWire() as proxy:
        page = b"Content-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>"
        proxy.refusal = b"HTTP/1.1 %d Hm\r\n%b" % (status, page)
        monkeypatch.setenv("HTTP_PROXY", f"127.0.0.1:{proxy.port}")
        assert sentence.format(proxy.port) in await failure(f"http://{FAR}/acp")


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_no_proxy_is_there(scheme: str, monkeypatch: pytest.MonkeyPatch):
    with reserved() as port:
        monkeypatch.setenv(variable(scheme), f"http://me:hush@127.0.0.1:{port}")
        said = await failure(f"{scheme}://{FAR}/acp")
    expected = f"nothing listens at proxy 127.0.0.1:{port}: start the server, or check $"
    assert expected + variable(scheme) in said


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("given", ["socks5://127.0.0.1:1", "http://", "http://a:b:c", "http://[x"])
async def test_what_is_no_proxy_for_us(scheme: str, given: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ALL_PROXY", given)
    assert "scripted: $ALL_PROXY is not " in await failure(f"{scheme}://{FAR}/acp")


# --- TLS


def certified(folder: Path) -> ssl.SSLContext:
    """Return what a proxy on this machine needs; what trusts it is beside it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(make_certificate(folder, "localhost", FAR))
    return context


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_an_agent_is_reached_through_a_proxy_that_speaks_tls(
    scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    own = tmp_path / "own"
    own.mkdir()
    async with wire_of(scheme, own, FAR) as (wire, url), ProxyWire(certified(tmp_path)) as proxy:
        pems = [it / "certificate.pem" for it in (own, tmp_path)]
        trusted = tmp_path / "trusted.pem"
        trusted.write_bytes(b"".join(it.read_bytes() for it in pems if it.exists()))
        monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
        monkeypatch.setenv(variable(scheme), f"https://me:hush@localhost:{proxy.port}")
        async with WireStage(wire, url) as stage:
            session = await stage.start()
            stage.agent.say("hello")
            await stage.until(lambda: texts(session) == ["hello"])
            await stage.end()
        assert all("Proxy-Authorization" in head.title() for head in proxy.heads)


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_a_proxy_whose_certificate_nobody_trusts_is_told_nothing(
    scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async with ProxyWire(certified(tmp_path)) as proxy:
        monkeypatch.setenv(variable(scheme), f"https://me:hush@localhost:{proxy.port}")
        said = await failure(f"{scheme}://{FAR}/acp")
        assert f"the certificate of the proxy localhost:{proxy.port}" in said
        assert "is not trusted: " in said and "never left out" in said
        assert not proxy.heads


@pytest.mark.parametrize("scheme", ["wss", "https"])
@pytest.mark.parametrize("trusted", [True, False])
async def test_c344_a_certificate_is_checked(
    scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, trusted: bool
):
    async with wire_of(scheme, tmp_path, FAR) as (wire, _):
        if trusted:  # but it is another host's
            monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))
        said = await failure(f"{scheme}://127.0.0.1:{wire.port}/acp")
        assert "the certificate of 127.0.0.1 is not trusted: " in said
        todo = "Check agents.scripted.url, and that server"
        mend = "If you trust who has signed it, put that certificate into $SSL_CERT_FILE"
        assert (todo if trusted else mend) in said
        assert not wire.requests, "the headers were sent to somebody unknown"
