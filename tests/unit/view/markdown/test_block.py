"""Headings, lists, quotes and rules."""

from __future__ import annotations

import pytest

from acp_nvim.view.block import Conceal, Highlight, Mark, VirtualText
from acp_nvim.view.markdown.render import render


def marks(text: str) -> list[Mark]:
    (line,) = render(text).lines
    return list(line.marks)


def bar(column: int) -> list[Mark]:
    """Return what is drawn for the marker, and on each row into which the line is broken."""
    rows = VirtualText(column, (("▎", "AcpQuote"),), "rows")
    return [Conceal(column, column + 1, "▎", "AcpQuote"), rows]


@pytest.mark.parametrize("level", range(1, 7))
def test_headings(level: int) -> None:
    text = "#" * level + " a"
    assert marks(text) == [Highlight(0, len(text), f"AcpHeading{level}")]


@pytest.mark.parametrize("text", ["#a", "####### a", "a # b", "-a", "1.a", "--", "a", "    a"])
def test_ordinary_text(text: str) -> None:
    assert marks(text) == []


def test_heading_in_a_quote() -> None:
    assert marks("> # a") == [
        *bar(0),
        Highlight(2, 5, "AcpQuote"),
        Highlight(2, 5, "AcpHeading1"),
    ]


@pytest.mark.parametrize("marker", "-*+")
def test_bullets(marker: str) -> None:
    assert marks(f"  {marker} a") == [Conceal(2, 3, "•", "AcpListMarker")]


def test_numbers() -> None:
    assert marks("12) a") == [Highlight(0, 3, "AcpListMarker")]


def test_items_in_items() -> None:
    assert marks("- 1. a") == [
        Conceal(0, 1, "•", "AcpListMarker"),
        Highlight(2, 4, "AcpListMarker"),
    ]


def test_tasks() -> None:
    assert marks("- [x] a")[1:] == [Highlight(2, 5, "AcpCheckboxDone")]
    assert marks("- [ ] a")[1:] == [Highlight(2, 5, "AcpCheckboxOpen")]
    assert marks("- [ ]a")[1:] == []


def test_quotes_in_quotes() -> None:
    assert marks("> > a") == [
        *bar(0),
        *bar(2),
        Highlight(4, 5, "AcpQuote"),
    ]


@pytest.mark.parametrize("text", ["---", "* * *", "  ____"])
def test_rules(text: str) -> None:
    start = len(text) - len(text.lstrip())
    assert marks(text) == [
        Conceal(start, len(text)),
        VirtualText(start, (("─" * 40, "AcpRule"),), "overlay"),
    ]
