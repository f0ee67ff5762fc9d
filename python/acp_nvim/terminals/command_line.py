"""From what an agent calls a command to what can be started (C-197, C-198)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence

from acp_nvim.errors import Code, RequestFailed

SHELLS = frozenset({"ash", "bash", "dash", "fish", "ksh", "mksh", "sh", "zsh"})
"""Those that take `-c` and a line; $SHELL may also be nologin, or a language of its own."""


def command_line(
    command: str, args: Sequence[str], *, env: Mapping[str, str], cwd: str
) -> tuple[str, ...]:
    """Return the program's path and its arguments.

    Many agents put a whole line for the shell into `command`: one without arguments that is no
    program is the shell's matter, also what to say when there is no such command. Raises
    `RequestFailed` for a program with arguments that is not there.
    """
    if not os.path.isdir(cwd):
        raise RequestFailed(Code.INVALID_PARAMS, f"there is no directory {cwd}")
    program = _find(command, env, cwd)
    if program is not None:
        return (program, *args)
    if not args:
        return (_shell(env), "-c", command)
    raise RequestFailed(
        Code.INTERNAL_ERROR, f"cannot run {command}: there is no such program", {"command": command}
    )


def _find(command: str, env: Mapping[str, str], cwd: str) -> str | None:
    if "/" not in command:
        found = shutil.which(command, path=env.get("PATH", os.defpath))
        return None if found is None else os.path.abspath(found)
    path = os.path.join(cwd, command)
    return path if os.path.isfile(path) and os.access(path, os.X_OK) else None


def _shell(env: Mapping[str, str]) -> str:
    shell = env.get("SHELL", "")
    usable = os.path.basename(shell) in SHELLS and os.access(shell, os.X_OK)
    return shell if usable and os.path.isabs(shell) else "/bin/sh"
