"""What may happen, as values that print themselves, and how Hypothesis draws them.

Numbers are taken modulo what there is (files, lines, hunks), so that every list of steps can be run
and shrinks by leaving out.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

Act: TypeAlias = Literal[
    "insert", "above", "amend", "replace", "delete", "join", "substitute", "global", "move", "copy",
    "undo", "redo", "save", "quiet save", "open", "close", "drop", "revert", "linger",
    "wipe", "reopen", "split", "rename", "save as",
]  # fmt: skip
Change: TypeAlias = Literal["insert", "amend", "replace", "delete"]
Way: TypeAlias = Literal["in place", "renamed over"]
Between: TypeAlias = Literal["nothing", "look", "sweep", "typing", "undo", "save", "turn"]
Amid: TypeAlias = Literal["typing", "saving", "wiping", "renaming", "splitting", "another program"]
Outsider: TypeAlias = Literal["edit", "save", "read", "checkout", "stash"]
Shell: TypeAlias = Literal["create", "remove", "rename", "swap"]


class Edit(Struct, frozen=True):
    """One place of an agent's edit."""

    change: Change
    at: int


class User(Struct, frozen=True):
    """The user acts in a file, which is opened if need be."""

    act: Act
    file: int
    at: int = 0
    to: int = 0


class Writes(Struct, frozen=True):
    """An agent writes through the client; `stale`: without having read again.

    Without `edits` it writes once more what it has in mind. `meanwhile`: the user acts between two
    of the client's calls, before the n-th; `by`: so.
    """

    session: int
    file: int
    edits: tuple[Edit, ...]
    stale: bool = False
    meanwhile: int = 0
    by: Amid = "typing"


class Tool(Struct, frozen=True):
    """A tool of the agent's writes the disk by itself; `told`: and the client hears of the file.

    `twice`: it sends the same through the client, too.
    """

    session: int
    file: int
    edits: tuple[Edit, ...]
    way: Way = "in place"
    told: bool = True
    twice: bool = False


class SavesFromInsert(Struct, frozen=True):
    """A tool of the agent's writes the file while the user types in it, and the user saves in the
    keystrokes that leave insert mode; `keys`: which ones."""

    session: int
    file: int
    edits: tuple[Edit, ...]
    at: int
    keys: int = 0


class DoubleWrites(Struct, frozen=True):
    """An agent writes the same text through the client and to the disk, as OpenCode and Kilo do.

    `disk_first`: in which order. `between`: what happens in the meantime; `stale`: the agent has
    not read the file again.
    """

    session: int
    file: int
    edits: tuple[Edit, ...]
    disk_first: bool = False
    between: Between = "nothing"
    stale: bool = False


class Runs(Struct, frozen=True):
    """A command of the agent's: files come, go, change their name or place; nobody is told."""

    session: int
    what: Shell
    file: int
    other: int


class Sweeps(Struct, frozen=True):
    """The client looks at all files, as it does after a command."""

    session: int


class EndsTurn(Struct, frozen=True):
    """The turn ends, and the session's next one begins; `told`: its prompt tells the agent what the
    user has decided."""

    session: int
    told: bool = False


class Decides(Struct, frozen=True):
    """The user keeps or rejects: a hunk, lines of it, a file, everything."""

    verdict: Literal["keep", "reject"]
    scope: Literal["hunk", "part", "file", "all"]
    file: int
    at: int


class TakesBack(Struct, frozen=True):
    """The user undoes a turn, the n-th from the end; `returns`: and at once again."""

    turn: int
    returns: bool = False


class Returns(Struct, frozen=True):
    """The user redoes what was taken back last."""

    session: int


class OwnWrite(Struct, frozen=True):
    """The user has the editor write another file, in whole or in part, or by a script; `session`:
    whose command is over then."""

    how: Literal["other", "part", "append", "script", "save as"]
    file: int
    other: int
    session: int = 0


class Outside(Struct, frozen=True):
    """Another program of the user's changes files on the disk, and nobody is told.

    "edit": one that reads and writes at once; "save": another editor, which has read the file when
    it last saved or "read" it, else at the beginning, and writes over what is there; "checkout" and
    "stash": git gives a file, or all, back as at the beginning, and at the next "stash" returns
    what was there.
    """

    how: Outsider
    file: int
    edits: tuple[Edit, ...] = ()


class Kills(Struct, frozen=True):
    """The host is killed, and another one goes on; `flushed`: its books were written before;
    `editor`: Neovim with it."""

    flushed: bool
    editor: bool = False


class Coded(Struct, frozen=True):
    """The plan begins with that file in another encoding than UTF-8."""

    file: int
    coding: int


class Pause(Struct, frozen=True):
    """Nothing; what a step shrinks to."""


Step: TypeAlias = (
    User
    | OwnWrite
    | Outside
    | Writes
    | Tool
    | DoubleWrites
    | SavesFromInsert
    | Runs
    | Sweeps
    | EndsTurn
    | Decides
    | TakesBack
    | Returns
    | Kills
    | Coded
    | Pause
)

SESSIONS = 3

files = st.sampled_from((0, 0, 0, 0, 1, 1, 2, 2, 3, 4))
places = st.integers(0, 11)
session = st.integers(0, SESSIONS - 1)
edits = st.lists(
    st.builds(Edit, st.sampled_from(("insert", "amend", "replace", "delete")), places),
    min_size=1,
    max_size=3,
).map(tuple)

TYPING = ("insert", "above", "amend", "replace", "delete", "undo", "save", "quiet save", "open")
COMMANDS = ("join", "substitute", "global", "move", "copy", "redo", "close", "drop", "revert")
WINDOWS = ("wipe", "reopen", "reopen", "reopen", "split", "rename", "save as")

typing = st.builds(User, st.sampled_from((*TYPING, "linger")), files, places, places)
commands = st.builds(User, st.sampled_from(COMMANDS), files, places, places)
windows = st.builds(User, st.sampled_from(WINDOWS), files, places, places)
writes = st.builds(
    Writes,
    session,
    files,
    st.integers(0, 5).flatmap(lambda rare: edits if rare else st.just(())),
    st.booleans(),
    st.sampled_from((0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8)),
    st.sampled_from(
        (*3 * ("typing",), "saving", "wiping", "renaming", "splitting", *2 * ("another program",))
    ),
)
tools = st.builds(
    Tool,
    session,
    files,
    edits,
    st.sampled_from(("in place", "renamed over")),
    st.booleans(),
    st.sampled_from((False, False, True)),
)
doubles = st.builds(
    DoubleWrites,
    session,
    files,
    edits,
    st.booleans(),
    st.sampled_from(("nothing", "look", "sweep", "typing", "undo", "save", "turn")),
    st.booleans(),
)
hasty = st.builds(SavesFromInsert, session, files, edits, places, st.integers(0, 4))
shells = st.builds(
    Runs, session, st.sampled_from(("create", "remove", "rename", "swap")), files, files
)
looks = st.one_of(st.builds(Sweeps, session), st.builds(EndsTurn, session, st.booleans()))
decisions = st.builds(
    Decides,
    st.sampled_from(("keep", "reject", "reject")),
    st.sampled_from(("hunk", "part", "file", "all")),
    files,
    places,
)
turns = st.one_of(
    st.builds(TakesBack, st.integers(0, 2), st.booleans()), st.builds(Returns, session)
)

own_writes = st.builds(
    OwnWrite,
    st.sampled_from(("other", "part", "append", "script", "save as")),
    files,
    files,
    session,
)
outsiders = st.builds(
    Outside,
    st.sampled_from(("edit", "edit", "save", "save", "read", "checkout", "stash", "stash")),
    files,
    edits,
)
kills = st.builds(Kills, st.booleans(), st.sampled_from((*7 * (False,), True)))


ALWAYS = (Coded(3, 0), Coded(2, 1))
"""In each plan one file is in Latin-1, and one in cp1251, which has no last line end; another has
line ends of DOS."""


def plans(
    *, review: bool = True, client: bool = True, outside: bool = True, most: int = 24
) -> st.SearchStrategy[list[Step]]:
    """Return lists of steps, about 16 long when drawn and as short as can be when shrunk.

    Without `client` no agent writes through it, as those of ACP v2: the disk says it all.
    Without `outside` no other program of the user's does between two steps.
    """
    kinds = [st.just(Pause()), *5 * (typing,), *2 * (commands,), *2 * (windows,)]
    if client:
        kinds += [*4 * (writes,), *4 * (tools,), *3 * (doubles,)]
    else:
        kinds += 8 * (tools.map(lambda step: replace(step, twice=False)),)
    kinds += [hasty, *2 * (shells,), *2 * (looks,), *2 * (own_writes,), kills]
    kinds += 2 * (outsiders,) if outside else ()
    if review:
        kinds += [*5 * (decisions,), *2 * (turns,)]
    # not one_of, which takes equal ones for one
    step = st.integers(0, len(kinds) - 1).flatmap(kinds.__getitem__)
    coded = st.lists(st.builds(Coded, files, st.integers(0, 8)), max_size=1)
    return st.tuples(coded, st.lists(step, min_size=8, max_size=most)).map(
        lambda drawn: [*ALWAYS, *drawn[0], *drawn[1]]
    )


def text(steps: list[Step]) -> str:
    """Return the steps that do something, one a line, ready to be pasted into a test."""
    return "\n".join(f"    {step!r}," for step in steps if not isinstance(step, Pause))
