"""Logging in to one agent: what it refused for want of a login, and the login itself.

An agent says −32000 to whatever it likes (v1/authentication). What it refused waits here until the
user has logged in, and is then tried once more. Nothing in here begins by itself (C-064).
Called by `Client` and `Turns`, which fill it, and by the commands, which empty it.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Awaitable, Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import anyio

from acp_nvim.client import reasons
from acp_nvim.client.agent import Agent
from acp_nvim.client.launch import Launch
from acp_nvim.client.session import Session
from acp_nvim.editor import LoginProgram, LoginTerminals
from acp_nvim.errors import AgentError, Code, ConnectionLost, UserError
from acp_nvim.protocol.records import AuthMethod, AuthStatus
from acp_nvim.session.environment import is_dangerous
from acp_nvim.view.visible import one_line

Method: TypeAlias = AuthMethod
Again: TypeAlias = Callable[[Any], Awaitable[None]]
"""Does once more what was refused, with a client: the same one, or that of a new process."""
Key: TypeAlias = tuple[Session | None, Hashable]
"""What was refused: of two alike only the last is tried again."""

OPENING = "opening"

ANSWERING = 30.0
"""Seconds that an agent has to log out."""

MOST_SHOWN = 400
"""Characters of what a login in a terminal runs: so much can be seen at a time."""

OF_A_TERMINAL = ("TERM", "COLORTERM", "COLUMNS", "LINES")
"""Variables that are true of another terminal than the one that is opened."""


class Login:
    """What waits for a login to one agent, and the login that runs."""

    def __init__(self, agent: Agent, needed: Callable[[str | None], None]) -> None:
        """Take who is told that a login is needed, in a sentence for the user, or is no more."""
        self.since: float | None = None
        """When the login that runs has begun; None when none does."""
        self._launch = agent.launch
        self._connection = agent.connection
        self._dialect = agent.dialect
        self._info = agent.info
        self._clock = agent.clock
        self._needed = needed
        self._waiting: dict[Key, Again] = {}
        self._scope = anyio.CancelScope()
        self._tried = False
        """The user has logged in, and the agent has accepted nothing since."""

    # --- what was refused

    def wanted(self, key: Key | None = None, again: Again | None = None) -> str:
        """Take note of a refusal, and of what to try again; return what to tell the user."""
        if key is not None and again is not None:
            self._waiting[key] = again
        said = reasons.wants_login(self._launch, self._info, tried=self._tried)
        self._needed(said)
        return said

    @contextmanager
    def gate(self, key: Key, again: Again) -> Iterator[None]:
        """Let something pass that may be refused: raises `UserError` that says how to log in."""
        try:
            yield
        except (AgentError, UserError) as error:
            if not is_refusal(error):
                raise
            raise UserError(self.wanted(key, again)) from error
        self.accepted()

    def accepted(self) -> None:
        """The agent has done something for which it might want a login."""
        self._tried = False
        self._needed(None)

    def take(self) -> dict[Key, Again]:
        """Return what is to be tried again, in order, and forget it: it is tried once (C-053)."""
        waiting, self._waiting = self._waiting, {}
        return waiting

    def forget(self, session: Session) -> None:
        """Drop what concerns a session that the user has closed."""
        self._waiting = {key: it for key, it in self._waiting.items() if key[0] is not session}

    # --- logging in and out

    def methods(self) -> tuple[Method, ...]:
        """Return the ways to log in; raises `UserError` when there are none (C-065)."""
        if not self._info.auth_methods:
            raise UserError(reasons.no_way_in(self._launch))
        return self._info.auth_methods

    async def run(self, method: Method, terminals: LoginTerminals) -> None:
        """Log in by a method that the user chose; raises `UserError` if that does not succeed.

        There is no time limit: the user may be looking for a password (C-063).
        """
        if self.since is not None:
            raise UserError(f"a login to {self._launch.name} is going on: :Acp cancel ends it")
        self.since = self._clock()
        try:
            with anyio.CancelScope() as self._scope:
                if method.type == "terminal":
                    await self._in_terminal(method, terminals)
                else:
                    await self._by_agent(method)
        finally:
            self.since = None
        if self._scope.cancelled_caught:
            raise UserError(f"the login to {self._launch.name} is cancelled")
        self._tried = True
        self._needed(None)

    def cancel(self) -> bool:
        """Cancel the login; False if none runs. The agent is told by `$/cancel_request`."""
        if self.since is None:
            return False
        self._scope.cancel()
        return True

    async def logout(self) -> None:
        """Log out, if the agent offers that (C-056); raises `UserError`."""
        name = self._launch.name
        if not self._info.capabilities.logout:
            raise UserError(f"{name} offers no logout")
        try:
            with anyio.fail_after(ANSWERING):
                await self._connection.request(*self._dialect.logout())
        except TimeoutError:
            raise UserError(reasons.unanswered(name, ANSWERING, "to log out")) from None
        except (AgentError, ConnectionLost) as error:
            raise UserError(f"{name} did not log out: {error}") from error
        self._tried = False

    async def status(self) -> AuthStatus | None:
        """Return whether the agent is logged in, if it tells that; its refusal is no harm."""
        if not self._info.capabilities.auth_status:
            return None
        try:
            answer = await self._connection.request(*self._dialect.auth_status())
        except (AgentError, ConnectionLost):
            return None
        return self._dialect.decode_auth_status(answer)

    async def _by_agent(self, method: Method) -> None:
        call = self._dialect.authenticate(method.id)
        try:
            await self._connection.request(*call)
        except (AgentError, ConnectionLost) as error:
            said = f"the login to {self._launch.name} by {method.name} failed: {error}"
            raise UserError(f"{said}. :Acp login tries again") from error

    async def _in_terminal(self, method: Method, terminals: LoginTerminals) -> None:
        check(self._launch, method)
        title = f"{self._launch.name}: {' '.join(shown(self._launch, method)).lstrip()}"
        code = await terminals.run(title, program(self._launch, method))
        if code != 0:
            how = "its terminal was closed" if code is None else f"exit code {code}"
            said = f"the login to {self._launch.name} by {method.name} failed ({how})"
            raise UserError(f"{said}. :Acp login tries again")


def is_refusal(error: BaseException | None) -> bool:
    """Tell whether the agent wants a login; also of a `UserError` that was made from its error."""
    cause = error if isinstance(error, AgentError) else getattr(error, "__cause__", None)
    return isinstance(cause, AgentError) and cause.code == Code.AUTH_REQUIRED


def check(launch: Launch, method: Method) -> None:
    """Raise `UserError` for what cannot be shown as it is, or would be another program."""
    bad = [name for name, _ in method.env if is_dangerous(name)]
    if bad:
        said = f"{launch.name} wants to set {', '.join(bad)} for its login"
        raise UserError(f"{one_line(said, 120)}: refused, for that can run anything")
    text = " ".join(shown(launch, method)).lstrip()
    if len(text) > MOST_SHOWN or not text.isprintable():
        said = f"what {launch.name} wants to run for its login cannot be shown as it is: refused"
        raise UserError(f"{said}. Log in with its own program")


def shown(launch: Launch, method: Method) -> tuple[str, str]:
    """Return the variables and the command of a terminal method, whole, as they could be typed."""
    variables = (f"{name}={value}" for name, value in dict(method.env).items())
    return shlex.join(variables), shlex.join(program(launch, method).argv)


def program(launch: Launch, method: Method) -> LoginProgram:
    """Return what a terminal method runs: the agent as configured, and some more (C-058)."""
    everything = launch.env if launch.env is not None else os.environ
    inherited = {name: it for name, it in everything.items() if name not in OF_A_TERMINAL}
    return LoginProgram(
        argv=(os.path.expanduser(launch.command), *launch.args, *method.args),
        env={**inherited, **dict(method.env)},
        cwd=launch.cwd,
    )
