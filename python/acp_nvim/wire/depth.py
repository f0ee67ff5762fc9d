"""How deep JSON may be nested: what is deeper breaks whoever walks through it later.

Python, MessagePack, Lua and Neovim have limits of their own, and one deep value in a state that
others ask for breaks their answers, too. Checked once, where a message comes in.
"""

from __future__ import annotations

from typing import Any

DEEPEST = 128
"""Lists and objects in each other; MessagePack for Neovim takes 511."""


def is_too_deep(value: Any, most: int = DEEPEST) -> bool:
    """Tell whether more than `most` lists and objects are in each other; never recurses."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(most):
        if not level:
            return False
        level = [
            inner
            for outer in level
            for inner in (outer.values() if type(outer) is dict else outer)
            if type(inner) is dict or type(inner) is list
        ]
    return bool(level)
