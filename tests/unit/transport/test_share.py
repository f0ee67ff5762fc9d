"""The descriptors of a process: a share for each connection, and a rest for the host."""

from __future__ import annotations

import os

import pytest

from acp_nvim import descriptors
from acp_nvim.descriptors import RESERVED, SHARES, Share
from acp_nvim.errors import UserError


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descriptors, "limit", lambda: 256)
    monkeypatch.setattr(descriptors, "used", lambda: 20)


def test_a_connection_has_a_share_and_no_more() -> None:
    share = Share()
    for _ in range((256 - RESERVED) // SHARES):
        share.take(1)
    with pytest.raises(UserError, match=r"48 file descriptors are held for this agent, of 256"):
        share.take(1)
    share.give_back(1)
    share.take(1)
    Share().take(1)


def test_the_last_ones_are_the_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descriptors, "used", lambda: 256 - RESERVED)
    with pytest.raises(UserError, match="nearly all file descriptors"):
        Share().take(1)


def test_what_fails_gives_them_back() -> None:
    share = Share()
    with pytest.raises(OSError, match="no"), share.taking(2):
        raise OSError("no")
    assert share.held == 0
    with share.taking(2):
        pass
    assert share.held == 2


def test_what_is_used_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    before = descriptors.used()
    more = [os.open("/dev/null", os.O_RDONLY) for _ in range(5)]
    assert descriptors.used() == before + 5
    for each in more:
        os.close(each)
