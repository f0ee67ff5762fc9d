"""How modes and config options are set (v1/session-config-options, v1/session-modes).

What is shown changes with the agent's answer, in the order of the wire (C-260); so a refusal has
nothing to take back (C-258). Called by `Client` only.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

import anyio

from acp_nvim.client import reasons
from acp_nvim.client.agent import Agent
from acp_nvim.client.connection import Outcome
from acp_nvim.client.login import Login
from acp_nvim.client.session import Session, patience
from acp_nvim.config import Defaults
from acp_nvim.errors import AcpError, AgentError, ConnectionLost, UserError
from acp_nvim.protocol.records import Call
from acp_nvim.session.action import SetMode, SetOption
from acp_nvim.session.event import ConfigReplaced, Event, InfoChanged, ModeChanged, Noticed
from acp_nvim.session.model import ConfigOption
from acp_nvim.session.options import find, first_of, mode_of, mode_option, with_value

BEGINNING: Final = 5.0
"""Seconds that an agent has to set a new session to what the user wants, before it is used."""


class Settings:
    """Sets what the user chooses; also while a turn runs (C-249)."""

    def __init__(self, agent: Agent, login: Login) -> None:
        self._name = agent.launch.name
        self._dialect = agent.dialect
        self._connection = agent.connection
        self._login = login
        self._titles = agent.info.capabilities.title
        self._unanswered: dict[Session, list[anyio.CancelScope]] = {}
        """Around the requests of each session that wait for their answers."""

    def cancel(self, session: Session) -> bool:
        """Give up what was asked for in a session and is not answered; False if all is."""
        scopes = self._unanswered.pop(session, [])
        for scope in scopes:
            scope.cancel()
        return bool(scopes)

    async def set_mode(self, session: Session, mode: str) -> None:
        """Switch the mode, by the option for it if there is one (C-245); raises `UserError`."""
        session_id = _allowed(session, SetMode(mode))
        if option := mode_option(session.state):
            await self.set_option(session, option.id, mode)
            return

        def switched(_result: object) -> Event:
            return ModeChanged(mode)

        words = "switch to", f"mode {mode}"
        with self._login.gate((session, "mode"), lambda client: client.set_mode(session, mode)):
            await self._send(session, self._dialect.set_mode(session_id, mode), switched, words)

    async def set_option(self, session: Session, option_id: str, value: str | bool) -> None:
        """Give an option another value; raises `UserError` if that is refused."""
        session_id = _allowed(session, SetOption(option_id, value))
        option = find(session.state.config, option_id)
        if option is not None and option.way == "set_model":
            call = self._dialect.set_model(session_id, str(value))
        else:
            call = self._dialect.set_option(session_id, option_id, value)

        def replaced(told: tuple[ConfigOption, ...] | None) -> Event:
            # an answer without the list says no more than yes
            config = with_value(session.state.config, option_id, value)
            return ConfigReplaced(config if told is None else told)

        async def again(client: Any) -> None:
            await client.set_option(session, option_id, value)

        with self._login.gate((session, option_id), again):
            words = "set", option_id
            await self._send(session, call, replaced, words, self._dialect.decode_options)

    async def begin(self, session: Session, defaults: Defaults) -> None:
        """Set a new session to what the user wants of each; what cannot be is said in it.

        The model comes first, for it may change which options there are.
        """
        with anyio.move_on_after(BEGINNING) as begun:
            if defaults.model is not None:
                await self._begin(session, "model", defaults.model)
            for option_id, value in defaults.config.items():
                await self._begin(session, option_id, value)
            if defaults.mode is not None and defaults.mode != mode_of(session.state):
                await self._try(session, self.set_mode(session, defaults.mode))
        if begun.cancelled_caught:
            session.apply(Noticed(reasons.begun_unset(self._name, BEGINNING), "warning"))

    async def _begin(self, session: Session, name: str, value: str | bool) -> None:
        config = session.state.config
        option = first_of(config, "model") if name == "model" else find(config, name)
        if option is None or option.value != value:
            option_id = name if option is None else option.id
            await self._try(session, self.set_option(session, option_id, value))

    async def _try(self, session: Session, setting: Awaitable[None]) -> None:
        try:
            await setting
        except UserError as error:
            said = f"not begun as agents.{self._name}.defaults says: {error}"
            session.apply(Noticed(said, "warning"))

    async def set_title(self, session: Session, title: str) -> bool:
        """Give the session a title; False if the agent keeps none. Raises `UserError`."""
        if not self._titles or session.id is None:
            session.apply(InfoChanged(title=title))
            return False

        def kept(result: object) -> Event:
            return InfoChanged(title=self._dialect.decode_title(result) or title)

        words = "rename", "the session"
        with self._login.gate((session, "title"), lambda client: client.rename(session, title)):
            await self._send(session, self._dialect.set_title(session.id, title), kept, words)
        return True

    async def _send(
        self,
        session: Session,
        call: Call,
        then: Callable[[Any], Event],
        words: tuple[str, str],
        understand: Callable[[object], object] | None = None,
    ) -> None:
        """Send it; an answer that comes after it was given up is taken, for the agent has done it.

        `words` say what was asked for, verb and object. Raises `UserError`.
        """
        asked = " ".join(words)
        failed = f"{self._name} did not {asked}"

        def answered(outcome: Outcome) -> None:
            if not isinstance(outcome, AcpError):
                session.apply(then(outcome))

        scope = anyio.CancelScope()
        waiting = self._unanswered.setdefault(session, [])
        waiting.append(scope)
        try:
            with scope:
                told = patience(session, lambda it: reasons.slow(self._name, it, f"to {asked}"))
                await self._connection.request(*call, answered, understand, told, takes_late=True)
        except (AgentError, ConnectionLost) as error:
            raise UserError(f"{failed}: {error}") from error
        finally:
            waiting.remove(scope)
            if not waiting:
                self._unanswered.pop(session, None)
        if scope.cancelled_caught:
            raise UserError(f"{failed}: the request is given up")


def _allowed(session: Session, action: SetMode | SetOption) -> str:
    """Return the session's id; raises `UserError` if the action is not possible now."""
    session.act(action)
    if session.id is None:
        raise UserError("the session is not open yet: try again when the agent has started")
    return session.id
