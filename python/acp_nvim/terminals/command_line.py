"""From what an agent calls a command to what can be started (C-197, C-198)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence

from acp_nvim.errors import Code, RequestFailed


def command_line(
    command: str, args: Sequence[str], *, env: Mapping[str, str], cwd: str, shell: str | None
) -> tuple[str, ...]:
    """Return the program's path and its arguments.

    Many agents put a whole line for the shell into `command`: one without arguments that is no
    program is the shell's matter, also what to say when there is no such command. `shell`: the one
    that the user names, None for bash or sh. Raises `RequestFailed` for a program with arguments
    that is not there, and for such a shell.
    """
    if not os.path.isdir(cwd):
        raise RequestFailed(Code.INVALID_PARAMS, f"there is no directory {cwd}")
    program = _find(command, env, cwd)
    if program is not None:
        return (program, *args)
    if not args:
        return (_shell(shell, env, cwd), "-c", command)
    raise RequestFailed(
        Code.INTERNAL_ERROR, f"cannot run {command}: there is no such program", {"command": command}
    )


def _find(command: str, env: Mapping[str, str], cwd: str) -> str | None:
    if "/" not in command:
        found = shutil.which(command, path=env.get("PATH", os.defpath))
        return None if found is None else os.path.abspath(found)
    path = os.path.join(cwd, command)
    return path if os.path.isfile(path) and os.access(path, os.X_OK) else None


def _shell(named: str | None, env: Mapping[str, str], cwd: str) -> str:
    """Return the shell of agents' lines. They write for bash or sh, whatever the user's own is:
    another one takes many lines for something else, and some of these without an error."""
    if named is None:
        return _find("bash", env, cwd) or "/bin/sh"
    found = _find(os.path.expanduser(named), env, cwd)
    if found is None:
        said = f"there is no shell {named}: the user sets it in vim.g.acp.shell"
        raise RequestFailed(Code.INTERNAL_ERROR, said)
    return found
