"""Pictures of a screen, one after the other, as one animated SVG: what a README shows of a scene.

Each row is drawn once, however many pictures it is in, and shown and hidden by CSS. The last one
stays where nothing may move (`prefers-reduced-motion`).
"""

from __future__ import annotations

from dataclasses import dataclass
from xml.sax.saxutils import escape

from tests.support.screen.grid import Picture
from tests.support.screen.picture import BASELINE, FONT, HEIGHT, WIDTH, colour, cursor, row_of

CAPTION_HEIGHT = 30.0

Spans = tuple[tuple[int, int], ...]  # first frame, and the one behind the last, of each time


@dataclass(frozen=True, slots=True)
class Frame:
    """A picture, the sentence below it, and how long both are there."""

    picture: Picture
    caption: str
    seconds: float


class Film:
    """The frames that were taken so far."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []

    def take(self, picture: Picture, caption: str, seconds: float) -> None:
        """Add a frame; one that looks like the last makes that one longer."""
        if self.frames and (self.frames[-1].picture, self.frames[-1].caption) == (picture, caption):
            seconds += self.frames.pop().seconds
        self.frames.append(Frame(picture, caption, seconds))

    def draw(self) -> str:
        """Return the film as SVG."""
        first = self.frames[0].picture
        width, height = len(first.rows[0]) * WIDTH, len(first.rows) * HEIGHT
        shapes = _shapes(self.frames)
        classes = {
            spans: f"t{number}" for number, spans in enumerate(dict.fromkeys(shapes.values()))
        }
        size = f'width="{width:.1f}" height="{height + CAPTION_HEIGHT:.1f}"'
        caption_bar = (
            f'<rect y="{height:.1f}" width="100%" height="{CAPTION_HEIGHT}" fill="#30363d"/>'
        )
        bodies = list(dict.fromkeys(shape.body for shape in shapes if shape.row is not None))
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONT}"'
                ' font-size="14">',
                f"<style>{_style(self.frames, classes)}</style>",
                "<defs>",
                *(f'<g id="r{number}">{body}</g>' for number, body in enumerate(bodies)),
                "</defs>",
                f'<rect width="100%" height="100%" fill="{colour(first.background)}"/>',
                caption_bar,
                *(_placed(shape, classes[spans], bodies) for shape, spans in shapes.items()),
                "</svg>",
            ]
        )


@dataclass(frozen=True, slots=True)
class _Shape:
    """Something that is drawn: a row of the screen, or (without a row) what has its own place."""

    body: str
    row: int | None = None


def _shapes(frames: list[Frame]) -> dict[_Shape, Spans]:
    """Return all that is ever drawn, each with the times when it is there."""
    spans: dict[_Shape, list[tuple[int, int]]] = {}
    for number, frame in enumerate(frames):
        for shape in _parts(frame):
            times = spans.setdefault(shape, [])
            if times and times[-1][1] == number:
                times[-1] = (times[-1][0], number + 1)
            else:
                times.append((number, number + 1))
    return {shape: tuple(times) for shape, times in spans.items()}


def _parts(frame: Frame) -> list[_Shape]:
    picture = frame.picture
    rows = [_Shape("".join(row_of(picture, 0, row)), at) for at, row in enumerate(picture.rows)]
    y = len(picture.rows) * HEIGHT + BASELINE + (CAPTION_HEIGHT - HEIGHT) / 2
    caption = (
        f'<text x="10" y="{y:.1f}" fill="#ffffff" font-weight="bold">{escape(frame.caption)}</text>'
    )
    return [*(row for row in rows if row.body), _Shape(caption), _Shape(cursor(picture))]


def _placed(shape: _Shape, name: str, bodies: list[str]) -> str:
    if shape.row is None:
        return f'<g class="{name}">{shape.body}</g>'
    return f'<use href="#r{bodies.index(shape.body)}" y="{shape.row * HEIGHT:.1f}" class="{name}"/>'


def _style(frames: list[Frame], classes: dict[Spans, str]) -> str:
    """Return CSS: a class for each set of times, which is seen then."""
    ends = [sum(frame.seconds for frame in frames[:count]) for count in range(len(frames) + 1)]
    still, moving = [], []
    for spans, name in classes.items():
        if spans == ((0, len(frames)),):
            continue
        if spans[-1][1] != len(frames):
            still.append(f".{name}{{visibility:hidden}}")
        steps = {0.0: "hidden"}
        for first, behind in spans:
            steps |= {ends[first]: "visible", ends[behind]: "hidden"}
        keys = "".join(
            f"{100 * at / ends[-1]:.2f}%{{visibility:{value}}}" for at, value in steps.items()
        )
        moving.append(f"@keyframes {name}{{{keys}}}")
        moving.append(f".{name}{{animation:{name} {ends[-1]:.2f}s step-end infinite}}")
    return f"{''.join(still)}@media (prefers-reduced-motion:no-preference){{{''.join(moving)}}}"
