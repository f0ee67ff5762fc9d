"""Files that the user has converted."""

from __future__ import annotations

from pathlib import Path

from acp_nvim.history.change import wrote
from acp_nvim.history.file import File
from acp_nvim.history.fold import begin
from acp_nvim.review.recode import recoded
from acp_nvim.storage.entries import entry_of, text_of
from acp_nvim.storage.record import loaded
from tests.support.files.file_rig import FileRig, author

READ = "café\nnaïve\nend\n"


def history(before: str, after: str) -> File:
    """Return what an agent's turn leaves."""
    return wrote(begin(before), after, author(), 1.0)


async def test_what_the_user_converts_is_the_users(tmp_path: Path) -> None:
    rig = FileRig(tmp_path.resolve())
    path = rig.file(READ.encode("latin-1"))
    await rig.agent(path, "caf\udce9\nEND\n")
    path.write_bytes("café\nEND\n".encode())
    assert await rig.hunks(path) == [(1, "naïve|end", "END")]
    await rig.undo()
    assert path.read_bytes() == READ.encode()


async def test_what_an_agent_converts_is_a_change(tmp_path: Path) -> None:
    rig = FileRig(tmp_path.resolve())
    path = rig.file(READ.encode("latin-1"))
    await rig.agent(path, READ)
    assert await rig.hunks(path) == [(0, "caf\udce9|na\udcefve", "café|naïve")]
    await rig.review.reject(str(path))
    assert path.read_bytes() == READ.encode("latin-1")


def test_other_ledgers_stay_as_they_are() -> None:
    mine = history(READ, "café\n")
    assert recoded(mine, "café\nbad \udce9\n", "") is mine
    assert recoded(mine, "other\n", "") is mine
    assert recoded(mine, "caf\udce9!\n", "") is mine


def test_exact_texts_are_kept_on_disk_as_they_are() -> None:
    text = "\udd16\ufeffa\n\udcff\udc80😀\n\udd00€\n"
    facts = history(text, f"{text}more\n").facts
    assert [entry_of(loaded(text_of(it))) for it in facts] == [*facts]


def test_a_line_that_is_back_is_as_it_was() -> None:
    converted = history("caf\udce9\nend\n", "café\nend\n")
    assert recoded(converted, "caf\udce9\nend\n", "latin1") is converted
