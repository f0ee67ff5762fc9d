"""The Python of a host that dawdles: at each lock, in each call of the editor, before each thread.

    python delays.py -c CODE PLUGIN

runs the host as the bridge wants it. With `ACP_TEST_DELAYS=SEED` or `SEED:MILLISECONDS` in the
environment every Neovim of the tests has such a host: what is right only because nothing comes in
between is wrong then. No code of the program knows of it.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Awaitable, Callable
from functools import wraps
from pathlib import Path
from random import Random
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

VARIABLE = "ACP_TEST_DELAYS"
MILLISECONDS = 40.0
"""How long most delays are, at most; one of thirty is four times as long."""


def python(folder: Path) -> str:
    """Return the Python for the host of a test: one that dawdles if that is wanted."""
    if VARIABLE not in os.environ:
        return sys.executable
    script = folder / "python"
    script.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, "-P", __file__])} "$@"\n')
    script.chmod(0o700)
    return str(script)


def dawdling(random: Random, milliseconds: float) -> Callable[[], Awaitable[None]]:
    """Return what waits for a while, or lets the others go first, or does nothing."""
    import anyio

    sleep = anyio.sleep

    async def dawdle() -> None:
        kind = random.random()
        if kind < 0.4:
            return
        times = 0.0 if kind < 0.6 else 1.0 if kind < 0.97 else 4.0
        await sleep(times * random.random() * milliseconds / 1000)

    return dawdle


def around(
    action: Callable[P, Awaitable[T]], dawdle: Callable[[], Awaitable[None]]
) -> Callable[P, Awaitable[T]]:
    """Return the action with a delay before it, and one after it."""

    @wraps(action)
    async def slowly(*arguments: P.args, **named: P.kwargs) -> T:
        await dawdle()
        result = await action(*arguments, **named)
        await dawdle()
        return result

    return slowly


def locking(
    acquire: Callable[[Any], Awaitable[None]], dawdle: Callable[[], Awaitable[None]]
) -> Callable[[Any], Awaitable[None]]:
    """Return how a lock is taken with delays; one that is cancelled in the last is let go."""

    async def slowly(lock: Any) -> None:
        await dawdle()
        await acquire(lock)
        try:
            await dawdle()
        except BaseException:
            lock.release()
            raise

    return slowly


def install(seed: int, milliseconds: float) -> None:
    """Make this process dawdle; the program must not be imported yet."""
    import anyio.to_thread
    from anyio._backends import _asyncio

    from acp_nvim.nvim.call import Call

    dawdle = dawdling(Random(seed), milliseconds)
    _asyncio.Lock.acquire = locking(_asyncio.Lock.acquire, dawdle)  # type: ignore[assignment, method-assign]
    anyio.to_thread.run_sync = around(anyio.to_thread.run_sync, dawdle)
    Call.lua = around(Call.lua, dawdle)  # type: ignore[method-assign]


def main(code: str, plugin: str, *more: str) -> None:
    """Run the code, which runs the host with that plugin."""
    seed, _, milliseconds = os.environ[VARIABLE].partition(":")
    sys.path.insert(0, str(Path(plugin).parents[2] / "python"))
    install(int(seed), float(milliseconds or MILLISECONDS))
    sys.argv[:] = ["-c", plugin, *more]
    exec(code, {"__name__": "__main__"})


if __name__ == "__main__":
    main(*sys.argv[2:])
