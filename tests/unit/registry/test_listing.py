"""The list of a registry: fetched when asked, kept, and what is said when that fails."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from acp_nvim.errors import UserError
from acp_nvim.registry import listing as module
from acp_nvim.registry.listing import Registry
from acp_nvim.transport import door
from tests.support.certificate import make_certificate
from tests.support.file_server import Answer, FileServer

LIST = json.dumps(
    {"agents": [{"id": "robo", "name": "Robo", "distribution": {"npx": {"package": "robo"}}}]}
)


@pytest.fixture
def server() -> Iterator[FileServer]:
    with FileServer() as started:
        yield started


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return Registry(lambda: str(tmp_path / "acp.nvim" / "registry"))


def kept(tmp_path: Path) -> Path:
    return tmp_path / "acp.nvim" / "registry" / "list.json"


async def refusal(registry: Registry, url: str) -> str:
    """Return what is said of a list that cannot be fetched."""
    with pytest.raises(UserError) as raised:
        await registry.fetch(url)
    assert registry.problem == str(raised.value)
    assert not registry.is_fetching
    return str(raised.value)


async def test_it_is_fetched_and_kept_for_the_user_alone(
    tmp_path: Path, server: FileServer, registry: Registry
) -> None:
    url = server.put("/list", LIST)
    assert registry.listing(url) is None
    assert not server.requests
    fetched = await registry.fetch(url)
    assert [it.id for it in fetched.entries] == ["robo"]
    assert stat.S_IMODE(kept(tmp_path).stat().st_mode) == 0o600
    again = Registry(lambda: str(tmp_path / "acp.nvim" / "registry")).listing(url)
    assert again == fetched
    assert server.requests == ["/list"]


async def test_what_was_kept_stays_when_the_network_is_gone(
    tmp_path: Path, registry: Registry
) -> None:
    with FileServer() as server:
        url = server.put("/list", LIST)
        await registry.fetch(url)
    assert await refusal(registry, url) == f"{url}: nothing listens there"
    found = registry.listing(url)
    assert found is not None
    assert [it.id for it in found.entries] == ["robo"]
    assert registry.listing("https://elsewhere.example/list") is None


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"url": 1}', "\0", "x" * 99])
async def test_a_kept_list_that_is_broken_is_none(
    tmp_path: Path, registry: Registry, text: str
) -> None:
    kept(tmp_path).parent.mkdir(parents=True)
    kept(tmp_path).write_text(text)
    assert registry.listing("https://example.org/list") is None


async def test_a_kept_list_behind_a_link_is_not_read(
    tmp_path: Path, server: FileServer, registry: Registry
) -> None:
    url = server.put("/list", LIST)
    await registry.fetch(url)
    os.rename(kept(tmp_path), tmp_path / "planted")
    kept(tmp_path).symlink_to(tmp_path / "planted")
    assert Registry(lambda: str(tmp_path / "acp.nvim" / "registry")).listing(url) is None


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer(status=404), "there is nothing at this address (status 404)"),
        (Answer(status=403), "it does not let us in (status 403)"),
        (Answer(status=500), "this server has failed; try again later (status 500)"),
        (Answer(status=418), "it refuses (status 418)"),
        (Answer(b"<html>", "text/html; charset=utf-8"), "it answers with a web page"),
        (Answer(b"hello"), "answers with something that is not JSON: check the option registry"),
        (Answer(b"[]"), "answers with JSON that is not a list of agents"),
        (Answer(b"{}", length=9 << 20), "it is larger than 8 MB: not taken"),
        (Answer(b"x" * (9 << 20)), "it is larger than 8 MB: not taken"),
        (Answer(b"{}", length=500), "the connection was closed before all had come"),
        (Answer(status=302, headers={"Location": "http://example.org/"}), "only https:// is"),
        (Answer(status=302, headers={"Location": "file:///etc/passwd"}), "only https:// is"),
        (
            Answer(status=302, headers={"Location": "/list?key=secret"}),
            "from one address to the next",
        ),
        (
            Answer(status=302, headers={"Location": "https://[x"}),
            "something that is not an address",
        ),
    ],
)
async def test_what_is_wrong_is_one_sentence(
    server: FileServer, registry: Registry, answer: Answer, said: str
) -> None:
    url = server.put("/list?key=secret", answer)
    refused = await refusal(registry, url)
    assert said in refused
    assert "secret" not in refused
    assert "\n" not in refused
    assert registry.listing(url) is None


async def test_a_redirect_on_this_machine_is_followed(
    server: FileServer, registry: Registry
) -> None:
    server.put("/new", LIST)
    url = server.put("/list", Answer(status=301, headers={"Location": "/new"}))
    assert len((await registry.fetch(url)).entries) == 1


async def test_a_host_that_is_not_there(registry: Registry) -> None:
    said = await refusal(registry, "https://nowhere.invalid/list")
    assert said.startswith("https://nowhere.invalid/list: ")


@pytest.mark.parametrize(
    ("proxy", "sentence"),
    [
        ("127.0.0.1:1", "nothing listens there (by the proxy 127.0.0.1:1 of $HTTPS_PROXY)"),
        ("socks5://127.0.0.1:1", "$HTTPS_PROXY is not http://HOST:PORT or https://HOST:PORT"),
    ],
)
async def test_a_proxy_that_is_none(
    registry: Registry, monkeypatch: pytest.MonkeyPatch, proxy: str, sentence: str
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    monkeypatch.setenv("https_proxy", proxy)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    assert sentence in await refusal(registry, "https://nowhere.invalid/list")


async def test_a_server_that_is_too_slow(
    server: FileServer, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TAKEN", 0.0)
    assert "not here within 0 seconds" in await refusal(registry, server.put("/list", LIST))


async def test_a_certificate_that_nobody_trusts(tmp_path: Path, registry: Registry) -> None:
    with FileServer(make_certificate(tmp_path)) as server:
        said = await refusal(registry, server.put("/list", LIST))
    assert "its certificate is not trusted: " in said


async def test_one_that_this_machine_trusts(
    tmp_path: Path, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = make_certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))
    with FileServer(certificate) as server:
        assert len((await registry.fetch(server.put("/list", LIST))).entries) == 1


async def test_a_library_that_is_missing_is_named(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(module: ModuleType) -> None:
        raise ModuleNotFoundError("no", name="httpx2")

    monkeypatch.setattr(door.lazy, "load", missing)
    said = await refusal(registry, "https://example.org/list")
    assert said == "the list of agents needs the Python package httpx2: run :Acp install"
