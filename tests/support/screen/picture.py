"""A screen as an SVG: what a person looks at when a test only looks at text.

`rsvg-convert screen.svg -o screen.png` makes a PNG of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from xml.sax.saxutils import escape

from tests.support.screen.grid import Attributes, Cell, Picture, Screen

WIDTH, HEIGHT, BASELINE = 8.4, 17.0, 13.0
FONT = "DejaVu Sans Mono, Menlo, Consolas, monospace"


def svg(screen: Screen) -> str:
    """Return the screen as it is now, cursor included."""
    return draw(screen.picture())


def save(screen: Screen, path: Path | str) -> None:
    """Write the screen as it is now to an SVG file."""
    Path(path).write_text(svg(screen), encoding="utf-8")


def draw(picture: Picture) -> str:
    """Return a picture as SVG."""
    columns, rows = len(picture.rows[0]), len(picture.rows)
    size = f'width="{columns * WIDTH:.1f}" height="{rows * HEIGHT:.1f}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONT}" font-size="14">',
        f'<rect width="100%" height="100%" fill="{colour(picture.background)}"/>',
    ]
    for number, row in enumerate(picture.rows):
        parts += row_of(picture, number, row)
    parts += [cursor(picture), "</svg>"]
    return "\n".join(parts)


def row_of(picture: Picture, number: int, row: tuple[Cell, ...]) -> list[str]:
    """Return the elements of one row, which is the row with that number on the screen."""
    column, rects, texts = 0, [], []
    for attributes, group in groupby(row, key=lambda cell: cell.attributes):
        cells = list(group)
        foreground, background = _colours(picture, attributes)
        box = _box(number, column, len(cells))
        if background != picture.background:
            rects.append(f'<rect {box} fill="{colour(background)}"/>')
        texts += _words(cells, number, column, foreground, attributes)
        column += len(cells)
    return rects + texts


def _words(
    cells: list[Cell], row: int, column: int, foreground: int, attributes: Attributes
) -> list[str]:
    """Return an element for each run of ASCII, as wide as its cells, and each other glyph."""
    style = f'fill="{colour(foreground)}"{_style(attributes)}'
    y = f'y="{row * HEIGHT + BASELINE:.1f}"'
    found: list[str] = []
    for start, text in _runs(cells):
        x = f'x="{(column + start) * WIDTH:.1f}"'
        width = f' textLength="{len(text) * WIDTH:.1f}"' if len(text) > 1 else ""
        found.append(f"<text {x} {y} {style}{width}>{escape(text)}</text>")
    return found


def _runs(cells: list[Cell]) -> Iterator[tuple[int, str]]:
    """Yield offset and text of what has ink: words of ASCII together, other glyphs alone."""
    text = "".join(cell.text if cell.text.isascii() and cell.text else "\0" for cell in cells)
    for found in re.finditer(r"[!-~]+(?: [!-~]+)*", text):
        yield found.start(), found.group()
    for offset, cell in enumerate(cells):
        if cell.text.strip() and not cell.text.isascii():
            yield offset, cell.text


def _style(attributes: Attributes) -> str:
    lines = [
        name
        for name, on in (
            ("underline", attributes.underline),
            ("line-through", attributes.strikethrough),
        )
        if on
    ]
    style = ' font-weight="bold"' if attributes.bold else ""
    style += ' font-style="italic"' if attributes.italic else ""
    return style + (f' text-decoration="{" ".join(lines)}"' if lines else "")


def _colours(picture: Picture, attributes: Attributes) -> tuple[int, int]:
    foreground = picture.foreground if attributes.foreground is None else attributes.foreground
    background = picture.background if attributes.background is None else attributes.background
    return (background, foreground) if attributes.reverse else (foreground, background)


def cursor(picture: Picture) -> str:
    """Return the element of the cursor."""
    row, column = picture.cursor
    thin = picture.mode.startswith(("insert", "cmdline"))
    box = _box(row, column, 1, width=2.0 if thin else WIDTH)
    return f'<rect {box} fill="{colour(picture.foreground)}" fill-opacity="0.5"/>'


def _box(row: int, column: int, cells: int, width: float = WIDTH) -> str:
    return (
        f'x="{column * WIDTH:.1f}" y="{row * HEIGHT:.1f}"'
        f' width="{cells * width:.1f}" height="{HEIGHT:.1f}"'
    )


def colour(number: int) -> str:
    """Return a colour as SVG names it."""
    return f"#{number & 0xFFFFFF:06x}"
