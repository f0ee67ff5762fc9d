from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.session.elicitation.address import judge


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://example.com/a?b#c", "example.com"),
        ("https://Example.COM:8443/", "example.com"),
        ("https://user:pw@example.com/example.com", "example.com"),
        ("http://[::1]:80/", "::1"),
        ("https://com.com@com/", "com"),
    ],
)
def test_the_host_is_where_it_is_said_to_be(url: str, host: str) -> None:
    address = judge(url)
    assert address.host == host and address.refusal is None
    assert url[address.start : address.end].lower() == host
    assert url[: address.start].endswith(("/", "@", "["))


@given(st.text(max_size=40))
def test_any_text_is_judged(text: str) -> None:
    for url in (text, f"https://{text}", f"https://{text}@{text}:1/"):
        address = judge(url)
        assert address.refusal or url[address.start : address.end].lower() == address.host
