"""How an agent would be installed: the exact command, in a folder of its own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from acp_nvim.agents import PRESETS, Preset
from acp_nvim.registry.entry import Archive, Entry, Package, Way
from acp_nvim.registry.plan import NoWay, named, plan


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the only folder on the PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def have(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)


def robo(*ways: Way, elsewhere: bool = False) -> Entry:
    return Entry("robo", "Robo", "1.0.0", ways=ways, is_elsewhere=elsewhere)


NPM, PYPI = Package("npm", "@robo/cli", "1.0.0"), Package("pypi", "robo", "1.0.0")
CHECKED = Archive("https://example.org/robo", "robo", "ab" * 32)
UNCHECKED = Archive("https://example.org/robo", "robo")


def test_npm(programs: Path) -> None:
    have(programs, "npm")
    made = plan("robo", robo(NPM), None, "/data")
    assert made.shown == (
        f"{programs}/npm install --prefix /data/robo-1 --no-audit --no-fund @robo/cli@1.0.0"
    )
    assert made.folder == "/data/robo-1"


def test_uv_before_pipx(programs: Path) -> None:
    have(programs, "pipx")
    assert plan("robo", robo(PYPI), None, "/data").shown == (
        "env PIPX_HOME=/data/robo-1/tools PIPX_BIN_DIR=/data/robo-1/bin "
        f"{programs}/pipx install robo==1.0.0"
    )
    have(programs, "uv")
    assert plan("robo", robo(PYPI), None, "/data").shown == (
        "env UV_TOOL_DIR=/data/robo-1/tools UV_TOOL_BIN_DIR=/data/robo-1/bin "
        f"{programs}/uv tool install robo==1.0.0"
    )


def test_what_has_a_checksum_comes_first_and_what_has_none_last(programs: Path) -> None:
    assert plan("robo", robo(NPM, CHECKED), None, "/data").way == CHECKED
    assert plan("robo", robo(UNCHECKED, NPM), None, "/data").way == UNCHECKED
    have(programs, "npm")
    assert plan("robo", robo(UNCHECKED, NPM), None, "/data").way == NPM


def test_a_download_is_shown_with_what_it_is_held_to(programs: Path) -> None:
    shown = plan("robo", robo(CHECKED), None, "/data").shown
    assert shown == f"https://example.org/robo (sha256 {'ab' * 32}) into /data/robo-1"
    assert "no checksum" in plan("robo", robo(UNCHECKED), None, "/data").shown


def test_a_folder_that_is_there_is_not_taken(tmp_path: Path, programs: Path) -> None:
    os.symlink("/nowhere", tmp_path / "robo-1")
    assert plan("robo", robo(CHECKED), None, str(tmp_path)).folder == f"{tmp_path}/robo-2"


def test_a_preset_is_installed_as_it_says_itself(programs: Path) -> None:
    have(programs, "npm", "uv")
    for preset in PRESETS.values():
        if "|" in preset.install:
            continue
        made = plan(preset.name, None, preset, "/data")
        assert isinstance(made.way, Package)
        assert made.way.name in preset.install
        assert made.way.command == preset.command
        assert made.way.args == preset.args


@pytest.mark.parametrize(
    ("entry", "preset", "why"),
    [
        (robo(NPM), None, "robo needs npm, not found here"),
        (robo(NPM, PYPI), None, "robo needs npm, or uv or pipx, not found here"),
        (robo(elsewhere=True), None, "robo is not there for "),
        (robo(), None, "robo does not say how it is installed"),
        (None, PRESETS["goose"], "robo is installed by a script, run it yourself: curl "),
        (
            robo(Package("npm", "robo", "1" * 700)),
            None,
            "robo is refused: what installs it cannot be shown",
        ),
    ],
)
def test_why_one_cannot_be_installed(
    entry: Entry | None, preset: Preset | None, why: str, programs: Path
) -> None:
    if entry and "1" * 700 in str(entry):
        have(programs, "npm")
    with pytest.raises(NoWay) as raised:
        plan("robo", entry, preset, "/data")
    assert str(raised.value).startswith(why)


def test_an_entry_with_the_name_or_the_package_of_a_preset_is_the_same_agent() -> None:
    by_name = Entry("gemini", "Gemini", ways=(NPM,))
    by_package = Entry(
        "codex-cli", "Codex", ways=(Package("npm", "@agentclientprotocol/codex-acp"),)
    )
    other = robo(NPM)
    assert named((by_name, by_package, other)) == {
        "gemini": by_name,
        "codex": by_package,
        "robo": other,
    }
