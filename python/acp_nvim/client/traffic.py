"""What went over one connection: a log file of JSON lines, and the last lines of stderr.

Each line of the file is an object: `{"t": seconds, "from": "client" | "agent" | "stderr" | "host",
"line": text}`; `line` is what was on the wire but for secrets, and with `whole` all of it, so that
the file can be replayed (`:help acp-replay`).
"""

from __future__ import annotations

import codecs
import json
import os
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import IO, Final, Literal, TypeAlias

from acp_nvim.client.redaction import Redaction
from acp_nvim.storage import limits, private

Source: TypeAlias = Literal["client", "agent", "stderr", "host"]

TAIL = 50
"""Lines of stderr that are kept for messages and `inspect()`."""
LONGEST = 8_192
"""Characters of one line that are logged unless whole lines are wanted; the rest is counted."""
LARGEST = 16 * 1024 * 1024
"""Bytes after which the file starts anew; the one before is kept beside it as `.1`."""
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
        """Log what went to the agent; of a long line only what is shown is looked at."""
        seen = line if self._whole else line[: 8 * LONGEST]
        size = None if seen is line else len(line) - 1
        self.record("client", seen.decode("utf-8", "replace").rstrip("\n"), size)

    def record(self, source: Source, line: str, size: int | None = None) -> None:
        """Log one line; `size`: that of the whole one, of which this is the beginning."""
        if self._file is None:
            return
        size = len(line) if size is None else size
        # a secret that is cut in two would not be known
        line = self.redaction.message(line if self._whole else line[: 2 * LONGEST])
        if size > LONGEST and not self._whole:
            line = f"{line[:LONGEST]}… ({size} characters)"
        # json is twice as fast with a string as with an object, and each chunk comes by here
        entry = (
            f'{{"t": {round(self._clock(), 3)}, "from": "{source}", "line": {json.dumps(line)}}}\n'
        )
        try:
            self._size += self._file.write(entry)
            if self._size > LARGEST:
                self._open()
        except OSError:
            self.close()

    def flush(self) -> None:
        """Make the file show all that was recorded."""
        try:
            if self._file is not None:
                self._file.flush()
        except OSError:
            self._file = None

    def forget(self) -> None:
        """Remove what was logged; what comes is logged anew."""
        is_open = self._file is not None
        self.close()
        for path in (self.path, self.path + ".1"):
            private.remove(Path(path))
        if is_open:
            self._open()

    def close(self) -> None:
        """End the log."""
        self.flush()
        if self._file is not None:
            self._file.close()
        self._file = None

    def _open(self) -> None:
        if self._file is not None:
            self._file.close()
        self._size = 0
        try:
            private.make_folder(Path(self.path).parent)
            if os.path.lexists(self.path):
                os.replace(self.path, self.path + ".1")
            self._file = private.create(Path(self.path))
        except OSError:
            self._file = None
