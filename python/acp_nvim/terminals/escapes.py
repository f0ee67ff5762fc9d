"""What an agent's program may say to the terminal buffer that shows it.

Neovim obeys the strings among the escape sequences (OSC, DCS, APC, PM, SOS): OSC 52 sets the user's
clipboard, others a title or a link, and each is told to the user's autocommands. They are left out;
what moves, colours and clears goes through. Pure.
"""

from __future__ import annotations

from acp_nvim.patterns import lazy_pattern

_ESC = b"\x1b"
# Neovim's terminal goes on with an escape sequence after a control character in it, or a letter
# beyond ASCII.
_BETWEEN = rb"[\x00-\x17\x19\x1c-\x1f\x7f-\xff]*"
# An ESC that is left before it would make a string of what comes after it.
_START = lazy_pattern(rb"(?:\x1b" + _BETWEEN + rb")+[\]PX^_]")
_UNFINISHED = lazy_pattern(rb"(?:\x1b" + _BETWEEN + rb")+\Z")
_END = lazy_pattern(rb"[\x07\x18\x1a\x1b]")


class EscapeFilter:
    """Takes output as it comes, cut anywhere; no string begins in what it returns."""

    def __init__(self) -> None:
        self._held = b""
        self._inside = False
        """A string has begun and not ended: nothing is shown meanwhile, as in any terminal."""

    def feed(self, data: bytes) -> bytes:
        """Return what of it may be shown."""
        data, self._held = self._held + data, b""
        shown, at = bytearray(), 0
        while at < len(data):
            if self._inside:
                at = self._skip(data, at)
                continue
            start = _START.search(data, at)
            shown += data[at : start.start() if start else None]
            at = start.end() if start else len(data)
            self._inside = start is not None
        return self._hold(bytes(shown))

    def _skip(self, data: bytes, at: int) -> int:
        """Return where the string ends that goes on at `at`."""
        end = _END.search(data, at)
        if end is None:
            return len(data)
        self._inside = False
        if end[0] != _ESC:
            return end.end()
        # ESC \\ goes through, for alone it means nothing; any other begins something new
        return end.start()

    def _hold(self, shown: bytes) -> bytes:
        """Keep back what may be the begin of a string."""
        unfinished = _UNFINISHED.search(shown)
        if unfinished is None:
            return shown
        self._held = _ESC
        return shown[: unfinished.start()]
