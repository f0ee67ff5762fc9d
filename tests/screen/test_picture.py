"""Pictures and films of a screen: small, and each glyph in its cell."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from tests.support.nvim import ROOT
from tests.support.screen.film import Film
from tests.support.screen.grid import Attributes, Cell, Picture
from tests.support.screen.picture import WIDTH, draw

MOST_BYTES, FILM_BYTES = 60_000, 500_000


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


def images(page: Path) -> list[Path]:
    """Return the pictures that a page shows."""
    return [
        page.parent / it for it in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page.read_text("utf-8"))
    ]


def test_the_scene_is_there_and_small() -> None:
    (film,) = images(ROOT / "README.md")
    assert 0 < film.stat().st_size < FILM_BYTES
    pictures = images(ROOT / "doc" / "scene.md")
    assert len(pictures) == 6
    assert all(0 < it.stat().st_size < MOST_BYTES for it in pictures)


def test_a_film_draws_each_row_once_and_shows_it_when_it_is_there() -> None:
    film = Film()
    for text, seconds in (("one", 1.0), ("two", 2.0), ("two", 1.0), ("one", 4.0)):
        film.take(Picture((row("same"), row(text)), (0, 0), "normal", 0xFFFFFF, 0), "now", seconds)
    drawn = film.draw()
    ElementTree.fromstring(drawn)
    assert [drawn.count(f">{text}</text>") for text in ("same", "one", "two")] == [1, 1, 1]
    assert drawn.count("@keyframes") == 2
    one = "0.00%{visibility:visible}12.50%{visibility:hidden}50.00%{visibility:visible}"
    assert one in drawn
    assert "0.00%{visibility:hidden}12.50%{visibility:visible}50.00%{visibility:hidden}" in drawn


def test_where_nothing_moves_a_film_is_its_last_picture() -> None:
    film = Film()
    for text in ("one", "two"):
        film.take(Picture((row(text),), (0, 0), "normal", 0xFFFFFF, 0), text, 1.0)
    still, _, moving = film.draw().partition("@media (prefers-reduced-motion:no-preference)")
    assert still.count("visibility:hidden") == 1
    assert "animation" not in still
    assert moving.count("animation:") == 2
