"""Plans of what an agent believes to be done, of removed files, and of saves out of insert mode."""

from __future__ import annotations

from tests.proof.steps import (
    Coded,
    Decides,
    DoubleWrites,
    Edit,
    EndsTurn,
    Outside,
    OwnWrite,
    Runs,
    SavesFromInsert,
    Step,
    Sweeps,
    TakesBack,
    Tool,
    User,
    Writes,
)

INSERT = (Edit("insert", 0),)
IN_DELETED = (Edit("delete", 2), Edit("amend", 5))
DONE: dict[str, list[Step]] = {
    "a turn that made a line, which was kept, and then removed the file is undone": [
        Tool(0, 0, INSERT, told=False),
        Decides("keep", "hunk", 0, 0),
        Runs(0, "remove", 0, 0),
    ],
    "an agent that was refused a text from before its own tool's lines writes it to the disk": [
        Writes(0, 0, ()),
        User("insert", 0, 2),
        Tool(0, 0, (*INSERT, *INSERT, *INSERT), told=False),
        Tool(0, 0, (Edit("insert", 6),), told=False),
        DoubleWrites(0, 0, (*INSERT, Edit("delete", 0)), stale=True),
    ],
    "an agent that was told that the user has gone on in its line writes that as it was": [
        DoubleWrites(1, 0, INSERT),
        User("amend", 0, 0, 0),
        EndsTurn(1, told=True),
        Writes(1, 0, (), stale=True),
    ],
    "an agent that was not told writes again what the user rejected of a line of both": [
        Writes(0, 0, INSERT, by="typing"),
        User("replace", 0, 0, 0),
        Writes(0, 0, (), by="typing"),
        Tool(0, 0, INSERT, told=False),
        Decides("reject", "hunk", 0, 0),
        DoubleWrites(0, 0, INSERT, stale=True),
    ],
    "an agent's tool goes on from what another's has brought again after it was rejected": [
        Tool(0, 0, (Edit("amend", 11),), told=False),
        Writes(1, 0, (), by="typing"),
        Decides("reject", "hunk", 0, 0),
        DoubleWrites(1, 0, INSERT, stale=True),
        Tool(0, 0, (Edit("amend", 3),), told=False),
    ],
    "an agent's tool and its write have again what was undone, which it was not told": [
        DoubleWrites(0, 0, INSERT),
        TakesBack(0),
        DoubleWrites(0, 0, (Edit("delete", 8),), disk_first=True, stale=True),
    ],
    "a file that a command has removed is typed into, and what was typed is dropped": [
        Runs(0, "remove", 0, 0),
        Decides("keep", "part", 0, 1),
        User("insert", 0, 0, 0),
        User("drop", 0, 0, 0),
    ],
    "an agent's tool and its write have made what u undoes, and it goes on from that": [
        DoubleWrites(0, 0, INSERT, disk_first=True),
        User("undo", 0, 0, 0),
        DoubleWrites(0, 0, (Edit("insert", 2),), stale=True),
    ],
    "a line is copied that an agent's tool has put in, before anybody has looked": [
        Coded(2, 1),
        Tool(0, 2, (Edit("insert", 6),), told=False),
        User("insert", 2, 6, 3),
        User("copy", 2, 6, 0),
        TakesBack(0),
    ],
    "what a tool has put in goes into git's stash and out of it before anybody has looked": [
        Tool(0, 0, INSERT, told=False),
        User("reopen", 0, 0, 0),
        Outside("stash", 0, INSERT),
        Outside("stash", 0, INSERT),
    ],
    "an agent goes on from a change that was rejected": [
        Writes(0, 0, INSERT),
        Decides("reject", "file", 0, 0),
        Writes(0, 0, (Edit("amend", 7),), stale=True),
    ],
    "an agent writes in the next turn what was rejected": [
        Writes(0, 0, INSERT),
        Decides("reject", "file", 0, 0),
        EndsTurn(0),
        Writes(0, 0, (), stale=True),
    ],
    "an agent writes twice in a turn what was rejected in between": [
        Writes(0, 0, INSERT),
        Decides("reject", "file", 0, 0),
        Writes(0, 0, (), stale=True),
    ],
    "an agent writes what was undone, of which a prompt has told": [
        Writes(0, 0, INSERT),
        EndsTurn(0),
        TakesBack(0),
        EndsTurn(0, told=True),
        Writes(0, 0, (), stale=True),
    ],
    "an agent writes what the user's `u` has taken back": [
        Writes(0, 0, INSERT),
        EndsTurn(0),
        User("undo", 0),
        EndsTurn(0),
        Writes(0, 0, (), stale=True),
    ],
    "an agent goes on from lines that it takes out, one of which was rejected as it was told": [
        Writes(0, 0, IN_DELETED),
        Decides("reject", "hunk", 0, 1),
        EndsTurn(0, told=True),
        User("insert", 0, 1, 0),
        Writes(0, 0, (Edit("amend", 5),), stale=True),
    ],
    "a file in another encoding is opened and edited right as an agent writes the disk": [
        Coded(2, 1),
        Writes(0, 2, (Edit("amend", 0),), stale=False, meanwhile=2, by="typing"),
    ],
    "a line is saved out of insert mode, and the buffer wiped out": [
        SavesFromInsert(0, 0, (Edit("insert", 2),), 0, 0),
        User("wipe", 0),
        Outside("edit", 0, INSERT),
    ],
    "a tool replaces another program's line, while the user saves out of insert mode": [
        Outside("edit", 0, (Edit("insert", 2),)),
        SavesFromInsert(0, 0, (Edit("replace", 2),), 0, 0),
    ],
    "a file is removed below an unsaved line": [
        User("insert", 0),
        Runs(0, "remove", 0, 0),
    ],
    "a file is removed below another program's line and one of the user's": [
        User("insert", 0),
        Outside("edit", 0, INSERT),
        Runs(0, "remove", 0, 0),
    ],
    "a file with an unsaved line is renamed, and that undone": [
        User("insert", 0),
        Runs(0, "rename", 0, 4),
        TakesBack(0),
        User("insert", 0),
    ],
    "a file is removed below an unsaved line, and its buffer dropped": [
        User("insert", 0),
        Runs(0, "remove", 0, 0),
        Sweeps(0),
        User("drop", 0),
    ],
    "the user makes a removed file anew in a buffer": [
        Coded(2, 1),
        Runs(0, "remove", 2, 2),
        User("insert", 2),
    ],
    "a file that a command removes, and the user goes on in its buffer": [
        User("save", 0),
        Runs(0, "remove", 0, 0),
        Sweeps(0),
        User("insert", 0),
    ],
    "a file that a command removes, and the user goes on in its buffer after an undo, too": [
        User("save", 0),
        Runs(0, "remove", 0, 0),
        Sweeps(0),
        User("insert", 0),
        TakesBack(0),
        User("insert", 0, 1),
    ],
    "what was rejected, and an agent that knows only its own text adds a line beside it": [
        DoubleWrites(1, 0, (Edit("insert", 1),)),
        Decides("reject", "hunk", 0, 0),
        Writes(1, 0, INSERT, stale=True),
    ],
    "what u took back of an agent's, and its own tool and a write through us have again": [
        DoubleWrites(2, 0, INSERT),
        User("undo", 0),
        Tool(2, 0, (Edit("insert", 2),), twice=True),
    ],
    "a line that an agent takes out, the user brings back and edits, and the agent writes on": [
        DoubleWrites(2, 0, (Edit("delete", 1),)),
        Decides("reject", "hunk", 0, 0),
        User("amend", 0, 1),
        Writes(2, 0, INSERT, stale=True),
    ],
    "other line ends are kept from the first line, and with them what an agent has put there": [
        Runs(0, "swap", 0, 1),
        Tool(0, 0, INSERT, told=False),
        Decides("keep", "hunk", 0, 0),
    ],
    "an empty file that an agent makes while the user types into it, and that it removes": [
        Writes(0, 4, (), meanwhile=2),
        Runs(0, "remove", 4, 0),
    ],
    "a turn is undone, and the agent's own tool and a write through us have its line again": [
        Tool(0, 0, INSERT, told=False),
        Writes(0, 0, ()),
        TakesBack(0),
        DoubleWrites(0, 0, (Edit("insert", 2),), disk_first=True, between="look", stale=True),
    ],
    "what an agent's own tool and a write have made of another's text is taken back by u": [
        Writes(0, 1, ()),
        Tool(2, 1, (Edit("insert", 8),), way="renamed over", told=False, twice=True),
        User("undo", 1),
        Writes(2, 1, INSERT, stale=True),
    ],
    "by u the user brings an agent's line into the file that the buffer was saved as": [
        DoubleWrites(0, 0, INSERT),
        User("replace", 0),
        OwnWrite("save as", 0, 4),
        DoubleWrites(0, 4, INSERT, disk_first=True, between="undo"),
    ],
    "a turn was undone, and what it made since stands against unsaved text: undo and redo": [
        Tool(0, 0, INSERT, told=False),
        TakesBack(0),
        User("insert", 0),
        Tool(0, 0, (Edit("insert", 1),), told=False),
        TakesBack(0, returns=True),
    ],
    "a command removes what the agent has written, and writes it again": [
        DoubleWrites(0, 0, INSERT),
        Runs(0, "remove", 0, 0),
        Writes(0, 0, (), stale=True),
    ],
    "a command removes what the agent has written, and writes it again; the turn is undone": [
        DoubleWrites(0, 0, INSERT),
        Runs(0, "remove", 0, 0),
        Writes(0, 0, (), stale=True),
        Writes(0, 0, (Edit("insert", 3),), stale=True),
        TakesBack(0),
    ],
    "the user rejects a hunk, and gives the rejection up with the buffer": [
        Tool(2, 0, INSERT, told=False, twice=True),
        SavesFromInsert(0, 0, INSERT, 0, 0),
        User("insert", 0),
        Decides("reject", "hunk", 0, 0),
        User("drop", 0),
        DoubleWrites(2, 0, (Edit("insert", 2),), stale=True),
    ],
    "the user takes a write back by u, and types another line in its place": [
        User("insert", 0),
        DoubleWrites(0, 0, (Edit("insert", 4),), between="undo"),
        SavesFromInsert(0, 0, INSERT, 3, 0),
        DoubleWrites(0, 0, INSERT, stale=True),
    ],
} | {
    f"the user saves out of insert mode, while a tool's edit waits, by the keys {keys}": [
        SavesFromInsert(0, file, (Edit("insert", 1),), 6, keys) for file in (0, 1)
    ]
    for keys in range(5)
}
