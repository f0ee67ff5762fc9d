"""The bar above a chat: what it shows with how much room, and one of the user's own."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.fakes.spy import BridgeSpy
from tests.support.nvim import Neovim


def part(name: str, text: str, need: int, *, right: bool = False) -> dict[str, Any]:
    return {"group": f"AcpWinbar{name}", "text": text, "need": need, "right": right}


PARTS = [
    part("State", "running 0:12", 0),
    part("Ask", "2 waiting for you", 0) | {"short": "2 waiting"},
    part("Mode", "Ask before edits", 3),
    part("Agent", "Showcase 2.1.0", 4),
    part("", "Fix the cache", 8),
    part("Usage", "0.12 USD", 6),
    part("Model", "Opus 5", 2, right=True),
    part("Usage", "73.4k/200k (37%)", 1, right=True) | {"short": "37%"},
]


def drawn(nvim: Neovim, chat: int, width: int) -> str:
    """Return the bar as Neovim draws it in a chat of that width."""
    return str(
        nvim.lua(
            """local chat, width = ...
            vim.o.columns = math.max(vim.o.columns, width + 20)
            local window = require('acp.ui.layout').window_of(chat)
            vim.api.nvim_win_set_width(window, width)
            return vim.api.nvim_eval_statusline(vim.wo[window].winbar,
              { winid = window, use_winbar = true, maxwidth = width }).str""",
            chat,
            width,
        )
    )


@pytest.mark.parametrize(
    ("width", "left", "right"),
    [
        (24, "running 0:12", ""),
        (32, "running 0:12 · 2 waiting", "37%"),
        (40, "running 0:12 · 2 waiting", "Opus 5 · 37%"),
        (50, "running 0:12 · 2 waiting", "Opus 5 · 37%"),
        (60, "running 0:12 · 2 waiting · Ask before edits", "Opus 5 · 37%"),
        (
            100,
            "running 0:12 · 2 waiting · Ask before edits · Showcase 2.1.0 · 0.12 USD",
            "Opus 5 · 37%",
        ),
        (
            160,
            "running 0:12 · 2 waiting for you · Ask before edits · Showcase 2.1.0"
            " · Fix the cache · 0.12 USD",
            "Opus 5 · 73.4k/200k (37%)",
        ),
    ],
)
def test_what_is_needed_most_stays(
    nvim: Neovim, spy: BridgeSpy, width: int, left: str, right: str
) -> None:
    chat, _ = spy.open_session()
    spy.frame(chat, winbar=PARTS)
    text = drawn(nvim, chat, width)
    assert len(text) == width
    assert text.startswith(f" {left}")
    assert text.endswith(f"{right} " if right else "")


@pytest.mark.parametrize(
    ("width", "left"),
    [
        (30, "running 0:12 · 2 waiting"),
        (38, "running 0:12 · 2 waiting · 2/4"),
        (48, "running 0:12 · 2 waiting · 2/4 ◐ Fix it …"),
        (56, "running 0:12 · 2 waiting · 2/4 ◐ Fix it first"),
        (160, "running 0:12 · 2 waiting for you · 2/4 ◐ Fix it first · Ask before edits"),
    ],
)
def test_the_plan_has_the_room_that_others_leave(
    nvim: Neovim, spy: BridgeSpy, width: int, left: str
) -> None:
    chat, _ = spy.open_session()
    plan = part("Plan", "2/4 ◐ Fix it first", 2) | {"short": "2/4", "grows": True}
    spy.frame(chat, winbar=[*PARTS[:2], plan, *PARTS[2:]])
    assert drawn(nvim, chat, width).startswith(f" {left} ")


def test_text_is_no_item_of_the_bar(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    evil = "%{execute('let g:owned = 1')}%#Error# 100%"
    spy.frame(chat, winbar=[part("State", evil, 0), part("Model", evil, 1, right=True)])
    assert drawn(nvim, chat, 120).count(evil) == 2
    assert nvim.eval("exists('g:owned')") == 0


def test_without_a_frame_there_is_none(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    assert drawn(nvim, chat, 40).strip() == ""


def test_the_end_of_the_host_is_said(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    spy.frame(chat, winbar=PARTS)
    spy.end_host()
    assert "the host ended" in drawn(nvim, chat, 60)


def test_a_bar_of_the_users_own(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.lua(
        """vim.g.acp = { ui = { winbar = function(status)
          return 'mine: %#Error#' .. status.state
        end } }"""
    )
    chat, _ = spy.open_session()
    spy.frame(chat, status={"agent": "tutor", "state": "running"}, winbar=PARTS)
    assert drawn(nvim, chat, 40).strip() == "mine: running"


@pytest.mark.parametrize("body", ["error('no')", "return 7"])
def test_one_that_fails_is_told_once_and_the_usual_one_is_shown(
    nvim: Neovim, spy: BridgeSpy, body: str
) -> None:
    nvim.lua(f"require('acp').setup({{ ui = {{ winbar = function() {body} end }} }})")
    chat, _ = spy.open_session()
    spy.frame(chat, winbar=PARTS)
    assert "running 0:12" in drawn(nvim, chat, 40)
    assert "running 0:12" in drawn(nvim, chat, 41)
    nvim.wait(lambda: "ui.winbar" in nvim.messages())
    assert nvim.messages().count("ui.winbar") == 1


def test_a_session_that_is_called_otherwise_is_so_in_its_status_line(
    nvim: Neovim, spy: BridgeSpy
) -> None:
    chat, _ = spy.open_session()
    code = """local window = require('acp.ui.layout').window_of(...)
    return vim.api.nvim_eval_statusline(vim.wo[window].statusline, { winid = window }).str"""
    for title in ("Fix the cache", "Fix the queue"):
        spy.frame(chat, status={"agent": "tutor", "state": "idle", "title": title})
        for _ in range(2):  # made, and found
            assert title in nvim.lua(code, chat)
