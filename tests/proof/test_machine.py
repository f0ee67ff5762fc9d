"""The short run of the proof; `long_run.py` is the long one, with other plans each time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, note, settings

from tests.proof.ledger_plans import Act, LedgerMachine
from tests.proof.ledger_plans import plans as ledger_plans
from tests.proof.machine import Machine
from tests.proof.steps import (
    Coded,
    Decides,
    DoubleWrites,
    Edit,
    EndsTurn,
    Kills,
    Outside,
    OwnWrite,
    Returns,
    Runs,
    Step,
    TakesBack,
    Tool,
    User,
    Writes,
    plans,
    text,
)
from tests.proof.world import World

SHORT = settings(
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


INSERT = (Edit("insert", 0),)
FOUND: dict[str, list[Step]] = {
    "a command puts a file away and back, in which another agent has written meanwhile": [
        DoubleWrites(0, 0, INSERT, disk_first=False, between="nothing", stale=False),
        Runs(0, "swap", 0, 1),
        DoubleWrites(1, 0, (Edit("amend", 0),), disk_first=False, between="nothing", stale=False),
        Runs(0, "swap", 0, 1),
        Returns(0),
        Writes(0, 0, (Edit("amend", 0),), stale=True, meanwhile=0),
    ],
    "a line that the user saves and takes out, and a tool writes before anybody has looked": [
        User("insert", 0, 0, 0),
        User("save", 0, 0, 3),
        Tool(0, 0, INSERT, way="in place", told=False, twice=False),
        User("delete", 0, 1, 0),
    ],
    "an agent writes its old text after all that its command had made was taken back": [
        DoubleWrites(0, 0, INSERT, disk_first=False, between="nothing", stale=False),
        Runs(0, "swap", 0, 1),
        TakesBack(0, returns=False),
        DoubleWrites(0, 0, (Edit("insert", 3),), disk_first=True, between="save", stale=True),
    ],
    "an agent with an old text adds a line where a script of the user's has added one": [
        OwnWrite("script", 1, 0, 0),
        Writes(0, 0, INSERT, stale=False, meanwhile=0),
        OwnWrite("script", 1, 0, 0),
        Writes(0, 0, (Edit("insert", 10),), stale=True, meanwhile=0),
    ],
    "the user drops the buffer that stands against what an agent made of rejected lines": [
        DoubleWrites(
            1,
            0,
            (Edit("amend", 0), Edit("amend", 1)),
            disk_first=False,
            between="nothing",
            stale=False,
        ),
        Decides("reject", "hunk", 0, 0),
        Tool(1, 0, (Edit("amend", 0),), way="in place", told=False, twice=True),
        User("drop", 0, 0, 0),
    ],
    "a refused write has looked at what stands on the disk": [
        User("above", 0, 0, 0),
        DoubleWrites(0, 0, INSERT, disk_first=True, between="undo", stale=False),
        User("drop", 0, 0, 0),
        Writes(0, 0, INSERT, stale=False, meanwhile=0),
    ],
    "a file that an agent makes where the user has an empty buffer of that name": [
        User("delete", 4, 0, 0),
        DoubleWrites(0, 4, INSERT, disk_first=True, between="nothing", stale=False),
    ],
    "the user drops the buffer that an agent's text stands against, which has their line": [
        User("insert", 0, 0, 0),
        Tool(1, 0, INSERT, way="in place", told=False, twice=True),
        User("insert", 0, 1, 0),
        Tool(1, 0, INSERT, way="in place", told=False, twice=True),
        User("drop", 0, 0, 0),
    ],
    "a found line that another agent has replaced, and only the sure is undone": [
        Writes(0, 0, (Edit("amend", 0),), stale=False, meanwhile=0),
        Kills(flushed=False),
        OwnWrite("script", 1, 0, 1),
        Writes(0, 0, (Edit("amend", 8),), stale=False, meanwhile=0),
        Writes(1, 0, INSERT, stale=False, meanwhile=0),
    ],
    "a file that an agent has written before the user opens it in its encoding": [
        Coded(2, 1),
        Writes(0, 2, INSERT, stale=False, meanwhile=0),
        Tool(0, 2, (Edit("insert", 2),), way="in place", told=False, twice=False),
        User("undo", 2, 0, 0),
    ],
    "a line typed beside one that the agent has written, and the file is replaced": [
        User("insert", 1, 0, 0),
        DoubleWrites(1, 0, INSERT, disk_first=False, between="nothing", stale=False),
        User("insert", 0, 0, 0),
        DoubleWrites(1, 0, INSERT, disk_first=True, between="typing", stale=False),
        Runs(0, "swap", 0, 1),
    ],
    "a rejected line that an agent has written through us, and writes late once more": [
        DoubleWrites(1, 0, INSERT, disk_first=False, between="nothing", stale=False),
        Writes(0, 0, INSERT, stale=False, meanwhile=0),
        DoubleWrites(
            1, 0, (*INSERT, Edit("insert", 2)), disk_first=False, between="nothing", stale=True
        ),
        Decides("reject", "hunk", 0, 0),
        DoubleWrites(1, 0, INSERT, disk_first=False, between="nothing", stale=True),
    ],
    "a file that the user reads anew after a conflict, and that is another by then": [
        DoubleWrites(0, 0, INSERT, disk_first=False, between="nothing", stale=False),
        TakesBack(0, returns=False),
        Tool(0, 0, INSERT, way="in place", told=True, twice=False),
        Runs(0, "remove", 0, 0),
        User("drop", 0, 0, 0),
        Tool(0, 0, INSERT, way="in place", told=False, twice=False),
        User("insert", 0, 0, 0),
    ],
    "a new file that the user writes without an event, types on, and an agent writes": [
        User("quiet save", 4, 0, 0),
        User("insert", 4, 0, 0),
        Tool(0, 4, INSERT, way="in place", told=True, twice=False),
    ],
    "a line that the user has deleted, and an agent changed on disk before a kill": [
        User("delete", 1, 1, 0),
        Tool(0, 1, (Edit("amend", 1),), way="in place", told=False, twice=True),
        Kills(flushed=True),
    ],
    "a line that was rejected, is refused as a conflict, and comes to the disk all the same": [
        DoubleWrites(1, 2, (*INSERT, *INSERT), disk_first=False, between="nothing", stale=False),
        Decides("reject", "hunk", 2, 0),
        DoubleWrites(1, 2, (Edit("amend", 0),), disk_first=False, between="nothing", stale=True),
    ],
    "a refused line that an agent has in all that it writes after that": [
        Writes(0, 2, (Edit("insert", 7),), stale=False, meanwhile=2),
        Tool(0, 2, (Edit("insert", 7),), way="in place", told=False, twice=False),
        DoubleWrites(0, 2, INSERT, disk_first=False, between="nothing", stale=True),
    ],
    "a line of the user's that one turn has amended, and the next one the line beside it": [
        User("insert", 0, 4, 0),
        Writes(0, 0, (Edit("insert", 5), Edit("amend", 6)), stale=False, meanwhile=0),
        Kills(flushed=False),
        Writes(0, 0, (*INSERT, Edit("amend", 6)), stale=False, meanwhile=0),
    ],
    "a line in between those of another agent, all of which are there: no conflict": [
        DoubleWrites(1, 4, INSERT, disk_first=False, between="undo", stale=False),
        Writes(0, 4, (*INSERT, *INSERT), stale=False, meanwhile=0),
        Tool(1, 4, (*INSERT, *INSERT, Edit("insert", 3)), way="in place", told=True, twice=False),
        Decides("reject", "part", 0, 0),
    ],
    "a new file that the user has saved and rejected, and an agent makes anew": [
        DoubleWrites(0, 4, INSERT, disk_first=False, between="save", stale=False),
        Decides("reject", "hunk", 0, 0),
        Tool(0, 4, INSERT, way="in place", told=False, twice=False),
        Decides("reject", "all", 0, 0),
    ],
    "a file that a command has removed, and the user brings back without an event": [
        User("insert", 0, 0, 0),
        DoubleWrites(0, 0, INSERT, disk_first=False, between="nothing", stale=False),
        Runs(0, "remove", 0, 0),
        Decides("keep", "hunk", 0, 0),
        User("quiet save", 0, 0, 0),
    ],
    "the user's line beside one of an agent's own tool, saved without an event": [
        User("insert", 0, 0, 0),
        Tool(0, 0, INSERT, way="in place", told=True, twice=False),
        User("quiet save", 0, 0, 0),
    ],
    "a file written as it was without an event, and an agent changes the line that is typed on": [
        User("quiet save", 0, 0, 3),
        User("insert", 0, 0, 0),
        Tool(0, 0, (Edit("insert", 1),), way="in place", told=False, twice=False),
    ],
    "a turn is taken back, and what is refused after that comes to the disk without later lines": [
        Writes(1, 0, INSERT, stale=False, meanwhile=0),
        DoubleWrites(0, 0, (Edit("insert", 9),), disk_first=False, between="typing", stale=False),
        Tool(1, 0, (*INSERT, Edit("insert", 11)), way="in place", told=True, twice=False),
        TakesBack(0, returns=False),
        User("save", 0, 0, 0),
        DoubleWrites(1, 0, INSERT, disk_first=False, between="nothing", stale=True),
    ],
    "a write taken in part, and the same agent's next one": [
        Writes(1, 3, (*INSERT, Edit("insert", 2)), stale=False, meanwhile=2),
        Writes(0, 3, INSERT, stale=False, meanwhile=0),
        Writes(1, 3, (Edit("insert", 1),), stale=True, meanwhile=0),
    ],
    "a line of the user's that an agent amends after a command has removed the file": [
        Writes(0, 0, (*INSERT, *INSERT), stale=False, meanwhile=0),
        Writes(0, 0, (Edit("insert", 10),), stale=False, meanwhile=1),
        Runs(0, "remove", 0, 0),
        Writes(0, 0, (Edit("amend", 1),), stale=False, meanwhile=0),
    ],
    "a file that the user has saved is removed, which the user keeps, and made anew": [
        User("save", 0, 0, 0),
        Runs(0, "remove", 0, 0),
        Decides("keep", "hunk", 0, 0),
        Tool(0, 0, INSERT, way="in place", told=False, twice=False),
        Decides("reject", "file", 0, 0),
    ],
    "a file whose removal is kept, which an agent writes as the buffer still has it": [
        DoubleWrites(0, 0, INSERT, disk_first=True, between="typing", stale=False),
        Runs(0, "remove", 0, 0),
        Decides("keep", "hunk", 0, 0),
        Writes(0, 0, INSERT, stale=False, meanwhile=0),
    ],
    "an empty file that the user has made, into which an agent writes": [
        User("save", 4, 0, 3),
        Tool(0, 4, INSERT, way="in place", told=False, twice=False),
    ],
    "a refused write, another one, and a kill": [
        User("insert", 0, 0, 0),
        User("above", 0, 0, 0),
        DoubleWrites(0, 0, INSERT, disk_first=True, between="undo", stale=False),
        Writes(0, 0, INSERT, stale=True, meanwhile=0),
        Kills(flushed=True),
    ],
    "an empty buffer, of whose file one line end is made": [
        User("insert", 4, 0, 0),
        DoubleWrites(0, 4, (Edit("delete", 1),), disk_first=True, between="undo", stale=False),
    ],
    "what only a merge has saved, and an older text after a conflict": [
        User("amend", 0, 0, 0),
        Tool(0, 0, (Edit("insert", 2),), way="in place", told=False, twice=True),
        User("insert", 0, 1, 0),
        Tool(0, 0, (Edit("insert", 2), INSERT[0]), way="in place", told=False, twice=False),
        Writes(0, 0, (Edit("amend", 0),), stale=True, meanwhile=0),
    ],
    "a file that one agent removes and another, which has read it in the buffer, makes anew": [
        User("insert", 0, 0, 0),
        User("save", 0, 0, 0),
        Runs(0, "remove", 0, 0),
        DoubleWrites(1, 0, INSERT, disk_first=True, between="nothing", stale=False),
        TakesBack(0),
    ],
    "a rejection that the user takes back, and a line typed beside it before any look": [
        User("above", 0, 0, 0),
        Writes(0, 0, (Edit("amend", 0),), stale=False, meanwhile=0),
        User("above", 0, 0, 0),
        Decides("reject", "hunk", 0, 0),
        DoubleWrites(0, 0, INSERT, disk_first=False, between="undo", stale=True),
        User("insert", 0, 0, 0),
    ],
    "two agents' texts stand against the user's, one upon the other, and the user reads anew": [
        User("insert", 0, 0, 0),
        Writes(1, 0, (Edit("insert", 9),), stale=False, meanwhile=1),
        DoubleWrites(
            1, 0, (*INSERT, Edit("amend", 1)), disk_first=False, between="nothing", stale=True
        ),
        Tool(0, 0, (Edit("replace", 0),), way="in place", told=True, twice=False),
        User("revert", 0, 0, 0),
    ],
    "a file that gets other line ends, and an agent's own tool writes it with its old ones": [
        DoubleWrites(0, 0, INSERT, disk_first=False, between="nothing", stale=False),
        Runs(0, "swap", 0, 1),
        DoubleWrites(0, 0, (Edit("insert", 1),), disk_first=False, between="nothing", stale=True),
    ],
    "a file that a command takes away below edits, which the user takes back then": [
        DoubleWrites(0, 0, INSERT, disk_first=False, between="nothing", stale=False),
        User("insert", 0, 0, 0),
        Runs(0, "remove", 0, 0),
        Returns(0),
        User("undo", 0, 0, 0),
        Decides("reject", "hunk", 0, 0),
    ],
    "an empty file of the user's that one agent removes and another makes anew": [
        User("save", 4, 0, 0),
        Runs(0, "remove", 4, 0),
        Writes(1, 4, INSERT, stale=False, meanwhile=0),
    ],
    "an agent's new file that it removes by a command, and the user amends in the buffer": [
        DoubleWrites(0, 4, INSERT, disk_first=False, between="undo", stale=False),
        Runs(0, "remove", 4, 0),
        DoubleWrites(0, 0, INSERT, disk_first=False, between="sweep", stale=False),
        User("amend", 4, 0, 0),
    ],
    "a line that the user saves twice, once without an event, and takes out": [
        User("insert", 0, 0, 0),
        User("save", 0, 0, 3),
        User("quiet save", 0, 0, 3),
        User("delete", 0, 1, 0),
    ],
    "an agent that may have made a line amends the one below it in a text without that": [
        DoubleWrites(0, 0, INSERT, disk_first=False, between="nothing", stale=False),
        Tool(1, 0, INSERT, way="in place", told=False, twice=False),
        Decides("keep", "hunk", 0, 0),
        Writes(1, 0, INSERT, stale=False, meanwhile=0),
        Decides("reject", "hunk", 0, 0),
        Writes(0, 0, (Edit("amend", 0),), stale=True, meanwhile=0),
    ],
    "what stands against the user's text is there once a hunk is rejected": [
        Writes(0, 0, (Edit("insert", 3), *INSERT, Edit("amend", 3)), stale=False, meanwhile=0),
        Writes(1, 0, (Edit("amend", 5),), stale=False, meanwhile=0),
        Outside("checkout", 0, INSERT),
        Decides("reject", "hunk", 0, 0),
    ],
    "what stands against the user's text is there once a turn is undone": [
        Writes(0, 1, (Edit("amend", 0),), stale=False, meanwhile=0),
        Writes(2, 1, (Edit("amend", 7),), stale=False, meanwhile=0),
        Outside("edit", 1, (*INSERT, Edit("amend", 2))),
        EndsTurn(2),
        Outside("checkout", 1, INSERT),
        EndsTurn(2),
        Writes(2, 0, INSERT, stale=False, meanwhile=0),
    ],
    "a line that the user deletes and an agent's tool amends, and takes out then": [
        User("global", 0, 2, 0),
        Tool(0, 0, (Edit("amend", 2),), way="in place", told=True, twice=False),
        Tool(0, 0, (Edit("delete", 2),), way="in place", told=False, twice=False),
    ],
    "an agent's own tool replaces a line that it has read and the user has not saved": [
        User("above", 0, 0, 0),
        DoubleWrites(0, 0, (Edit("replace", 0),), disk_first=True, between="look", stale=False),
    ],
    "an agent's own tool amends what another has added, and it writes without that": [
        Writes(0, 0, INSERT, stale=False, meanwhile=0),
        DoubleWrites(1, 0, INSERT, disk_first=False, between="nothing", stale=False),
        Tool(0, 0, (Edit("amend", 0),), way="in place", told=False, twice=False),
        DoubleWrites(0, 0, INSERT, disk_first=True, between="look", stale=False),
    ],
    "another program writes an open file right before an agent's write comes to the editor": [
        Writes(0, 0, INSERT, stale=False, meanwhile=2, by="another program"),
    ],
    "another program writes a closed file right before an agent's write comes to the disk": [
        Writes(0, 2, INSERT, stale=False, meanwhile=4, by="another program"),
    ],
}
"""Plans of long runs, each of which has shown a fault of the program."""


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """Yield one Neovim for all plans."""
    made = World()
    yield made
    made.close()


@settings(SHORT, max_examples=60)
@given(plans())
def test_nothing_of_the_users_is_ever_lost(world: World, plan: list[Step]) -> None:
    note(f"the plan:\n{text(plan)}")
    asyncio.run(Machine(world).run(plan))


@pytest.mark.parametrize("name", FOUND)
def test_what_a_long_run_has_found_is_repaired(world: World, name: str) -> None:
    asyncio.run(Machine(world).run(FOUND[name]))


@settings(SHORT, max_examples=30)
@given(plans(client=False))
def test_nothing_is_lost_where_agents_write_the_disk_alone(world: World, plan: list[Step]) -> None:
    note(f"the plan:\n{text(plan)}")
    asyncio.run(Machine(world).run(plan))


@settings(SHORT, max_examples=300)
@given(ledger_plans)
def test_the_ledger_of_a_file_loses_nothing(plan: list[Act]) -> None:
    LedgerMachine().run(plan)
