"""Which protocol version a connection speaks (initialization § Version Negotiation).

Used by `client`: `asked` says what is asked for, `choose` what is spoken then. An agent that speaks
an older version than was asked for has seen nothing of what we offer, for that is written otherwise
there: it is asked once more, on a connection of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from acp_nvim.errors import AgentError, Code, UserError
from acp_nvim.protocol.dialect import Dialect
from acp_nvim.protocol.v1.dialect import V1
from acp_nvim.protocol.v2 import dialect as version2

Wanted: TypeAlias = Literal[1, 2, "auto"]
"""What the user lets an agent speak: a version and those before it, or the newest of both."""

_DIALECTS: dict[int, Callable[[], Dialect]] = {1: V1, 2: lambda: version2.V2()}
"""The newest is the last; each is stateless."""


def asked(wanted: Wanted) -> Dialect:
    """Return the version to ask an agent for."""
    return _DIALECTS[max(_DIALECTS) if wanted == "auto" else wanted]()


def choose(asked: Dialect, result: object) -> Dialect:
    """Return the dialect of the version that the agent answered (C-034, C-035).

    `result` is that of the `initialize` of `asked`, as received. Raises `UserError`, naming both
    versions, when that is none of ours, or newer than was asked for.
    """
    answered = result.get("protocolVersion") if isinstance(result, dict) else None
    # of that very type: True == 1
    if type(answered) is int and answered in _DIALECTS and answered <= asked.version:
        return _DIALECTS[answered]()
    told = "no protocol version" if answered is None else f"protocol version {answered!r}"
    raise UserError(
        f"the agent answered {told}, but acp.nvim asked for {asked.version}"
        f" and supports {', '.join(map(str, _DIALECTS))}: {_advice(answered)}"
    )


def instead(asked: Dialect, wanted: Wanted, error: AgentError) -> Dialect | None:
    """Return what to ask an agent for that has refused `asked`; None if there is nothing.

    An agent may name the versions that it supports. With `auto` one is asked for version 1 also
    when it cannot read what it was asked.
    """
    older = [version for version in _DIALECTS if version < asked.version]
    named = [version for version in older if version in supported(error)]
    if named:
        return _DIALECTS[named[-1]]()
    return _DIALECTS[older[-1]]() if older and wanted == "auto" else None


def supported(error: AgentError) -> tuple[object, ...]:
    """Return the versions that an agent names as its own when it refuses another one."""
    if error.code != Code.UNSUPPORTED_VERSION or not isinstance(error.data, dict):
        return ()
    told = error.data.get("supported")
    return tuple(it for it in told if type(it) is int) if isinstance(told, list) else ()


def refused(name: str, asked: Dialect, error: AgentError) -> str | None:
    """Return what to do about an agent that refuses the version; None if that is not why."""
    if error.code == Code.INVALID_PARAMS and asked.version < max(_DIALECTS):
        return (
            f"{name} cannot read what protocol version {asked.version} says ({error}): if it speaks"
            f" a newer one, set agents.{name}.protocol = 'auto'"
        )
    if error.code != Code.UNSUPPORTED_VERSION:
        return None
    theirs = supported(error)
    ours = [version for version in _DIALECTS if version in theirs]
    said = f"it speaks {', '.join(map(str, theirs))}" if theirs else "it does not say which it does"
    advice = f"set agents.{name}.protocol = {ours[-1]}" if ours else _advice(None)
    return f"{name} does not speak protocol version {asked.version}, {said}: {advice}"


def _advice(answered: object) -> str:
    if type(answered) is int and answered in _DIALECTS:
        return f"set `protocol = {answered}` for this agent, or update it"
    return "update the agent or acp.nvim"
