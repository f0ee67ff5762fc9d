"""Follow-along: where the agents are, told to the user's scripts and shown in the editor (C-171).

`AcpLocation` is fired for every place, whether or not the editor follows. What moves is debounced:
an agent that reads fifty files is no film.
"""

from __future__ import annotations

import os.path
from collections import deque
from collections.abc import Iterable

import anyio
from msgspec import Struct

from acp_nvim.editor import Files, Follower, Notifier
from acp_nvim.errors import EditorError, FileProblem
from acp_nvim.files.live import load
from acp_nvim.files.roots import Roots
from acp_nvim.session.place import Place, line_of_change
from acp_nvim.signal import Signal

PAUSE = 0.2
"""Seconds from one move to the next."""
GONE_TO = "gone to"
MOST_PASSED = 20
"""Places that are remembered, while nobody follows, for who begins to."""
LIMIT = 10 * 1024 * 1024
"""Bytes of a file that is opened only to follow."""


class AgentId(Struct, frozen=True):
    """Who is somewhere: an agent, in a session of it."""

    agent: str
    session: str | None


class Location(Struct, frozen=True):
    """That an agent is at a place."""

    who: AgentId
    place: Place
    file: str | None
    """The resolved path of an existing file in the session's folders; None: nothing to open."""
    tool_call: str | None = None


class FollowAlong:
    """Collects places; calls return at once, `run` finds lines and moves the editor."""

    def __init__(self, files: Files, follower: Follower, notifier: Notifier) -> None:
        self._files = files
        self._follower = follower
        self._notifier = notifier
        self._configured = False
        self._enabled = False
        self._last: Location | None = None
        self._said: dict[AgentId, set[tuple[str, str, str, int | None]]] = {}
        self._changes: dict[tuple[AgentId, str | None, str], Location] = {}
        self._passed: deque[tuple[AgentId, Roots, str, Place]] = deque(maxlen=MOST_PASSED)
        """Places of which nobody knows yet whether they can be opened."""
        self._is_due = False
        self._is_refused = False
        self._busy = False
        self._wake = Signal()
        self._done = Signal()

    @property
    def enabled(self) -> bool:
        """Whether the editor goes along."""
        return self._enabled

    def configure(self, *, enabled: bool) -> None:
        """Take the user's option; what a command said counts until the option changes."""
        if enabled != self._configured:
            self._configured = enabled
            self.switch(enabled=enabled)

    def switch(self, *, enabled: bool) -> None:
        """Go along from now on, or no longer."""
        self._enabled = enabled
        if enabled:
            self._catch_up()
            self._due()
        else:
            self._is_due = False
            self._follower.stop()

    async def find_window(self) -> None:
        """Have a window that can be moved, by the user's wish."""
        await self._follower.start()

    def walked(self, who: AgentId, roots: Roots, tool_call: str, places: Iterable[Place]) -> None:
        """A tool call tells where the agent is."""
        said = self._said.setdefault(who, set())
        for place in places:
            if place.diff is None and (GONE_TO, tool_call, place.path, place.line) in said:
                continue
            if not (self._enabled or place.diff or place.guessed):
                self._tell(Location(who, place, None, tool_call))
                self._passed.append((who, roots, tool_call, place))
                continue
            self._catch_up()
            self._arrived(who, roots, tool_call, place)

    def _catch_up(self) -> None:
        """Find out which of the places that nobody has followed to can be opened."""
        passed = [*self._passed]
        self._passed.clear()
        for each in passed:
            self._arrived(*each)

    def _arrived(self, who: AgentId, roots: Roots, tool_call: str, place: Place) -> None:
        file = _file(roots, place.path)
        if place.guessed and file is None:
            return
        location = Location(who, place, file, tool_call)
        if place.diff is None:
            self._arrive(location, place.line)
        else:
            self._changes[who, tool_call, place.path] = location
            self._wake.set()

    def touched(self, who: AgentId, path: str, line: int | None) -> None:
        """The agent has read or written a file through the editor; the path is resolved."""
        self._catch_up()
        last = self._last
        is_here = last is not None and (last.who, last.file) == (who, path)
        if last is not None and is_here and line in (None, last.place.line):
            return  # its tool call has told the place already, and better
        self._arrive(Location(who, Place(path, line), path), line)

    def begin(self, who: AgentId) -> None:
        """A new turn begins, or the session is over: where the agent was is of no interest."""
        self._said.pop(who, None)
        passed = [it for it in self._passed if it[0] != who]
        self._passed = deque(passed, MOST_PASSED)
        if self._last is not None and self._last.who == who:
            self._last, self._is_due = None, False
            self._follower.clear()

    async def snapshot(self) -> dict[str, bool | str | int | None]:
        """Return what `inspect()` tells, once it is on screen."""
        if not self._enabled:
            return {"enabled": False}
        while self._changes or self._busy or (self._is_due and not self._is_refused):
            await self._done.wait()
        last = self._last
        return {
            "enabled": True,
            "path": last.file if last is not None else None,
            "line": last.place.line if last is not None else None,
            "winid": await self._follower.window(),
        }

    async def run(self) -> None:
        """Follow for ever; the caller's task group ends it."""
        while True:
            await self._wake.wait()
            self._busy = True
            try:
                worked = await self._look_up()
                worked |= await self._move()
            finally:
                self._busy = False
                self._done.pulse()
            if worked:
                await anyio.sleep(PAUSE)

    async def _look_up(self) -> bool:
        """Find the lines of changes in the text as the user sees it; False if there are none."""
        changes, self._changes = self._changes, {}
        for location in changes.values():
            line = None
            if location.file is not None and location.place.diff is not None:
                line = line_of_change(await self._text(location.file), location.place.diff)
            self._arrive(location, line)
        return bool(changes)

    async def _text(self, path: str) -> str:
        try:
            return (await load(self._files, path)).for_agent or ""
        except FileProblem:
            return ""

    def _arrive(self, location: Location, line: int | None) -> None:
        """Tell a place, and go there, unless its tool call has said so in this turn."""
        location = Location(
            location.who, Place(location.place.path, line), location.file, location.tool_call
        )
        self._tell(location)
        if location.file is None:
            return
        is_news = self._is_news(GONE_TO, location, location.file)
        self._is_news(GONE_TO, location, location.place.path)  # it need not be resolved again
        if not is_news:
            return
        last = self._last
        is_here = last is not None and (last.who, last.file) == (location.who, location.file)
        if line is not None or not is_here:  # a line is better than none
            self._last = location
            self._due()

    def _is_news(self, what: str, location: Location, path: str) -> bool:
        if location.tool_call is None:
            return True
        said = self._said.setdefault(location.who, set())
        key = (what, location.tool_call, path, location.place.line)
        is_news = key not in said
        said |= {key, (what, location.tool_call, path, None)}
        return is_news

    def _tell(self, location: Location) -> None:
        if not self._is_news("told", location, location.place.path):
            return
        data = {
            "agent": location.who.agent,
            "session": location.who.session,
            "path": location.place.path,
            "line": location.place.line or 0,
            "tool_call": location.tool_call,
        }
        plain = {key: value for key, value in data.items() if value is not None}
        self._notifier.event("AcpLocation", plain)

    def _due(self) -> None:
        if self._enabled and self._last is not None:
            self._is_due = True
            self._wake.set()

    async def _move(self) -> bool:
        """Show the newest place; True if the editor was asked to."""
        location, self._is_due = (self._last if self._is_due else None), False
        if location is None or location.file is None or not self._enabled:
            return False
        try:
            shown = await self._follower.show(location.file, location.place.line)
        except EditorError:
            return True  # as good as a file that cannot be shown
        self._is_refused = not shown
        if not shown and location is self._last:
            self._due()
        return True


def _file(roots: Roots, path: str) -> str | None:
    """Return the resolved path of a file that may be opened, else None."""
    try:
        real = roots.resolve(path)
        return real if os.path.isfile(real) and os.path.getsize(real) <= LIMIT else None
    except (FileProblem, OSError, ValueError):
        return None
