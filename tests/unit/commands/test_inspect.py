"""What `inspect()` says is on the screen at one moment, all of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from acp_nvim.app import compose
from acp_nvim.commands.viewing import ROUNDS, inspect
from tests.support.fakes.fake_editor import fake_editor


def after(told: list[str], name: str, answers: list[bool]) -> Callable[[], Awaitable[bool]]:
    """Return what waits for something to be drawn, unless it is: the next answer."""

    async def settled() -> bool:
        told.append(name)
        return answers.pop(0) if answers else True

    return settled


async def test_what_comes_while_another_is_waited_for_is_waited_for_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    host, told = compose(fake_editor(), "/"), list[str]()
    monkeypatch.setattr(host.editor.screen, "settled", after(told, "screen", []))
    monkeypatch.setattr(host.review.presenter, "settled", after(told, "review", [False, False]))
    await inspect(host)
    assert told == ["screen", "review"] * 3


async def test_who_draws_all_the_time_is_told_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    host, told = compose(fake_editor(), "/"), list[str]()
    monkeypatch.setattr(host.editor.screen, "settled", after(told, "screen", [False] * 100))
    assert (await inspect(host))["sessions"] == []
    assert len(told) == ROUNDS
