"""What a terminal's output says, without how it says it: plain text of raw bytes' text.

Teaches how little of a terminal is needed to read a log: escape sequences go, a carriage return and
a backspace overwrite, "erase in line" erases. Pure; the terminals and the view call it.
"""

from __future__ import annotations

from acp_nvim.patterns import lazy_pattern

ODD = lazy_pattern(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)")
"""What makes a text more than its lines."""
_ESCAPE = (
    r"\x1b\[(?P<parameters>[0-?]*)[ -/]*(?P<final>[@-~])?"  # CSI, cut short too
    r"|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?"  # OSC and other strings
    r"|\x1b[ -/]*[0-~]?"
)
PART = lazy_pattern(rf"(?P<text>[^\x00-\x08\x0b-\x1f\x7f]+)|{_ESCAPE}|[\x00-\x08\x0b-\x1f\x7f]")
"""A stretch of text, or one thing that is done to it."""


def plain(text: str) -> str:
    r"""Return the text as lines ended by ``\n``, with nothing but tabs of all control characters.

    Each line is what is left of it after its overwriting. Idempotent.
    """
    if ODD.search(text) is None:
        return text.replace("\r\n", "\n")
    return "\n".join(_line(line)[0] for line in text.split("\n"))


def collapsed(line: str) -> str:
    """Return a shorter start of a line that goes on as the given one would."""
    shown, cursor = _line(line)
    return shown if cursor == len(shown) else f"{shown}\r{shown[:cursor]}"


def _line(line: str) -> tuple[str, int]:
    """Return what is left of a line, and where the cursor stands in it."""
    if ODD.search(line) is None and not line.endswith("\r"):
        return line, len(line)
    shown, cursor = "", 0
    for part in PART.finditer(line):
        if text := part["text"]:
            shown = shown[:cursor] + text + shown[cursor + len(text) :]
            cursor += len(text)
        elif part[0] == "\r":
            cursor = 0
        elif part[0] == "\b":
            cursor = max(cursor - 1, 0)
        elif part["final"] == "K":
            shown = erased(shown, cursor, part["parameters"])
    return shown, cursor


def erased(shown: str, cursor: int, parameters: str) -> str:
    """Return what "erase in line" leaves of a line in which the cursor stands there."""
    match parameters:
        case "" | "0":
            return shown[:cursor]
        case "1":
            return " " * min(cursor + 1, len(shown)) + shown[cursor + 1 :]
        case "2":
            return " " * cursor
        case _:
            return shown
