"""Ledgers of earlier versions, and files that the user has converted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from acp_nvim.ledger.ledger import FileAttributes, Ledger, begin, wrote
from acp_nvim.review.recode import recoded, revived
from acp_nvim.storage.edits import LEDGERS, KeptLedger
from tests.support.files.file_rig import FileRig, author

READ = "café\nnaïve\nend\n"


def ledger(before: str, after: str) -> Ledger:
    """Return what an agent's turn leaves."""
    return wrote(begin(before), after, author(), 1.0)


async def test_a_ledger_of_an_earlier_version_brings_the_bytes_back(tmp_path: Path) -> None:
    rig = FileRig(tmp_path.resolve())
    path = rig.file(b"mine\ncaf\xe9\nEND\n")
    rig.edits.put(str(path), ledger(READ, "café\nEND\n"))
    assert await rig.hunks(path) == [(2, "naïve|end", "END")]
    assert (await rig.undo()).paths == (str(path),)
    assert path.read_bytes() == b"mine\ncaf\xe9\nna\xefve\nend\n"


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
    mine = ledger(READ, "café\n")
    assert recoded(mine, "café\nbad \udce9\n", "") is mine
    assert recoded(mine, "other\n", "") is mine
    assert recoded(mine, "caf\udce9!\n", "") is mine


def test_a_file_that_is_gone_is_in_the_encoding_that_was_kept() -> None:
    gone = replace(ledger("ж\n", None), form=FileAttributes(0o600, "cp1251"))
    back = revived(gone)
    assert back.form == FileAttributes(0o600)
    assert back.weave[0].lines == ("\0file", "\udce6\n")
    earlier = ledger("ж\n", None)
    weave = (replace(earlier.weave[0], lines=("\0file", "\ufeffж\n")),)
    wide = revived(replace(earlier, weave=weave, form=FileAttributes(0, "utf-16-le")))
    assert wide.weave[0].lines == ("\0file", "\udd16\ufeffж\n")


def test_exact_texts_are_kept_on_disk_as_they_are() -> None:
    text = "\udd16\ufeffa\n\udcff\udc80😀\n\udd00€\n"
    kept = LEDGERS.from_text(LEDGERS.to_text(KeptLedger("/a", ledger(text, f"{text}more\n"))))
    assert kept is not None
    assert kept.ledger.text == f"{text}more\n"


def test_a_line_that_is_back_is_as_it_was() -> None:
    converted = ledger("caf\udce9\nend\n", "café\nend\n")
    assert recoded(converted, "caf\udce9\nend\n", "latin1") is converted
