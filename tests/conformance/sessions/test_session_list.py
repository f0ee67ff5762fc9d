"""Obligations C-078 and C-096 to C-102: the agent's list of sessions, and what is done with it."""

from __future__ import annotations

from typing import Any

import pytest

from acp_nvim.client.listing import MOST_PAGES, Listed, list_all
from acp_nvim.session.model import ListedSession
from acp_nvim.view.lists.sessions import label, listed_row, merged, seconds_of
from tests.conformance.connection.whole import EVERYTHING
from tests.support.stage import PROJECT, Stage

LISTS = {"sessionCapabilities": {"list": {}}}


class Asked:
    """The list on its way."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.found: Listed | None = None
        stage.tasks.start_soon(self._ask)

    async def _ask(self) -> None:
        self.found = await self.stage.client.ready.listing.all(PROJECT)
        self.stage._notify()

    async def page(self, cursor: str | None, result: Any) -> dict[str, Any]:
        """Take the request for a page, which must have this cursor, and answer it."""
        request = await self.stage.agent.expect("session/list")
        assert request["params"] == {"cwd": PROJECT} | (
            {} if cursor is None else {"cursor": cursor}
        )
        self.stage.agent.reply(request, result)
        return request

    async def ids(self) -> list[str]:
        """Return what was found, once all is."""
        await self.stage.until(lambda: self.found is not None)
        return [session.id for session in self.found or ()]


def entry(name: str, **fields: Any) -> dict[str, Any]:
    return {"sessionId": name, "cwd": PROJECT} | fields


def test_c078_roots_are_those_of_the_last_list() -> None:
    first = listed_row("a", ListedSession("x", "/x", additional_directories=("/a",)))
    again = listed_row("a", ListedSession("x", "/x"))
    assert "/a" in label(first, now=0, cwd="/x")
    assert "/a" not in label(merged([[again]])[0], now=0, cwd="/x")


async def test_c078_a_refresh_forgets_the_roots_of_the_list_before() -> None:
    async with Stage() as stage:
        await stage.start(agentCapabilities=LISTS)
        for roots in (["/a"], None):
            asked = Asked(stage)
            fields = {} if roots is None else {"additionalDirectories": roots}
            await asked.page(None, {"sessions": [entry("x", **fields)]})
            assert await asked.ids() == ["x"]
            assert asked.found is not None
            assert asked.found[0].additional_directories == tuple(roots or ())


@pytest.mark.parametrize("marker", [None, False, True])
async def test_c096_no_list_without_the_capability(marker: object) -> None:
    async with Stage() as stage:
        await stage.start(agentCapabilities={"sessionCapabilities": {"list": marker}})
        assert await stage.client.ready.listing.all(PROJECT) == ()
        await stage.agent.quiet()


async def test_c096_an_agent_that_has_not_begun_is_not_asked() -> None:
    async with Stage() as stage:
        stage.launch()
        await stage.agent.expect("initialize")
        assert stage.client.ready is None
        await stage.agent.quiet()


async def test_c097_the_folder_is_absolute() -> None:
    async with Stage() as stage:
        await stage.start(agentCapabilities=LISTS)
        asked = Asked(stage)
        request = await asked.page(None, {"sessions": []})
        assert request["params"]["cwd"].startswith("/")


@pytest.mark.parametrize("end", [{}, {"nextCursor": None}, {"nextCursor": 5}])
async def test_c098_no_cursor_is_the_end(end: dict[str, Any]) -> None:
    async with Stage() as stage:
        await stage.start(agentCapabilities=LISTS)
        asked = Asked(stage)
        await asked.page(None, {"sessions": [entry("a")], "nextCursor": "2"})
        await asked.page("2", {"sessions": [entry("b")]} | end)
        assert await asked.ids() == ["a", "b"]
        await stage.agent.quiet()


async def test_c099_a_cursor_comes_back_verbatim() -> None:
    cursor = ' é\n{}" '
    async with Stage() as stage:
        await stage.start(agentCapabilities=LISTS)
        asked = Asked(stage)
        await asked.page(None, {"sessions": [], "nextCursor": cursor})
        await asked.page(cursor, {"sessions": [entry("a")]})
        assert await asked.ids() == ["a"]


@pytest.mark.parametrize("cursor", ["again", ""])
async def test_c100_a_cursor_that_comes_again_is_the_end(cursor: str) -> None:
    async with Stage() as stage:
        await stage.start(agentCapabilities=LISTS)
        asked = Asked(stage)
        await asked.page(None, {"sessions": [entry("a")], "nextCursor": cursor})
        await asked.page(cursor, {"sessions": [entry("b")], "nextCursor": cursor})
        assert await asked.ids() == ["a", "b"]
        await stage.agent.quiet()


async def test_c100_pages_without_end_come_to_an_end() -> None:
    async with Stage() as stage:
        await stage.start(agentCapabilities=LISTS)
        asked, cursor = Asked(stage), None
        for number in range(MOST_PAGES):
            await asked.page(cursor, {"sessions": [entry(str(number))], "nextCursor": f"c{number}"})
            cursor = f"c{number}"
        assert len(await asked.ids()) == MOST_PAGES
        await stage.agent.quiet()


async def test_c101_bad_entries_are_left_out() -> None:
    async with Stage() as stage:
        await stage.start(agentCapabilities=LISTS)
        asked = Asked(stage)
        sessions = [
            {"sessionId": "a"},
            5,
            entry("relative", cwd="x"),
            entry("b"),
            entry("c", title=7, updatedAt="yesterday", additionalDirectories="x"),
        ]
        await asked.page(None, {"sessions": sessions})
        assert await asked.ids() == ["a", "b", "c"]
        assert asked.found is not None
        assert asked.found[0].cwd == PROJECT  # of the folder that was asked for
        assert asked.found[2].title is None
        assert seconds_of(asked.found[2].updated_at) is None


@pytest.mark.parametrize("result", [None, {}, [], {"sessions": None}, {"sessions": {}}])
async def test_c101_what_is_no_list_is_an_empty_one(result: object) -> None:
    async with Stage() as stage:
        await stage.start(agentCapabilities=LISTS)
        asked = Asked(stage)
        await asked.page(None, result)
        assert await asked.ids() == []


async def test_c101_what_came_before_an_error_is_kept() -> None:
    async with Stage() as stage:
        await stage.start(agentCapabilities=LISTS)
        asked = Asked(stage)
        await asked.page(None, {"sessions": [entry("a")], "nextCursor": "2"})
        stage.agent.refuse(await stage.agent.expect("session/list"), -32602, "bad cursor")
        assert await asked.ids() == ["a"]


async def test_c102_a_list_opens_nothing() -> None:
    async with Stage() as stage:
        await stage.start(agentCapabilities=LISTS)
        asked = Asked(stage)
        await asked.page(None, {"sessions": [entry("a")]})
        assert await asked.ids() == ["a"]
        assert not stage.client.ready.listing.reopens
        await stage.agent.quiet()


async def test_several_agents_are_asked_at_once() -> None:
    async with Stage() as one, Stage() as two:
        await one.start(agentCapabilities=EVERYTHING)
        await two.start(agentCapabilities=EVERYTHING)
        two.client.ready.listing.name = "other"
        found: list[Any] = []

        async def ask() -> None:
            listings = [one.client.ready.listing, two.client.ready.listing]
            found.append(await list_all(listings, PROJECT))
            one._notify()

        one.tasks.start_soon(ask)
        first = await one.agent.expect("session/list")
        second = await two.agent.expect("session/list")
        two.agent.reply(second, {"sessions": [entry("b")]})
        one.agent.reply(first, {"sessions": [entry("a")]})
        await one.until(lambda: found)
        assert {name: [it.id for it in listed] for name, listed in found[0].items()} == {
            "scripted": ["a"],
            "other": ["b"],
        }
