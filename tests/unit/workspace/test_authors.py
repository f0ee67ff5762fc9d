"""Whose change it is, of the sessions that there are."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from msgspec.structs import replace

from acp_nvim.files.roots import Roots
from acp_nvim.session.content import Text
from acp_nvim.session.event import (
    CancelRequested,
    Event,
    PromptSent,
    SessionOpened,
    SubAgentUpdated,
    ToolCallUpdated,
    TurnEnded,
)
from acp_nvim.session.log import Log
from acp_nvim.session.model import Location, ToolStatus
from acp_nvim.session.state import Entry, SessionState
from acp_nvim.workspace.authors import Authors
from acp_nvim.workspace.workspace import Workspace
from tests.unit.session.conversation import OPENED, after, turn

EPOCH = 100.0
SENT = PromptSent((Text("go"),))


def workspace(*states: tuple[SessionState, str]) -> Workspace:
    """Return a workspace with these sessions, each in a folder of its own."""
    sessions = [SimpleNamespace(state=state, id=state.id, folder=it) for state, it in states]
    stand = SimpleNamespace(
        epoch=EPOCH,
        sessions=lambda: sessions,
        session=lambda agent, session_id: next(
            (it for it in sessions if (it.state.agent, it.id) == (agent, session_id)), None
        ),
        roots=lambda session: Roots(session.folder),
    )
    return cast(Workspace, stand)


def running(*events: Event) -> str | None:
    """Return which turn of a session is the author of what happens now to a file of it."""
    found = Authors(workspace((after(OPENED, *events), "/p"))).of_path("/p/a")
    return found and f"{found.turn} {found.began} {found.prompt}"


def test_a_change_is_a_turns_from_when_the_agent_has_the_prompt_until_it_has_answered() -> None:
    assert running() is None
    assert running(turn("go", 1.0)) is None
    assert running(turn("go", 1.0), SENT) == "1 101.0 go"
    assert running(turn("go", 1.0), SENT, CancelRequested()) == "1 101.0 go"
    assert running(turn("go", 1.0), SENT, TurnEnded(2.0, "end_turn")) is None
    assert running(turn("go", 1.0), SENT, TurnEnded(2.0, "end_turn"), turn("on", 3.0)) is None


def test_what_an_agent_asks_for_is_its_own_at_any_time() -> None:
    ended = after(OPENED, turn("go", 1.0), SENT, TurnEnded(2.0, "end_turn"))
    fresh = after(OPENED)
    for state, number, began in ((ended, 1, 101.0), (fresh, 0, 0.0)):
        authors = Authors(workspace((state, "/p")))
        found = authors.of_session(state.agent, state.id or "")
        assert found is not None
        assert (found.turn, found.began) == (number, began)
    assert Authors(workspace()).of_session("agent", "s1") is None


def test_a_path_is_of_the_session_whose_folder_it_is_in() -> None:
    state = after(OPENED, turn("go", 1.0), SENT)
    authors = Authors(workspace((after(OPENED), "/p"), (state, "/q")))
    assert authors.of_path("/p/a") is None
    assert authors.of_path("/qq/a") is None
    assert authors.of_path("/q/a") is not None


def test_an_open_tool_call_that_names_the_file_makes_it_sure() -> None:
    def how(status: ToolStatus, kind: str, path: str, cwd: str = "/p") -> str | None:
        call = ToolCallUpdated(
            "c", kind=kind, status=status, locations=(Location("/p/a"),), raw_input="x > b"
        )
        state = after(OPENED, turn("go", 1.0), SENT, call)
        found = Authors(workspace((state, "/p"))).of_path(path)
        return found and found.how

    assert how("in_progress", "edit", "/p/a") == "named"
    assert how("in_progress", "edit", "/p/b") == "found"
    assert how("completed", "edit", "/p/a") == "found"
    assert how("in_progress", "read", "/p/a") == "found"
    assert how("in_progress", "execute", "/p/a") == "named"


def test_what_a_running_turn_leaves_is_only_found_but_what_it_asks_for_is_its_own() -> None:
    state = after(OPENED, turn("go", 1.0), SENT)
    authors = Authors(workspace((state, "/p")))
    assert [it.how for it, _ in authors.running()] == ["found"]
    served = authors.of_session(state.agent, state.id or "")
    assert served is not None and served.how == "named"


class Counted(Log[Entry]):
    """A log that knows how often one of its items was looked at."""

    __slots__ = ("looks",)

    def __getitem__(self, key: Any) -> Any:
        self.looks += 1 if isinstance(key, int) else len(range(*key.indices(len(self))))
        return super().__getitem__(key)


def test_whose_a_change_is_costs_the_same_in_a_long_turn() -> None:
    calls = (
        ToolCallUpdated(f"{number}", title="Read", status="completed") for number in range(3_000)
    )
    state = after(OPENED, turn("go", 1.0), SENT, *calls)
    entries = Counted(state.entries)
    entries.looks = 0
    state = replace(state, entries=entries)
    found = Authors(workspace((state, "/p"))).of_path("/p/a")
    assert found is not None
    assert (found.prompt, found.tool_call) == ("go", "2999")
    assert entries.looks < 2_000


def call(id: str, title: str, parent: str = "", path: str = "", **more: Any) -> ToolCallUpdated:
    """Return a call that is at work, perhaps of the sub-agent of another one."""
    where = (Location(path),) if path else ()
    known = {"kind": "edit", "status": "in_progress", "locations": where} | more
    return ToolCallUpdated(id, title, parent=parent, **known)


DELEGATED = (
    turn("go", 1.0),
    SENT,
    call("t1", "Tests for stats", kind="think"),
    call("t2", "Tests for stats", kind="think"),
    call("e1", "Edit a", "t1", "/p/a"),
    call("e2", "Edit b", "t2", "/p/b"),
)


def test_a_write_is_of_the_sub_agent_whose_call_names_the_file_else_of_the_agent() -> None:
    """All of them write by the one session of their agent."""
    state = after(OPENED, *DELEGATED)
    authors = Authors(workspace((state, "/p")))

    def whose(path: str) -> tuple[str, str, str]:
        found = authors.of_session(state.agent, state.id or "", path)
        assert found is not None and (found.turn, found.how) == (1, "named")
        return found.sub_agent, found.sub_name, found.tool_call

    assert whose("/p/a") == ("t1", "tests-for-stats", "e1")
    assert whose("/p/b") == ("t2", "tests-for-stats-2", "e2")
    assert whose("/p/c") == ("", "", "t2")
    both = after(call("e3", "Edit a", "t2", "/p/a"), state=state)
    unsure = Authors(workspace((both, "/p"))).of_session(state.agent, state.id or "", "/p/a")
    assert unsure is not None and unsure.sub_agent == ""
    assert authors.of_path("/p/a") == authors.of_session(state.agent, state.id or "", "/p/a")
    found = authors.of_path("/p/c")
    assert found is not None and (found.how, found.sub_agent) == ("found", "")


def test_what_a_sub_agent_does_in_its_session_is_a_part_of_its_agents_turn() -> None:
    state = after(OPENED, turn("go", 1.0), SENT, SubAgentUpdated("kid", "Tests", cwd=None))
    began = SessionState(state.agent, "/p", parent=state.id or "")
    kid = after(SessionOpened("kid"), call("e1", "Edit a", path="/p/a"), state=began)
    authors = Authors(workspace((state, "/p"), (kid, "/p")))
    found = authors.of_session(state.agent, "kid", "/p/a")
    assert found is not None
    assert (found.session, found.turn, found.began, found.prompt) == (state.id, 1, 101.0, "go")
    assert (found.sub_agent, found.sub_name, found.tool_call) == ("kid", "tests", "e1")
    assert found.reader_key == (state.agent, "kid")
    assert authors.of_path("/p/a") == found


def test_an_agent_that_is_its_own_sub_agent_ends_nothing() -> None:
    state = replace(after(OPENED, turn("go", 1.0), SENT), parent="s1")
    assert Authors(workspace((state, "/p"))).last(state) is not None
