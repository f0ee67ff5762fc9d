"""What `:checkhealth acp` says of the folders in which something is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_nvim.commands.health import kept_row


def test_files_are_counted_with_those_of_folders_below_but_no_links(tmp_path: Path) -> None:
    state = tmp_path / "acp.nvim"
    (state / "edits" / "lists").mkdir(parents=True)
    (state / "edits" / "lists" / "a.json").write_text("x" * 2000)
    (state / "edits" / "b.json").write_text("x" * 1000)
    (state / "edits" / "link").symlink_to(state / "edits" / "b.json")
    told = "edits: what agents have changed: 2 files, 3 kB"
    assert kept_row(state, "edits", "what agents have changed") == ("ok", told)
    assert (state / "edits").stat().st_mode & 0o777 == 0o700


def test_the_log_lies_among_the_folders(tmp_path: Path) -> None:
    state = tmp_path / "acp.nvim"
    (state / "log").mkdir(parents=True)
    (state / "log" / "traffic").write_text("x")
    (state / "host.log").write_text("12")
    assert kept_row(state, "", "the log of the host")[1] == "the log of the host: 1 files, 2 B"


@pytest.mark.parametrize("name", ["", "edits"])
def test_a_file_in_the_place_of_a_folder(tmp_path: Path, name: str) -> None:
    state = tmp_path / "acp.nvim"
    if name:
        state.mkdir()
    (state / name).write_text("")
    level, _, advice = kept_row(state, name, "what agents have changed")
    assert (level, advice) == ("error", "nothing is kept there: move it away")
