"""What the mentions of a prompt name, as they are marked and explained while it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_nvim.files.roots import Roots
from acp_nvim.prompt.mentions import SPECIALS, Held, Mentions, named
from tests.support.fakes.fake_ports import FakeFiles, FakeSurroundings


@pytest.fixture
def roots(tmp_path: Path) -> Roots:
    (tmp_path / "src").mkdir()
    (tmp_path / "a b.py").touch()
    (tmp_path / "odd:2").touch()
    return Roots(str(tmp_path))


@pytest.mark.parametrize(
    ("line", "text", "what"),
    [
        ('ü @"a b.py", x', '@"a b.py"', "file"),
        (r"@a\ b.py.", r"@a\ b.py", "file"),
        ("(@src)", "@src", "folder: a link to it is attached"),
        ("@src/", "@src/", "folder: a link to it is attached"),
        ("@new.py", "@new.py", "file, as it is in its buffer"),
        ("@notes", "@notes", "buffer: its text is attached"),
        ("@diff!", "@diff", "what is not committed"),
        ('@"a b.py:2-3"', '@"a b.py:2-3"', "lines 2 to 3 of a b.py"),
        ("@new.py:7", "@new.py:7", "line 7 of new.py"),
        ("@odd:2", "@odd:2", "file"),
    ],
)
def test_what_names_something(roots: Roots, line: str, text: str, what: str) -> None:
    held = Held({f"{roots.cwd}/new.py"}, {"notes"})
    (found,) = named(line, roots, held)
    assert line.encode()[found.first : found.last].decode() == text
    assert (found.what, bool(found.name)) == (what, True)
    assert bool(found.path) == bool(found.lines) == what.startswith("line")


@pytest.mark.parametrize(
    "line", ["@none", "@../out", "@...", "@src:2", "@none.py:2", "@/etc/passwd"]
)
def test_what_names_nothing(roots: Roots, line: str) -> None:
    (found,) = named(line, roots, Held())
    assert (found.first, found.last, found.name) == (0, len(line), "")
    assert found.what == "names nothing: it is sent as text"


def test_a_line_without_a_mention(roots: Roots) -> None:
    assert list(named("me@b.org", roots, Held())) == []


def test_what_is_no_file_is_what_completion_offers() -> None:
    assert set(Mentions(FakeFiles(), FakeSurroundings())._specials) == set(SPECIALS)
