"""This machine has many names."""

from __future__ import annotations

import pytest

from acp_nvim.loopback import is_loopback, is_this_machine
from acp_nvim.transport.download import Download, download

SURE = [
    "localhost",
    "LOCALHOST",
    "localhost.",
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "127.255.255.254",
    "::1",
    "[::1]",
    "0:0:0:0:0:0:0:1",
    "::ffff:127.0.0.1",
    "[::ffff:7f00:1]",
    "::127.0.0.1",
    "2130706433",
    "0x7f000001",
    "0x7F.1",
    "017700000001",
    "0177.0.0.1",
    "127.0x0.1",
    "１２７.０.０.１",
    "127。0。0。1",
    "127%2e0%2e0%2e1",
    "::1%lo",
    "2002:7f00:1::",
]
PERHAPS = [
    "0.0.0.0",
    "0",
    "0x0",
    "::",
    "[::]",
    "::ffff:0.0.0.0",
    "64:ff9b::127.0.0.1",
    "[64:ff9b::7f00:1]",
    "64:ff9b:1::7f00:1",
    "::ffff:0:127.0.0.1",
    "fe80::5efe:127.0.0.1",
    "fe80::200:5efe:7f00:1%lo",
    "2001:0:0:0:0:0:80ff:fffe",
    "64:ff9b::",
    "a.localhost",
    "a.b.LocalHost.",
    "localhost.localdomain",
    "localhost4",
    "localhost4.localdomain4",
    "localhost6",
    "loopback",
    "ip6-localhost",
    "ip6-loopback",
]
OTHERS = [
    "example.org",
    "localhost.example.org",
    "notlocalhost",
    "128.0.0.1",
    "126.255.255.255",
    "::2",
    "fe80::1",
    "64:ff9b::8.8.8.8",
    "2001:db8::7f00:1",
    "10.0.0.1",
    "2130706432.5.5.5.5",
    "0x7g",
    "089",
    "1.2.3.4.5",
    "127.0.0.1.nip.io",
    "127.0.0.256",
    "4294967296",
    "localhosts",
]


@pytest.mark.parametrize("host", SURE)
def test_what_stays_here(host: str) -> None:
    assert is_loopback(host) and is_this_machine(host)


@pytest.mark.parametrize("host", PERHAPS)
def test_what_may_be_here(host: str) -> None:
    assert is_this_machine(host) and not is_loopback(host)


@pytest.mark.parametrize("own", ["robo", "Robo.example.org", "robo."])
def test_its_own_name_is_known_however_it_is_written(own: str) -> None:
    for host in ("robo", "ROBO", "robo.", "r%6fbo", "robo.local", "robo.localdomain."):
        assert is_this_machine(host, own) and not is_loopback(host)
    assert is_this_machine("robo.example.org.", own) == ("example" in own)
    for host in ("", "robot", "local", "robo.org"):
        assert not is_this_machine(host, own)


@pytest.mark.parametrize("host", ["", *OTHERS])
def test_what_is_elsewhere(host: str) -> None:
    assert not is_this_machine(host) and not is_loopback(host)


@pytest.mark.parametrize("host", [*SURE, *PERHAPS])
@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_nothing_is_downloaded_from_here_by_what_a_registry_says(
    scheme: str, host: str
) -> None:
    place = f"[{host}]" if ":" in host and not host.startswith("[") else host
    with pytest.raises(Exception, match=r"this machine is refused|is not an address|only https"):
        await download(Download(f"{scheme}://{place}/x", 100), None, lambda *_: None)  # type: ignore[arg-type]
