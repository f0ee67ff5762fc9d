"""Plans with other programs of the user's, and with kills."""

from __future__ import annotations

from tests.proof.steps import (
    Decides,
    DoubleWrites,
    Edit,
    EndsTurn,
    Kills,
    Outside,
    OwnWrite,
    Runs,
    Step,
    Sweeps,
    TakesBack,
    Tool,
    User,
    Writes,
)

INSERT = (Edit("insert", 0),)
OTHERS: dict[str, list[Step]] = {
    "a found line that another agent has replaced, and only the sure is undone": [
        Writes(0, 0, (Edit("amend", 0),), stale=False, meanwhile=0),
        Kills(flushed=False),
        OwnWrite("script", 1, 0, 1),
        Writes(0, 0, (Edit("amend", 8),), stale=False, meanwhile=0),
        Writes(1, 0, INSERT, stale=False, meanwhile=0),
    ],
    "a line that the user has deleted, and an agent changed on disk before a kill": [
        User("delete", 1, 1, 0),
        Tool(0, 1, (Edit("amend", 1),), way="in place", told=False, twice=True),
        Kills(flushed=True),
    ],
    "a line of the user's that one turn has amended, and the next one the line beside it": [
        User("insert", 0, 4, 0),
        Writes(0, 0, (Edit("insert", 5), Edit("amend", 6)), stale=False, meanwhile=0),
        Kills(flushed=False),
        Writes(0, 0, (*INSERT, Edit("amend", 6)), stale=False, meanwhile=0),
    ],
    "a refused write, another one, and a kill": [
        User("insert", 0, 0, 0),
        User("above", 0, 0, 0),
        DoubleWrites(0, 0, INSERT, disk_first=True, between="undo", stale=False),
        Writes(0, 0, INSERT, stale=True, meanwhile=0),
        Kills(flushed=True),
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
    "another program writes an open file right before an agent's write comes to the editor": [
        Writes(0, 0, INSERT, stale=False, meanwhile=2, by="another program"),
    ],
    "another program makes a rejected file anew right before its agent writes it again": [
        Writes(0, 4, (*INSERT, *INSERT), stale=False, meanwhile=0),
        Decides("reject", "hunk", 0, 0),
        Writes(0, 4, (*INSERT, *INSERT, Edit("insert", 3)), True, 1, by="another program"),
    ],
    "another program writes a closed file right before an agent's write comes to the disk": [
        Writes(0, 2, INSERT, stale=False, meanwhile=4, by="another program"),
    ],
    "another program amends a line, and an agent that has not read it amends that, too": [
        Writes(0, 0, (*INSERT, *INSERT), stale=False, meanwhile=0),
        Outside("edit", 0, (Edit("amend", 9),)),
        DoubleWrites(1, 0, INSERT, disk_first=False, between="nothing", stale=False),
        Writes(0, 0, (Edit("amend", 9),), stale=True, meanwhile=0),
    ],
    "another program makes a removed file anew right before its agent writes it": [
        Runs(0, "remove", 0, 0),
        Writes(0, 0, (*INSERT, Edit("amend", 5)), False, 1, by="another program"),
    ],
    "a file is put away and back, as the user has last written it and gone on from": [
        DoubleWrites(0, 0, INSERT, disk_first=False, between="save", stale=False),
        User("insert", 0, 0, 0),
        Outside("stash", 0),
        Outside("stash", 0),
    ],
    "the last turn of a new file is undone, while the disk has another program's text": [
        Writes(0, 4, (*INSERT, *INSERT), stale=False, meanwhile=0),
        User("delete", 4, 0, 0),
        Outside("edit", 4, (Edit("amend", 0),)),
        TakesBack(0),
    ],
    "a file that a command takes away below edits comes back by another program": [
        User("insert", 0, 0, 0),
        Runs(0, "remove", 0, 0),
        Decides("keep", "hunk", 0, 0),
        Outside("checkout", 0),
        TakesBack(0),
        Writes(0, 0, INSERT, stale=False, meanwhile=0),
    ],
    "what an agent's tool adds to another program's line, against the user's own": [
        User("insert", 0, 0, 0),
        Outside("edit", 0, (Edit("insert", 1),)),
        Kills(flushed=False, editor=False),
        Tool(0, 0, (Edit("insert", 1),), way="in place", told=True, twice=False),
        User("drop", 0, 0, 0),
    ],
    "a file that a command has taken away below edits, and the user saves as an empty one": [
        User("insert", 0, 0, 0),
        Runs(0, "remove", 0, 0),
        Kills(flushed=False, editor=False),
        User("rename", 0),
        User("save", 0),
        Tool(0, 0, INSERT, way="in place", told=False, twice=False),
    ],
    "what only a killed editor had in a file that was rejected": [
        Outside("edit", 4, INSERT),
        Decides("reject", "hunk", 0, 0),
        User("insert", 4, 0, 0),
        Kills(flushed=True, editor=True),
    ],
    "a kept line that another program takes out, and the turn that had made it is undone": [
        Writes(0, 0, (Edit("amend", 0),), stale=False, meanwhile=0),
        Decides("keep", "hunk", 0, 0),
        Outside("checkout", 0),
        TakesBack(0),
        Decides("reject", "file", 0, 0),
    ],
    "what has come and gone in a rejected hunk, as the turn that took it out is undone": [
        User("insert", 0, 0, 0),
        Writes(0, 0, (Edit("delete", 0),), stale=False, meanwhile=0),
        Writes(1, 0, (*INSERT, Edit("amend", 1)), stale=False, meanwhile=0),
        User("close", 0, 0, 0),
        Outside("checkout", 0),
        Decides("reject", "hunk", 0, 0),
        Outside("save", 0, INSERT),
        Sweeps(1),
    ],
    "an agent's tool writes a file with another program's line, and it sends that, too": [
        User("insert", 0, 0, 0),
        Outside("edit", 0, (Edit("insert", 1),)),
        Tool(0, 0, INSERT, way="in place", told=False, twice=True),
        Kills(flushed=False, editor=True),
    ],
    "an agent's tool adds to what stood against the user's text, and was written since": [
        User("copy", 0, 0, 0),
        Outside("edit", 0, INSERT),
        TakesBack(0),
        DoubleWrites(
            0,
            0,
            (Edit("amend", 0), *INSERT, Edit("delete", 0)),
            disk_first=True,
            between="look",
            stale=False,
        ),
        Tool(0, 0, (Edit("insert", 9),), way="in place", told=False, twice=False),
    ],
}
