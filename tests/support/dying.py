"""The Python of a host that is killed at a moment that a test names, so to speak between two words.

    python dying.py -c CODE PLUGIN

runs the host as the bridge wants it. With `ACP_TEST_DEATH=FILE` in the environment every Neovim of
the tests has such a host. It lives on until that file is there, see `after`, and dies once: without
a word, and its Neovim with it if that is wanted. No code of the program knows of it.
"""

from __future__ import annotations

import importlib
import inspect
import os
import shlex
import signal
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

VARIABLE = "ACP_TEST_DEATH"

MOMENTS = {
    "noted": ("review.log", "EditLog", "noted"),
    "put": ("review.acting", "", "put"),
    "booked": ("review.log", "EditLog", "put"),
    "turned": ("review.decisions", "Decisions", "undo"),
    "rewound": ("commands.rewinding", "", "_undo"),
    "begun": ("commands.rewinding", "", "_begin"),
    "brought": ("review.merging", "Merging", "bring"),
}
"""What has just been done, as module, class and name of what has done it."""


def python(folder: Path) -> str:
    """Return the Python for the host of a test that may die."""
    script = folder / "python"
    script.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, "-P", __file__])} "$@"\n')
    script.chmod(0o700)
    return str(script)


def after(moment: str, count: int = 1, *, neovim: bool = False) -> None:
    """Let the host of this test die when it has done that as often as this, from now on."""
    file = Path(os.environ[VARIABLE])
    file.write_text(f"{moment} {count} {'neovim' if neovim else ''}")


def is_over() -> bool:
    """Tell whether it has died so."""
    return not Path(os.environ[VARIABLE]).exists()


def _pass(moment: str, file: Path) -> None:
    """Die, if it is time."""
    wanted, count, *with_neovim = file.read_text().split() if file.exists() else ("", "0")
    if wanted != moment:
        return
    if int(count) > 1:
        file.write_text(" ".join((wanted, str(int(count) - 1), *with_neovim)))
        return
    file.unlink()
    if with_neovim:
        os.kill(os.getppid(), signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


def _mortal(action: Callable[..., Any], moment: str, file: Path) -> Callable[..., Any]:
    @wraps(action)
    async def later(*arguments: Any, **named: Any) -> Any:
        result = await action(*arguments, **named)
        _pass(moment, file)
        return result

    @wraps(action)
    def at_once(*arguments: Any, **named: Any) -> Any:
        result = action(*arguments, **named)
        _pass(moment, file)
        return result

    return later if inspect.iscoroutinefunction(action) else at_once


def install(file: Path) -> None:
    """Make this process mortal."""
    for moment, (module, owner, name) in MOMENTS.items():
        scope: Any = importlib.import_module(f"acp_nvim.{module}")
        scope = getattr(scope, owner) if owner else scope
        setattr(scope, name, _mortal(getattr(scope, name), moment, file))


def main(code: str, plugin: str, *more: str) -> None:
    """Run the code, which runs the host with that plugin."""
    sys.path.insert(0, str(Path(plugin).parents[2] / "python"))
    install(Path(os.environ[VARIABLE]))
    sys.argv[:] = ["-c", plugin, *more]
    exec(code, {"__name__": "__main__"})


if __name__ == "__main__":
    main(*sys.argv[2:])
