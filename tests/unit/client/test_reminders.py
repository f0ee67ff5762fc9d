"""What agents put around the user's words for their model is left out, whatever it looks like."""

from __future__ import annotations

import pytest

from acp_nvim.client.quirks import heard
from acp_nvim.session.content import Text
from acp_nvim.session.event import ChunkReceived

ONE = "<system-reminder>x</system-reminder>"
SPACES = " \n" * 200_000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{ONE} hello", "hello"),
        (f" {ONE}{ONE}\nhello\n{ONE} ", "hello"),
        (f"a {ONE} b", f"a {ONE} b"),
        (f"a {ONE} b {ONE}", f"a {ONE} b"),
        (f"a{SPACES}<system-reminder>", f"a{SPACES}<system-reminder>"),
        (f"{SPACES}<system-reminder>{SPACES}a", f"{SPACES}<system-reminder>{SPACES}a"),
        (f"{ONE * 20_000}a", "a"),
        (f"a{ONE * 20_000}", "a"),
    ],
)
def test_what_is_left(text: str, said: str) -> None:
    [event] = heard((ChunkReceived("user", Text(text)),), frozenset())
    assert isinstance(event, ChunkReceived)
    assert event.content == Text(said)
