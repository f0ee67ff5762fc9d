"""What went over one connection: a log file of JSON lines, and the last lines of stderr.

Each line of the file is an object: `{"t": seconds, "from": "client" | "agent" | "stderr" | "host",
"line": text}`; `line` is what was on the wire but for secrets, and with `whole` all of it, so that
the file can be replayed (`:help acp-replay`).
"""

from __future__ import annotations

import codecs
import os
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from json.encoder import encode_basestring_ascii
from pathlib import Path
from typing import IO, Final, Literal, TypeAlias

import anyio

from acp_nvim.client.redaction import Redaction
from acp_nvim.signal import Signal
from acp_nvim.storage import limits, private

Source: TypeAlias = Literal["client", "agent", "stderr", "host"]
_Entry: TypeAlias = tuple[float, Source, bytes | str, int]
"""When, from whom, the line or its beginning, and the size of all of it."""

TAIL = 50
"""Lines of stderr that are kept for messages and `inspect()`."""
LONGEST = 8_192
"""Characters of one line that are logged unless whole lines are wanted; the rest is counted."""
LARGEST = 16 * 1024 * 1024
"""Bytes after which the file starts anew; the one before is kept beside it as `.1`."""
PAUSE = 0.5
"""Seconds in which several lines become one write."""
MOST_HELD = 1024 * 1024
"""Bytes that wait, from which on they are written at once."""
GROUP = 64
"""Lines that are searched for secrets at once."""
_UNCOUNTED = bytes((*range(0x80, 0xC0), *b"\n"))
"""Bytes that begin no character of UTF-8, and the end of a line."""
MOST_FILES = 100
"""Logs of other agents that are kept."""


class Traffic:
    """The log of one connection. A disk that is full or read-only silences it, nothing else."""

    def __init__(
        self,
        path: str,
        clock: Callable[[], float],
        *,
        whole: bool = False,
        redaction: Redaction | None = None,
    ) -> None:
        self.path = path
        self.redaction: Final = redaction or Redaction()
        self._whole = whole
        self._clock = clock
        self._tail: deque[str] = deque(maxlen=TAIL)
        self._partial = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._size = 0
        self._file: IO[str] | None = None
        self._waiting: list[_Entry] = []
        self._held = 0
        """Characters or bytes of these."""
        self._something = Signal()
        self._full = Signal()
        self._lock = threading.RLock()
        """Of what is written: by a thread, and at the end by whoever ends it."""
        self._open()
        others = (it for it in Path(path).parent.glob("*.jsonl*") if str(it) != path)
        limits.drop(others, most=MOST_FILES, days=limits.LOG_DAYS)

    @property
    def stderr(self) -> str:
        """The last lines that the agent wrote to its stderr."""
        partial = [self.redaction.output(self._partial)] if self._partial else []
        lines = [*self._tail, *partial]
        return "\n".join(lines)

    def error_output(self, data: bytes) -> None:
        """Take bytes of the agent's stderr; they may end anywhere."""
        *lines, self._partial = (self._partial + self._decoder.decode(data)).split("\n")
        if len(self._partial) > LONGEST:  # a secret that is cut in two would not be known
            self._partial = self.redaction.values(self._partial)[-LONGEST:]
        for line in lines:
            shown = self.redaction.output(line)
            self._tail.append(shown[:LONGEST])
            self.record("stderr", shown)

    def sent(self, line: bytes) -> None:
        """Log what went to the agent."""
        self.record("client", line)

    def record(self, source: Source, line: bytes | str) -> None:
        """Log one line soon: what it costs is paid in a thread, for many at once."""
        if self._file is None:
            return
        size = len(line)
        if size > LONGEST and not self._whole:
            if isinstance(line, bytes):
                size = _characters(line)
            line = line[: 8 * LONGEST]  # a secret that is cut in two would not be known
        self._waiting.append((self._clock(), source, line, size))
        self._held += len(line)
        self._something.set()
        if self._held > 4 * MOST_HELD:
            self._write()
        elif self._held > MOST_HELD:
            self._full.set()

    async def run(self) -> None:
        """Write what was recorded a moment later, in a thread, for ever."""
        while True:
            await self._something.wait()
            with anyio.move_on_after(PAUSE):
                await self._full.wait()
            await anyio.to_thread.run_sync(self._write)

    def _write(self) -> None:
        with self._lock:
            waiting, self._waiting, self._held = self._waiting, [], 0
            for first in range(0, len(waiting), GROUP):
                self._write_group(waiting[first : first + GROUP])

    def _write_group(self, group: list[_Entry]) -> None:
        """Write some lines, after one search for what may be secret in any of them."""
        texts = [_text(line) for _, _, line, _ in group]
        if self.redaction.is_suspect("\n".join(texts)):
            texts = list(map(self.redaction.message, texts))
        entries = [
            f'{{"t": {when:.3f}, "from": "{source}", "line": {self._json(text, size)}}}\n'
            for (when, source, _, size), text in zip(group, texts, strict=True)
        ]
        try:
            if self._file is not None:
                self._size += self._file.write("".join(entries))
                if self._size > LARGEST:
                    self._open()
        except OSError:
            self._end()

    def _json(self, text: str, size: int) -> str:
        if size > LONGEST and not self._whole:
            text = f"{text[:LONGEST]}… ({size} characters)"
        return encode_basestring_ascii(text)

    def flush(self) -> None:
        """Make the file show all that was recorded."""
        self._write()
        try:
            if self._file is not None:
                self._file.flush()
        except OSError:
            self._end()

    def forget(self) -> None:
        """Remove what was logged; what comes is logged anew."""
        is_open = self._file is not None
        self._waiting.clear()
        self._end()
        for path in (self.path, self.path + ".1"):
            private.remove(Path(path))
        if is_open:
            self._open()

    def close(self) -> None:
        """End the log."""
        self.flush()
        self._end()

    def _end(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):  # a full disk does not take what waits to be written
                file.close()

    def _open(self) -> None:
        self._end()
        self._size = 0
        try:
            private.make_folder(Path(self.path).parent)
            if os.path.lexists(self.path):
                os.replace(self.path, self.path + ".1")
            self._file = private.create(Path(self.path))
        except OSError:
            self._file = None


def _characters(line: bytes) -> int:
    """Count them without a copy of the line, which may be large."""
    steps = (line[at : at + LARGEST // 64] for at in range(0, len(line), LARGEST // 64))
    return sum(len(it) if it.isascii() else len(it.translate(None, _UNCOUNTED)) for it in steps)


def _text(line: bytes | str) -> str:
    text = line if isinstance(line, str) else line.decode("utf-8", "replace")
    return text.removesuffix("\n")
