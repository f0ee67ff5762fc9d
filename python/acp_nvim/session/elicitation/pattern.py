r"""Whether a text matches an agent's regular expression, told in bounded time (C-285, C-288).

`re` may try as many ways through a pattern as there are choices: only patterns in which that is a
small number are asked. The others, as `(a+)+$`, and what ECMAScript writes otherwise than Python,
are left to the agent, who has to check an answer anyway. A library with a time limit, `regex`, was
weighed: its limit does not hold for compiling, and `((((a{99}){99}){99}){99})` takes minutes there.
"""

from __future__ import annotations

import re
import warnings

from acp_nvim.patterns import lazy_pattern

LONGEST_PATTERN = 1_000
MOST_WAYS = 1_000_000
"""Through a pattern, from all places of the text, before it is not checked."""

_LOOP = lazy_pattern(r"[*+]|\{\d*,")
"""May take any number of the characters."""
_FORK = lazy_pattern(r"[?|]")
"""Doubles the ways, if it is in no loop."""
_NOT_ASKED = lazy_pattern(r"\)[*+{]|\(\?[^:]|\\[\dkpP]")
"""A loop of a group, in which ways multiply; look-around, names, back references, properties."""


def matches(pattern: str, text: str) -> bool | None:
    """Tell whether the pattern matches anywhere in the text; None: that is not told here."""
    loops, forks = len(_LOOP.findall(pattern)), len(_FORK.findall(pattern))
    if len(pattern) > LONGEST_PATTERN or _NOT_ASKED.search(pattern):
        return None
    if (len(text) + 1) ** (loops + 1) * 2**forks > MOST_WAYS:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # "[[" means just that here
            # ASCII, because ECMAScript's `\d` and `\w` are
            return re.search(pattern, text, re.ASCII) is not None
    except (re.error, OverflowError, RecursionError):
        return None
