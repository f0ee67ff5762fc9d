"""What the program says is said in the words of the field: one table has all of it.

`python -m tests.support.screen.sentences` prints the table.
"""

from __future__ import annotations

import re
import unicodedata

import pytest

from tests.support.screen.sentences import LUA, ROOT, sentences

NEVER = {
    "attach": r"\bgo(es)? along\b|\btakes? along\b",
    "redo": r"\breturned turn\b|\bto return\b",
    "is not a": r"(?i)(?<!there )\b(is|are) no (?!longer\b)",
    "steer": r"\bsaid into\b",
    "also, before the verb": r", too\b",
    "ignores": r"\btakes no key\b",
    "the command last and whole": r":Acp$",
}


def test_the_table_has_what_users_read() -> None:
    table = sentences()
    assert (
        "nothing to redo: no undo or rewind is left"
        in table["python/acp_nvim/commands/reviewing.py"]
    )
    assert "there is no chat: :AcpStart opens one" in table["lua/acp/chat/window.lua"]
    assert any("{} wants to write {}" in it for it in table["python/acp_nvim/view/attention.py"])
    assert sum(map(len, table.values())) > 300


@pytest.mark.parametrize("instead", NEVER)
def test_words_that_users_read_oddly_are_not_in_it(instead: str) -> None:
    found = [
        f"{path}: {text}"
        for path, said in sentences().items()
        for text in said
        if re.search(NEVER[instead], text)
    ]
    assert not found, f"say it with: {instead}"


def test_no_icon_takes_two_cells() -> None:
    """It would touch the word beside it in the two cells that a chat has for it."""
    sources = [*(ROOT / "python" / "acp_nvim" / "view").rglob("*.py"), *LUA.rglob("*.lua")]
    wide = {
        f"{path.name}: {char}"
        for path in sources
        for char in path.read_text(encoding="utf-8")
        if unicodedata.category(char) == "So" and unicodedata.east_asian_width(char) in "WF"
    }
    assert not wide
