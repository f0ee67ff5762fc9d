"""A screen as an SVG: what a person looks at when a test only looks at text.

`rsvg-convert screen.svg -o screen.png` makes a PNG of it.
"""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from xml.sax.saxutils import escape

from tests.support.screen.grid import Attributes, Cell, Picture, Screen

WIDTH, HEIGHT, BASELINE = 8.4, 17.0, 13.0
FONT = "DejaVu Sans Mono"


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
        f'<rect width="100%" height="100%" fill="{_colour(picture.background)}"/>',
    ]
    for number, row in enumerate(picture.rows):
        parts += _row(picture, number, row)
    parts += [_cursor(picture), "</svg>"]
    return "\n".join(parts)


def _row(picture: Picture, number: int, row: tuple[Cell, ...]) -> list[str]:
    column, rects, texts = 0, [], []
    for attributes, group in groupby(row, key=lambda cell: cell.attributes):
        cells = list(group)
        foreground, background = _colours(picture, attributes)
        box = _box(number, column, len(cells))
        if background != picture.background:
            rects.append(f'<rect {box} fill="{_colour(background)}"/>')
        texts += _words(cells, number, column, foreground, attributes)
        column += len(cells)
    return rects + texts


def _words(
    cells: list[Cell], row: int, column: int, foreground: int, attributes: Attributes
) -> list[str]:
    """Return one element for each cell with ink, so that each glyph stands in its own cell."""
    style = _style(attributes)
    y = row * HEIGHT + BASELINE
    return [
        f'<text x="{(column + offset) * WIDTH:.1f}" y="{y:.1f}" fill="{_colour(foreground)}"'
        f"{style}>{escape(cell.text)}</text>"
        for offset, cell in enumerate(cells)
        if cell.text.strip()
    ]


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


def _cursor(picture: Picture) -> str:
    row, column = picture.cursor
    thin = picture.mode.startswith(("insert", "cmdline"))
    box = _box(row, column, 1, width=2.0 if thin else WIDTH)
    return f'<rect {box} fill="{_colour(picture.foreground)}" fill-opacity="0.5"/>'


def _box(row: int, column: int, cells: int, width: float = WIDTH) -> str:
    return (
        f'x="{column * WIDTH:.1f}" y="{row * HEIGHT:.1f}"'
        f' width="{cells * width:.1f}" height="{HEIGHT:.1f}"'
    )


def _colour(number: int) -> str:
    return f"#{number & 0xFFFFFF:06x}"
