"""The protocol side of the tutor: who may call what, and what it answers.

Called by `__main__` with each message in wire order. A turn is a task; everything else is answered
at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, TypeAlias

from acp_nvim import __version__
from acp_nvim.wire.message import Notification, Request, RequestId
from acp_tutor.connection import Connection
from acp_tutor.lessons import COMMANDS
from acp_tutor.prompt import parse_prompt
from acp_tutor.scenes import play
from acp_tutor.session import MODES, Abilities, Session

Turn: TypeAlias = "asyncio.Task[str]"
Params: TypeAlias = dict[str, Any]

INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602


class Refusal(Exception):
    """A request that cannot be met; becomes the error of its response."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Agent:
    """Several sessions on one connection.

    `start` makes a task of a turn; `delay` is the time between two words, in seconds.
    """

    def __init__(
        self,
        connection: Connection,
        start: Callable[[Coroutine[Any, Any, str]], Turn],
        delay: float,
    ) -> None:
        self._connection = connection
        self._start = start
        self._delay = delay
        self._abilities = Abilities()
        self._sessions: dict[str, Session] = {}
        self._turns: dict[str, Turn] = {}

    def receive(self, call: Request | Notification) -> None:
        """Act on a call of the client; every request gets its answer, a turn's comes later."""
        params = call.params if isinstance(call.params, dict) else {}
        if isinstance(call, Notification):
            if call.method == "session/cancel":
                self._cancel(params)
            return
        try:
            self._answer(call, params)
        except Refusal as refusal:
            self._connection.fail(call.id, refusal.code, str(refusal))

    def stop(self) -> None:
        """Cancel every turn."""
        for turn in self._turns.values():
            turn.cancel()

    def _answer(self, call: Request, params: Params) -> None:
        match call.method:
            case "initialize":
                self._connection.respond(call.id, self._initialize(params))
            case "session/new":
                self._new_session(call.id, params)
            case "session/set_mode":
                self._set_mode(params)
                self._connection.respond(call.id, {})
            case "session/prompt":
                self._prompt(call.id, params)
            case _:
                raise Refusal(METHOD_NOT_FOUND, f"Method not found: {call.method}")

    def _initialize(self, params: Params) -> Params:
        self._abilities = Abilities.of(params)
        return {
            "protocolVersion": 1,
            "agentInfo": {"name": "tutor", "title": "acp.nvim tutor", "version": __version__},
            "agentCapabilities": {
                "loadSession": False,
                "promptCapabilities": {"embeddedContext": True},
            },
            "authMethods": [],
        }

    def _new_session(self, request_id: RequestId, params: Params) -> None:
        cwd = _text(params, "cwd")
        session_id = f"tutor-{len(self._sessions) + 1}"
        session = Session(session_id, cwd, self._connection, self._abilities, self._delay)
        self._sessions[session_id] = session
        modes = {"currentModeId": session.mode, "availableModes": MODES}
        self._connection.respond(request_id, {"sessionId": session_id, "modes": modes})
        session.update("available_commands_update", availableCommands=COMMANDS)

    def _set_mode(self, params: Params) -> None:
        session, mode = self._session(params), _text(params, "modeId")
        if mode not in (known["id"] for known in MODES):
            raise Refusal(INVALID_PARAMS, f"No such mode: {mode}")
        session.mode = mode

    def _prompt(self, request_id: RequestId, params: Params) -> None:
        session = self._session(params)
        if session.id in self._turns:
            raise Refusal(INVALID_REQUEST, "A turn is running already")
        turn = self._start(play(session, parse_prompt(params.get("prompt"))))
        self._turns[session.id] = turn
        turn.add_done_callback(partial(self._ended, request_id, session.id))

    def _ended(self, request_id: RequestId, session_id: str, turn: Turn) -> None:
        # A callback, because a turn that is cancelled before its first step runs no code at all.
        del self._turns[session_id]
        reason = "cancelled" if turn.cancelled() else turn.result()
        self._connection.respond(request_id, {"stopReason": reason})

    def _cancel(self, params: Params) -> None:
        turn = self._turns.get(str(params.get("sessionId")))
        if turn is not None:
            turn.cancel()

    def _session(self, params: Params) -> Session:
        session = self._sessions.get(_text(params, "sessionId"))
        if session is None:
            raise Refusal(INVALID_PARAMS, f"No such session: {params['sessionId']}")
        return session


def _text(params: Params, name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise Refusal(INVALID_PARAMS, f"{name} must be a string")
    return value
