"""What is shown of an address has nothing in it that only its owner knows."""

from __future__ import annotations

from contextlib import suppress
from urllib.parse import quote

from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.transport.address import public

WORD = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=8, max_size=20)


@given(
    st.sampled_from(["ws", "wss", "http", "https"]),
    WORD,
    WORD,
    WORD,
    st.integers(1, 65535),
    st.sampled_from(["{user}:{word}@", "{user}@", ":{word}@", "{user}:{word}@{word}@"]),
)
def test_user_query_and_fragment_are_left_out(
    scheme: str, user: str, word: str, key: str, port: int, form: str
) -> None:
    user, word, key = f"U{user}", f"W{word}", f"K{key}"
    who = form.format(user=user, word=quote(word))
    shown = public(f"{scheme}://{who}example.org:{port}/acp?token={key}#{key}")
    assert user not in shown and word not in shown and key not in shown
    assert f"example.org:{port}" in shown


@given(st.text(max_size=40))
def test_what_is_no_address_is_refused_or_shown_without_a_user(text: str) -> None:
    with suppress(ValueError):
        assert "@" not in public(f"https://{text}").split("/")[2]
