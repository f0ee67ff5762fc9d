"""The sentences that a user reads when an agent cannot go on: what happened, and what to do.

Called by `Client`, and where a session is opened again.
"""

from __future__ import annotations

import re

from acp_nvim.client.launch import Launch
from acp_nvim.errors import AcpError, AgentError, Code, UserError
from acp_nvim.patterns import lazy_pattern
from acp_nvim.protocol.dialect import Dialect
from acp_nvim.protocol.negotiate import refused
from acp_nvim.protocol.records import AgentInfo
from acp_nvim.transport.link import MOST, Ended

LAST_LINES = 3
"""So many lines of stderr stand in the sentence; the log has more."""
_GONE = lazy_pattern(r"not found|(invalid|unknown|no such) session|does not exist", re.IGNORECASE)
"""How agents say without a code that they know a session no longer, when it is to be opened."""
_NO_SESSION = lazy_pattern(
    r"\bsession( ?id)?\b\W*([^\s'\"`]+\W+)?((is|was|has|does|could) )?"
    r"(not found|not be found|not exist|unknown|invalid|expired)\b"
    r"|\b(invalid|unknown|expired|no such|no active|no|find|find the) session\b",
    re.IGNORECASE,
)
"""How they say so of a prompt, for which much else may be not found."""


def silent(name: str, seconds: float) -> str:
    """Return what to say of an agent that does not answer `initialize`."""
    return (
        f"{name} has not answered for {seconds:.0f} seconds: "
        ":Acp log shows what it said, :Acp cancel ends it"
    )


def slow(name: str, seconds: float, to: str) -> str:
    """Return what to say of an agent that does not answer a request, `to` do something."""
    return (
        f"{name} has not answered the request {to} for {seconds:.0f} seconds: "
        f":Acp log {name} shows what it said, :Acp cancel gives the request up"
    )


def begun_unset(name: str, seconds: float) -> str:
    """Return what to say of a new session of which an agent does not say whether it is set up."""
    return (
        f"{name} has not answered within {seconds:.0f} seconds: "
        f"this session begins, though perhaps not as agents.{name}.defaults says"
    )


def unlisted(name: str, seconds: float) -> str:
    """Return what to say of an agent that does not tell its sessions."""
    return (
        f"{name} has not told its sessions within {seconds:.0f} seconds: the list has those that "
        f"acp.nvim knows, :Acp log {name} shows what it said"
    )


def unanswered(name: str, seconds: float, to: str) -> str:
    """Return what to say of a request that was given up by itself."""
    return (
        f"{name} has not answered the request {to} within {seconds:.0f} seconds, it is given up: "
        f":Acp log {name} shows what it said, :Acp restart {name} starts it again"
    )


def life(name: str, silence: float | None) -> str:
    """Return what to say of an agent elsewhere from whose machine nothing comes; None: again."""
    if silence is None:
        return f"{name} is there again"
    return (
        f"no sign of life of {name} for {silence:.0f} seconds: its server is stopped, or cannot be "
        f"reached; :Acp restart {name} connects anew"
    )


def behind(name: str) -> str:
    """Return what to say of a session that waits for another one of its agent."""
    return f"{name} opens another session first and has not answered yet: :Acp cancel there ends it"


def disturbed(name: str) -> str:
    """Return what to say of an agent whose stdout holds more than its messages."""
    said = f"{name} prints text among its messages, which are read all the same"
    return f"{said}: :Acp log {name} shows it"


def not_initialized(name: str, asked: Dialect, error: AgentError | UserError) -> str:
    """Return why nothing could be agreed upon with the agent (C-034, C-047)."""
    if isinstance(error, UserError):
        return f"{name}: {error}"
    if (said := refused(name, asked, error)) is not None:
        return said
    return f"{name} refused to initialize: {error}. See :Acp log {name}"


def is_gone(error: AcpError) -> bool:
    """Tell whether an agent cannot open a session again because it does not know it any more."""
    # agents tell this by the code of the protocol, or by words alone
    is_told = getattr(error, "code", None) == Code.RESOURCE_NOT_FOUND
    return is_told or _GONE.search(str(error)) is not None


def is_unknown(session_id: str, error: AgentError) -> bool:
    """Tell whether an agent refuses a prompt because it does not know the session any more."""
    is_named = session_id != "" and session_id in f"{error} {error.data}"
    is_told = error.code == Code.RESOURCE_NOT_FOUND and is_named
    return is_told or _NO_SESSION.search(str(error)) is not None


def is_lost(error: AgentError) -> bool:
    """Tell whether there is no way back to a session: it is gone, or the agent opens none again."""
    return error.code == Code.METHOD_NOT_FOUND or is_gone(error)


def anew(name: str, error: AgentError | None, *, is_said: bool) -> str:
    """Return that another session begins in place of an earlier one, and what becomes of that."""
    is_able = error is not None and error.code != Code.METHOD_NOT_FOUND
    why = "no longer knows this session" if is_able else "cannot load sessions"
    more = ", and the conversation is sent with your next prompt" if is_said else ""
    return f"{name} {why}: this one starts anew{more}"


def forgotten(name: str) -> str:
    """Return what to say when a prompt is refused because its session is not known any more."""
    return f"{name} did not take this prompt: it no longer knows the session, which is opened again"


def not_opened(name: str, error: AcpError, *, again: bool) -> str:
    """Return why there is no session, or not the earlier one `again`, and what to do (C-089)."""
    if not again:
        return f"{name} did not open a session: {error}. See :Acp log {name}"
    if is_gone(error):
        return f"{name} no longer knows this session: :Acp new {name} begins another one"
    said = f"{name} did not load this session: {error}"
    return f"{said}. :Acp new {name} begins another one, :Acp log {name} shows more"


def wants_login(launch: Launch, info: AgentInfo, *, tried: bool) -> str:
    """Return how to log in; `tried`: the user has just done so, to no avail (C-053)."""
    if not info.auth_methods:
        return no_way_in(launch)
    ways = ", ".join(f"{method.id} ({method.name})" for method in info.auth_methods)
    if tried:
        return (
            f"{launch.name} still wants you to log in, although you did: :Acp restart "
            f"{launch.name} may help, or :Acp login by another of these ways: {ways}"
        )
    return f"{launch.name} wants you to log in: :Acp login does it, by {ways}"


def no_way_in(launch: Launch) -> str:
    """Return how to log in to an agent that offers no way to do so in the editor (C-065)."""
    if launch.remote is not None:
        return (
            f"{launch.name} wants you to log in, and offers no way to do so here: set what it "
            f"wants in agents.{launch.name}.headers, then :Acp restart {launch.name}"
        )
    return (
        f"{launch.name} wants you to log in, and offers no way to do so here: run "
        f"`{launch.command}` in a terminal, log in there, then :Acp restart {launch.name}"
    )


def held() -> str:
    """Return what became of a prompt that the agent refused for want of a login (C-054)."""
    return (
        "This prompt waits in the queue. After the login send the empty prompt, or your next one: "
        "it is sent first"
    )


def mistake() -> str:
    """Return why a turn has ended with which something of ours went wrong."""
    return "acp.nvim made a mistake, see :checkhealth acp"


def still_runs() -> str:
    """Return what to say of a cancelled turn whose command in a terminal was left alone."""
    return "The turn is cancelled, a command of it still runs: :Acp terminals shows it"


def cannot_cancel(name: str) -> str:
    """Return what to say of work in the background that the agent keeps for itself."""
    return f"{name} works on in the background and lets nobody cancel that: :Acp stop ends it"


def skipped(name: str) -> str:
    """Return what to say of a message that nobody can read."""
    said = f"{name} sent a message of more than {MOST >> 20} MB: it was skipped"
    return f"{said}. :Acp log shows how it begins"


def strange_state(name: str, state: str) -> str:
    """Return what to say of a state that no version of the protocol that we know has."""
    shown = state if len(state) <= 40 else f"{state[:40]}…"
    return f"{name} says that it is in the state {shown!r}, which acp.nvim does not know"


def gone(launch: Launch, end: Ended, stderr: str, *, begun: bool) -> str:
    """Return how an agent went away that nobody told to; `begun`: it had answered before."""
    if end.problem is not None:
        return str(end.problem)
    if launch.remote is not None:
        return _lost(launch.name, end, begun=begun)
    return _ended(launch.name, end, stderr, begun=begun)


def _lost(name: str, end: Ended, *, begun: bool) -> str:
    """Return how the connection to a remote agent ended; once it had `begun` it is tried again."""
    said = f"the connection to {name} is lost ({end.how})"
    if not begun:
        return f"{said} before it answered: check its url. :Acp restart {name} tries again"
    return f"{said}: it is tried again, :Acp restart {name} does so at once"


def _ended(name: str, end: Ended, stderr: str, *, begun: bool) -> str:
    """Return how an agent ended that nobody told to, with its last words (C-024)."""
    when = "by itself" if begun else "before it answered"
    tail = " / ".join(stderr.strip().splitlines()[-LAST_LINES:])
    said = f": {tail}" if tail else ""
    back = "" if not begun else " and goes on with this session"
    return (
        f"{name} ended {when} ({end.how}){said}. "
        f":Acp restart {name} starts it again{back}, :Acp log {name} shows more"
    )
