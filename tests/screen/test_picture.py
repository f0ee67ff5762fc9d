"""Pictures of a screen: small, and each glyph in its cell."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.nvim import ROOT
from tests.support.screen.grid import Attributes, Cell, Picture
from tests.support.screen.picture import WIDTH, draw

MOST_BYTES = 60_000


def row(text: str, **attributes: bool) -> tuple[Cell, ...]:
    return tuple(Cell(each, Attributes(**attributes)) for each in text)


def drawn(*rows: tuple[Cell, ...]) -> list[tuple[float, str]]:
    """Return where each text begins, in cells, and the text."""
    picture = Picture(rows, (0, 0), "normal", 0xFFFFFF, 0)
    found = re.findall(r'<text x="([\d.]+)"[^>]*>([^<]*)<', draw(picture))
    return [(round(float(x) / WIDTH), text) for x, text in found]


def test_words_stand_together_and_other_glyphs_alone() -> None:
    cells = row("  def f():   x │✓ a") + row(" b", bold=True)
    assert sorted(drawn(cells)) == [
        (2, "def f():"),
        (13, "x"),
        (15, "│"),
        (16, "✓"),
        (18, "a"),
        (20, "b"),
    ]


def test_a_text_is_as_wide_as_its_cells() -> None:
    picture = draw(Picture((row("a<b"),), (0, 0), "normal", 0xFFFFFF, 0))
    assert f'textLength="{3 * WIDTH:.1f}">a&lt;b</text>' in picture


def test_the_pictures_of_the_readme_are_there_and_small() -> None:
    named = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", Path(ROOT, "README.md").read_text("utf-8"))
    assert len(named) == 6
    for name in named:
        assert 0 < Path(ROOT, name).stat().st_size < MOST_BYTES, name
