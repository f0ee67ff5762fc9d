"""Terminals of ACP v1: the agent's requests and our answers (v1/terminals), and what agents tell of
terminals of their own in `_meta`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any, Final, TypeAlias, assert_never

from acp_nvim.protocol.common.request import absolute, invalid, valid
from acp_nvim.protocol.common.types import TerminalExit
from acp_nvim.protocol.v1 import types
from acp_nvim.session.event import UNSET, TerminalUpdated
from acp_nvim.session.request import (
    CreateTerminalRequest,
    KillTerminalRequest,
    ReleaseTerminalRequest,
    TerminalAnswer,
    TerminalCreated,
    TerminalEnded,
    TerminalExited,
    TerminalOutputRequest,
    TerminalRequest,
    TerminalShown,
    WaitForTerminalRequest,
)
from acp_nvim.session.terminal import ExitStatus

CREATE_TERMINAL: Final = "terminal/create"
TERMINAL_OUTPUT: Final = "terminal/output"
WAIT_FOR_TERMINAL: Final = "terminal/wait_for_exit"
KILL_TERMINAL: Final = "terminal/kill"
RELEASE_TERMINAL: Final = "terminal/release"

_Decoder: TypeAlias = Callable[[object], TerminalRequest]


def _create(params: object) -> TerminalRequest:
    method = CREATE_TERMINAL
    request = valid(types.CreateTerminal, method, params)
    if not request.command.strip():
        raise invalid(method, "command", "it is empty")
    env = tuple((variable.name, variable.value) for variable in request.env or ())
    for name, _ in env:
        if not name or "=" in name:
            raise invalid(method, "env", f"{name!r} is not a name of a variable")
    ask = CreateTerminalRequest(
        request.session_id,
        request.command,
        tuple(request.args or ()),
        env,
        None if request.cwd is None else absolute(method, "cwd", request.cwd),
        request.output_byte_limit,
    )
    if any("\0" in text for text in (ask.command, *ask.args, *chain.from_iterable(env))):
        raise invalid(method, "command", "it holds a NUL")
    return ask


def _of_terminal(
    method: str,
    ask: type[
        TerminalOutputRequest
        | WaitForTerminalRequest
        | KillTerminalRequest
        | ReleaseTerminalRequest
    ],
) -> _Decoder:
    def decode(params: object) -> TerminalRequest:
        request = valid(types.TerminalRequest, method, params)
        return ask(request.session_id, request.terminal_id)

    return decode


DECODERS: Mapping[str, _Decoder] = {
    CREATE_TERMINAL: _create,
    TERMINAL_OUTPUT: _of_terminal(TERMINAL_OUTPUT, TerminalOutputRequest),
    WAIT_FOR_TERMINAL: _of_terminal(WAIT_FOR_TERMINAL, WaitForTerminalRequest),
    KILL_TERMINAL: _of_terminal(KILL_TERMINAL, KillTerminalRequest),
    RELEASE_TERMINAL: _of_terminal(RELEASE_TERMINAL, ReleaseTerminalRequest),
}
"""All five methods: a client serves all or none (C-042)."""


def encode_terminal(answer: TerminalAnswer) -> dict[str, Any]:
    """Return the result that goes with the answer; `exitStatus` only after the exit (C-200)."""
    match answer:
        case TerminalCreated(terminal_id):
            return {"terminalId": terminal_id}
        case TerminalShown(output, truncated, ended):
            result = {"output": output, "truncated": truncated}
            return result if ended is None else result | {"exitStatus": _exit(ended)}
        case TerminalExited(status):
            return _exit(status)
        case TerminalEnded():
            return {}
    assert_never(answer)


def _exit(status: ExitStatus) -> dict[str, Any]:
    """Return a `TerminalExitStatus`: exactly one of code and signal, the other is null (C-208)."""
    return {"exitCode": status.code, "signal": status.signal}


def told_terminals(update: Mapping[str, Any]) -> Iterator[TerminalUpdated]:
    """Yield what the `_meta` of a tool call tells of the agent's own terminals.

    `_meta` may be anything (C-311); without a `terminal_id` the terminal has the call's id.
    """
    meta, call = update.get("_meta"), update.get("toolCallId")
    if not isinstance(meta, dict):
        return
    for key in ("terminal_info", "terminal_output", "terminal_output_delta", "terminal_exit"):
        told = meta.get(key)
        if not isinstance(told, dict):
            continue
        terminal_id = told.get("terminal_id", call)
        if isinstance(terminal_id, str) and terminal_id:
            yield _told(terminal_id, key, told)


def _told(terminal_id: str, key: str, told: Mapping[str, Any]) -> TerminalUpdated:
    if key == "terminal_exit":
        ended = TerminalExit.model_validate(told)
        return TerminalUpdated(terminal_id, exit=ExitStatus(ended.exit_code, ended.signal))
    data, command = told.get("data"), told.get("command")
    return TerminalUpdated(
        terminal_id,
        command=command if isinstance(command, str) else UNSET,
        more=data if isinstance(data, str) else "",
    )
