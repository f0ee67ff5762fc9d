"""The permission bits of a file that agents replace and remove, and which it gets back."""

from __future__ import annotations

from msgspec.structs import replace

from acp_nvim.history.attributes import NO_FILE, FileAttributes
from acp_nvim.history.author import Author
from acp_nvim.history.change import saw, wrote
from acp_nvim.history.file import File
from acp_nvim.history.fold import begin
from acp_nvim.history.switch import mode_after, redo, undo

ONE = Author("gemini", "s", 1, 1.5)
TWO = Author("gemini", "s", 2, 2.5)
NEW = FileAttributes(inode=NO_FILE)


def form(*found: tuple[int, int], gone: bool = False) -> tuple[int, int]:
    """Return mode and what was given after an agent has met these, removed in the end."""
    at = FileAttributes()
    for number, (mode, given) in enumerate(found, 1):
        left = FileAttributes(mode, given=given)
        at = at.then(left, gone=gone and number == len(found))
    return at.mode, at.given


def test_what_it_was_before_agents_is_known() -> None:
    assert form((0o755, 0)) == (0, 0)
    assert form((0o755, 0o644)) == (0o755, 0o644)
    assert form((0o755, 0o644), (0o644, 0o600)) == (0o755, 0o600)
    assert form((0o755, 0o644), (0o644, 0o755)) == (0o755, 0)
    assert form((0o755, 0o644), (0o644, 0)) == (0o755, 0o644)
    assert form((0o755, 0o644), (0o644, 0), gone=True) == (0o755, 0)
    assert form((0o755, 0), gone=True) == (0o755, 0)


def test_what_the_user_has_given_it_in_between_counts() -> None:
    assert form((0o755, 0o644), (0o700, 0o600)) == (0o700, 0o600)
    assert form((0o755, 0o644), (0o700, 0), gone=True) == (0o700, 0)


def test_a_file_that_is_made_anew_was_what_it_was() -> None:
    gone = FileAttributes().then(FileAttributes(0o755, inode=7), gone=True)
    anew = gone.then(replace(NEW, given=0o644), gone=False)
    assert (anew.mode, anew.given, anew.inode) == (0o755, 0o644, 7)
    new = FileAttributes().then(replace(NEW, given=0o644), gone=False)
    assert (new.mode, new.given) == (0, 0)


def dressed(ledger: File) -> File:
    return replace(ledger, attributes=FileAttributes(0o755, given=0o644))


def test_it_comes_back_with_the_last_of_the_turns_and_goes_with_the_first() -> None:
    both = dressed(wrote(wrote(begin("a\nb\n"), "A\nb\n", ONE, 1.0), "A\nB\n", TWO, 2.0))
    one = undo(both, TWO, "x", 3.0).file
    none = undo(one, ONE, "y", 4.0).file
    assert mode_after(both, one, 0o644) == 0
    assert mode_after(one, none, 0o644) == 0o755
    assert mode_after(none, redo(none, "y").file, 0o755) == 0o644


def test_what_others_have_given_it_since_stays() -> None:
    one = dressed(saw(wrote(begin("a\nb\n"), "A\nb\n", ONE, 1.0), "A\nb\nmine\n", 2.0))
    none = undo(one, ONE, "y", 4.0).file
    assert mode_after(one, none, 0o600) == 0
    assert mode_after(one, none, 0o644) == 0o755
    assert mode_after(one, none, None) == 0o755
