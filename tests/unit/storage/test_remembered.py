"""What the user chose last of an agent, on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_nvim.config import Defaults
from acp_nvim.storage.remembered import Choices


@pytest.fixture
def choices(tmp_path: Path) -> Choices:
    return Choices(lambda: str(tmp_path / "choices"))


def test_each_choice_is_the_last_of_its_kind(choices: Choices, tmp_path: Path) -> None:
    for key, value in [("mode", "a"), ("model", "m"), ("web", True), ("think", "low")]:
        choices.note("one", key, value)
    choices.note("one", "mode", "b")
    choices.note("two", "mode", "c")
    config = {"web": True, "think": "low"}
    assert choices.of("one") == Defaults(mode="b", model="m", config=config)
    assert choices.of("two") == Defaults(mode="c")
    assert choices.of("three") == Defaults()
    assert (tmp_path / "choices" / "choices.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"one": 5}', '{"one": "last"}', '{"one": {"mode": 7}}', "[" * 99_999]
)
def test_a_file_that_says_nothing_harms_nothing(
    choices: Choices, tmp_path: Path, text: str
) -> None:
    folder = tmp_path / "choices"
    folder.mkdir(mode=0o700)
    (folder / "choices.json").write_text(text)
    assert choices.of("one") == Defaults()
    choices.note("one", "mode", "a")
    assert choices.of("one") == Defaults(mode="a")


def test_a_folder_that_cannot_be_written_harms_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    choices = Choices(lambda: str(tmp_path / "file" / "choices"))
    choices.note("one", "mode", "a")
    assert choices.of("one") == Defaults()
