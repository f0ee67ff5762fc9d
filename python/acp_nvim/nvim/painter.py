"""Frames: at most one every 50 ms, one request in flight, its answer awaited.

That is the back-pressure: while Neovim is busy the next frame just grows here. The first change
after a pause is drawn at once. What takes longer is drawn here in slices, between which others have
their turn, and Neovim gets what there is at the end of each frame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, TypeAlias

import anyio
import anyio.lowlevel
from msgspec import Struct, field

from acp_nvim.editor import Picture
from acp_nvim.errors import EditorError
from acp_nvim.nvim.call import Call
from acp_nvim.nvim.plain import Tried, bar, is_sendable, packed, tried
from acp_nvim.signal import Signal
from acp_nvim.view.block import Block
from acp_nvim.view.op import Replace, portions
from acp_nvim.view.patch import patch
from acp_nvim.view.status import Bar

_Part: TypeAlias = dict[str, Any]
_Events: TypeAlias = list[dict[str, Any]]

FRAME = 0.05
"""Seconds from one frame to the next."""
MOST_EVENTS, MOST_HELD = 10_000, 8_000_000
"""Events that wait while Neovim does not answer, and their characters; of more the oldest are left
out."""
EVENTS = 100
"""Of a frame: each may have listeners, and a key waits for all of them."""


class _Canvas(Struct):
    """A chat buffer, and what of it is known to be on screen."""

    source: Callable[[], Picture]
    blocks: Sequence[Block] = ()
    status: Mapping[str, Any] | None = None
    winbar: Bar | None = None
    whole: bool = True
    """Draw everything anew: nothing is known of what the buffer holds."""
    careful: bool = False
    """Something in it could not be sent: each block is tried by itself."""
    tried: Tried = field(default_factory=dict)
    told: set[object] = field(default_factory=set)
    """The places in our code where a drawing has failed, and that was told."""


class Painter:
    """Implements `editor.Screen`; also carries the `User` events, after the drawing they follow."""

    def __init__(self, call: Call, fault: Callable[[BaseException], None]) -> None:
        """Take the way to Neovim, and who is told when a picture cannot be made."""
        self._call = call
        self._fault = fault
        self._canvases: dict[int, _Canvas] = {}
        self._dirty: dict[int, None] = {}
        self._events: list[tuple[str, Mapping[str, Any]]] = []
        self._held = 0
        """Characters of these."""
        self._wake = Signal()
        self._hurry = Signal()
        """The next frame is not to wait for its time."""
        self._drawn = Signal()
        self._busy = False
        self._failed: object = None
        """Where the frame before this could not be sent."""

    def show(self, chat: int, source: Callable[[], Picture]) -> None:
        """See `editor.Screen`."""
        self._canvases[chat] = _Canvas(source)
        self.touch(chat)

    def touch(self, chat: int) -> None:
        """See `editor.Screen`."""
        if chat in self._canvases:
            self._dirty[chat] = None
            self._wake.set()

    def forget(self, chat: int) -> None:
        """See `editor.Screen`."""
        self._canvases.pop(chat, None)
        self._dirty.pop(chat, None)

    def event(self, name: str, data: Mapping[str, Any], *, at_once: bool = False) -> None:
        """Fire a `User` autocommand after all drawing that is pending now; see `Notifier`."""
        if at_once:
            self._hurry.set()
        self._events.append((name, data))
        self._held += _characters(data)
        while len(self._events) > MOST_EVENTS or (self._held > MOST_HELD and self._events[1:]):
            del self._events[: len(self._events) // 10 or 1]
            self._held = sum(_characters(data) for _, data in self._events)
        self._wake.set()

    async def settled(self) -> bool:
        """See `editor.Screen`."""
        was_settled = True
        while self._dirty or self._events or self._busy:
            was_settled = False
            await self._drawn.wait()
        return was_settled

    async def run(self) -> None:
        """Draw for ever; the caller's task group ends it."""
        paused = False
        while True:
            await self._wake.wait()
            self._hurry = Signal()
            started = anyio.current_time()
            paused = await self._frame(started + FRAME if paused else started)
            cost = anyio.current_time() - started
            with anyio.move_on_after(0 if paused else max(FRAME - cost, min(cost, 1.0))):
                await self._hurry.wait()

    async def _frame(self, until: float) -> bool:
        """Draw all that has changed; return whether there is more to draw at once.

        What is drawn in slices goes on until that time, before Neovim gets it.
        """
        chats, self._dirty = list(self._dirty), {}
        events, self._events, self._held = self._events, [], 0
        pictures = {chat: it for chat in chats if (it := self._picture(chat)) is not None}
        self._busy = True
        try:
            while anyio.current_time() < until and any(it.paused for it in pictures.values()):
                await anyio.lowlevel.checkpoint()
                self._go_on(pictures)
            await self._send(events, pictures)
        finally:
            paused = [chat for chat, picture in pictures.items() if picture.paused]
            for chat in paused:
                self.touch(chat)
            self._busy = False
            self._drawn.pulse()
        return bool(paused)

    def _go_on(self, pictures: dict[int, Picture]) -> None:
        """Draw a slice more of each that has paused."""
        for chat in [chat for chat, picture in pictures.items() if picture.paused]:
            picture = self._picture(chat) if chat in self._canvases else None
            if picture is None:
                del pictures[chat]
            else:
                pictures[chat] = picture

    def _picture(self, chat: int) -> Picture | None:
        canvas = self._canvases[chat]
        try:
            picture = canvas.source()
            if canvas.careful:
                picture, canvas.tried = tried(picture, canvas.tried)
        except Exception as error:  # one chat that cannot be drawn must not stop the others
            self._fault(error)
            return None
        for fault in picture.faults:
            if (place := _place(fault)) not in canvas.told:
                canvas.told.add(place)
                self._fault(fault)
        return picture

    async def _send(
        self, events: list[tuple[str, Mapping[str, Any]]], pictures: dict[int, Picture]
    ) -> None:
        plain_events = [{"name": name, "data": dict(data)} for name, data in events]
        broken: set[int] = set()
        buffers = [self._parts(chat, it, broken) for chat, it in pictures.items()]
        answers, fired = list[Any](), 0
        try:
            for part, told in _frames(buffers, plain_events):
                frame = {"buffers": part, "events": told}
                answers.append(await self._call.lua("acp.ui.apply.frame", frame))
                fired += len(told)
            self._failed = None
        except EditorError:
            self._events[:0] = events[fired:]
            answers = [{"failed": list(pictures)}]
        except Exception as error:  # what comes next may be drawn
            if _place(error) != self._failed:  # else it was told, and tried once more
                self._fault(error)
            self._failed = _place(error)
            answers, broken = [], set(pictures)
            self._send_later(events[fired:], broken)
        gone, failed = (
            {chat for answer in answers for chat in (answer or {}).get(name) or ()}
            for name in ("gone", "failed")
        )
        for chat in broken & self._canvases.keys():
            canvas = self._canvases[chat]
            if not canvas.careful:
                self.touch(chat)
            canvas.whole = canvas.careful = True  # one that was careful is drawn when it changes
            del pictures[chat]
        self._acknowledge(pictures, gone, failed)

    def _send_later(self, events: list[tuple[str, Mapping[str, Any]]], chats: set[int]) -> None:
        """Keep the events of a frame that could not be sent, but those that are why."""
        sendable = [it for it in events if is_sendable(it[1])]
        careful = all(it.careful for chat, it in self._canvases.items() if chat in chats)
        if len(sendable) < len(events) or not careful:
            self._events[:0] = sendable
            self._wake.set()

    def _parts(self, chat: int, picture: Picture, broken: set[int]) -> Iterator[_Part]:
        try:
            yield from _parts(chat, self._canvases[chat], picture)
        except Exception as error:  # as in `_picture`
            self._fault(error)
            broken.add(chat)

    def _acknowledge(self, pictures: dict[int, Picture], gone: set[int], failed: set[int]) -> None:
        for chat in gone:
            self.forget(chat)
        for chat, picture in pictures.items():
            canvas = self._canvases.get(chat)
            if canvas is None:
                continue
            if chat in failed:
                canvas.whole = True
                self.touch(chat)
                continue
            canvas.blocks, canvas.whole = picture.blocks, False
            canvas.status, canvas.winbar = picture.status, picture.winbar


def _place(error: Exception) -> object:
    """Return what is the same of two errors that one mistake of ours has made."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return type(error), trace and (trace.tb_frame.f_code.co_filename, trace.tb_lineno)


def _parts(chat: int, canvas: _Canvas, picture: Picture) -> Iterator[_Part]:
    """Yield what differs from the screen, in the form that `apply.lua` takes; nothing if nothing.

    What is much comes in several parts, each made when the one before is drawn.
    """
    if canvas.whole:
        lines = tuple(line for block in picture.blocks for line in block.lines)
        ops: tuple[Replace, ...] = (Replace(0, -1, lines),)
    else:
        ops = patch(canvas.blocks, picture.blocks)
    rest: _Part = {}
    if canvas.whole or picture.status != canvas.status:
        rest["status"] = dict(picture.status)
    if canvas.whole or picture.winbar != canvas.winbar:
        rest["winbar"] = bar(picture.winbar)
    drawn: _Part = {}
    for portion in portions(ops):
        if drawn:
            yield {"bufnr": chat} | drawn
        drawn = {"ops": [packed(each) for each in portion]} if portion else {}
    if drawn or rest:
        yield {"bufnr": chat} | drawn | rest


def _characters(value: Any) -> int:
    """Return how many characters are in plain data."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, list | tuple):
        return sum(map(_characters, value))
    return sum(map(_characters, value.values())) if isinstance(value, dict) else 0


def _frames(
    buffers: list[Iterator[_Part]], events: _Events
) -> Iterator[tuple[list[_Part], _Events]]:
    """Yield the buffers of each frame; the events come after all that is drawn, some at a time."""
    frames = ([it for it in parts if it] for parts in zip_longest(*buffers))
    frame = next(frames, [])
    for following in frames:
        yield frame, []
        frame = following
    if frame or events:
        yield frame, events[:EVENTS]
    for first in range(EVENTS, len(events), EVENTS):
        yield [], events[first : first + EVENTS]
