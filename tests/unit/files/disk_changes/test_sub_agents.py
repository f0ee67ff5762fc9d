"""Whose a change of the disk is, where several sub-agents of one turn have named the file."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from acp_nvim.files.attribution import Attribution
from acp_nvim.files.roots import Roots
from acp_nvim.history.author import Author

AGENT = Author("agent", "s", 1, 1.0, "call")
TESTS = replace(AGENT, sub_agent="t1", sub_name="tests")
DOCS = replace(AGENT, sub_agent="t2", sub_name="docs")


def whose(folder: Path, *named: Author) -> Author | None:
    """Return whose a change is that was found after these have named the file."""
    path = str(folder / "a.py")
    attribution = Attribution(lambda _path: None)
    for author in named:
        attribution.look(author, Roots(str(folder)), [path], sure=True)
    return attribution.whose(path, None)


def test_one_that_has_named_it_alone_has_made_it(tmp_path: Path) -> None:
    assert whose(tmp_path, TESTS) == TESTS
    assert whose(tmp_path, TESTS, TESTS) == TESTS
    assert whose(tmp_path, TESTS, replace(DOCS, how="found")) == TESTS


def test_of_several_none_is_sure_but_the_turn_is(tmp_path: Path) -> None:
    assert whose(tmp_path, TESTS, DOCS) == AGENT
    assert whose(tmp_path, TESTS, AGENT) == AGENT
    later = replace(DOCS, turn=2, began=2.0)
    assert whose(tmp_path, TESTS, later) == later
