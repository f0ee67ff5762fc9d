"""The body of an answer of a remote agent: it is taken as it comes."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import AsyncIterator

import httpx2
import pytest

from acp_nvim.errors import UserError
from acp_nvim.transport import http_client
from acp_nvim.transport.address import Address

ADDRESS = Address("far", "https://far.example/acp")
BOMB = gzip.compress(gzip.compress(bytes(100_000_000)))


class Body(httpx2.AsyncByteStream):
    """What comes on the wire."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._data


def answer(data: bytes, encoding: str) -> httpx2.Response:
    headers = {"content-type": "application/json", "content-encoding": encoding}
    return httpx2.Response(200, headers=headers, stream=Body(data))


@pytest.mark.parametrize("encoding", ["gzip, gzip", "GZip", "deflate", "identity, gzip", "x"])
async def test_what_is_compressed_is_inflated_by_nobody(encoding: str) -> None:
    """A server says what it wants, whatever it was asked for: 600 bytes would be 100 MB here."""
    data = zlib.compress(bytes(1_000)) if encoding == "deflate" else BOMB
    with pytest.raises(UserError, match="not ACP"):
        await http_client.whole(ADDRESS, answer(data, encoding))
    assert await http_client.beginning(answer(data, encoding)) == ""


async def test_what_is_plain_is_taken() -> None:
    for encoding in ("Identity", ""):
        assert await http_client.whole(ADDRESS, answer(b"{}", encoding)) == "{}"
    async with http_client.client(ADDRESS) as client:
        assert client.headers["accept-encoding"] == "identity"
