"""What every transport gives: the messages of an agent, a way for ours, and how it ended.

A link carries messages, so that its user knows neither lines nor pipes nor sockets. `stdio`,
`websocket` and `http` are such; `client` uses them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

import anyio
from msgspec import Struct

from acp_nvim.errors import UserError
from acp_nvim.session.terminal import ExitStatus
from acp_nvim.wire import long_line
from acp_nvim.wire.framing import Cut
from acp_nvim.wire.message import Message, parse_beginning, parse_text

MOST = 32 * 1024 * 1024
"""Bytes of one message; what is larger is not taken in, whatever the transport."""
LONG = 1_000_000
"""Bytes from which a message is parsed in a worker thread: it must not hold up the loop."""


Life: TypeAlias = Callable[[float | None], None]
"""Told how many seconds without a sign of life there were, and None when there is one again."""


class Incoming(Struct):
    """What came as one: as it was on the wire, and the messages (or the noise) in it."""

    line: bytes | str
    known: list[Message] | None = None
    """The messages, as soon as they were asked for."""
    is_cut: bool = False
    """It was longer than is taken: the line is its beginning."""

    @property
    def text(self) -> str:
        """The line as text; invalid UTF-8 is U+FFFD."""
        return self.line if isinstance(self.line, str) else self.line.decode("utf-8", "replace")

    @property
    def messages(self) -> list[Message]:
        """The messages in it."""
        if self.known is None:
            self.known = parse_text(self.text)
        return self.known


class Ended(Struct, frozen=True):
    """How a link ended: in words, as "exit code 3", and as the process did if there was one."""

    how: str
    exit: ExitStatus | None = None
    problem: UserError | None = None
    """What to tell the user instead, where the link knows better."""


class Link(Protocol):
    """Messages to an agent and back, in order; whoever has one must `end` it."""

    @property
    def pid(self) -> int | None:
        """The process of the agent; None where it is none of ours."""

    async def receive(self) -> Incoming | None:
        """Return what came next, None at the end; what is not yet asked for waits at the sender.

        Raises `MemoryError` for what is too long for that; the next call goes on behind it.
        """

    async def diagnostics(self) -> bytes:
        """Return the next bytes of what the agent says besides, as on stderr; b"" at the end.

        At once where a transport has no such thing.
        """

    async def run(self) -> None:
        """Do what must go on beside all this; returned from, or cancelled, at the end."""

    async def watch(self, tell: Life) -> None:
        """Tell of each silence in which something should have come, and of its end.

        At once where a transport cannot know, or ends by itself then.
        """

    async def send(self, line: bytes) -> None:
        """Send one message, a line as `wire` writes it, when there is room; or `ConnectionLost`."""

    async def wait(self) -> Ended:
        """Return how the agent ended, once it has; there may still be something to receive."""

    async def end(self, *, grace: float) -> None:
        """End it politely, with `grace` seconds for each step, then for sure; once is enough."""

    def kill(self) -> None:
        """End it now; `end` must still follow."""


async def incoming(data: bytes | str) -> Incoming:
    """Return what came as that line; of a long one it is found out now what it holds."""
    if isinstance(data, Cut):
        text = data.decode("utf-8", "replace")
        return Incoming(text, parse_beginning(text, f"larger than {MOST >> 20} MB"), is_cut=True)
    if len(data) > LONG:
        return await anyio.to_thread.run_sync(_parsed_in_steps, data)
    return Incoming(data)


def _parsed_in_steps(data: bytes | str) -> Incoming:
    """Do the same so that others have the interpreter in between."""
    text = data if isinstance(data, str) else long_line.decode(data)
    return Incoming(text, parse_text(text, long_line.load))
