"""What `:Acp install` installs: what pyproject.toml asks for and all of its needs, with hashes."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
ENTRY = re.compile(
    r"^(\S+)==(\S+)(?: ; ([^\\]*?))?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n", re.M
)
TEXT = (ROOT / "requirements.txt").read_text("utf-8")
LOCKED = {canonicalize_name(name): version for name, version, _, _ in ENTRY.findall(TEXT)}
HERE = {
    canonicalize_name(name)
    for name, _, marker, _ in ENTRY.findall(TEXT)
    if not marker or Marker(marker).evaluate()
}
"""What of it is for this machine; of the rest nothing is known here."""


def test_every_line_is_a_version_with_hashes() -> None:
    assert ENTRY.sub("", TEXT) == ""


@pytest.mark.parametrize("wanted", PROJECT["dependencies"])
def test_it_agrees_with_the_project_file(wanted: str) -> None:
    requirement = Requirement(wanted)
    assert requirement.specifier.contains(LOCKED[canonicalize_name(requirement.name)])


def test_nothing_that_these_need_is_missing() -> None:
    for name in HERE:
        for line in metadata.requires(name) or ():
            needed = Requirement(line)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                assert canonicalize_name(needed.name) in LOCKED, f"{name} needs {line}: make lock"


def test_nothing_else_is_there() -> None:
    wanted = {canonicalize_name(Requirement(line).name) for line in PROJECT["dependencies"]}
    for name in [*wanted]:
        wanted |= {canonicalize_name(Requirement(it).name) for it in metadata.requires(name) or ()}
    for name in [*wanted & HERE]:
        wanted |= {canonicalize_name(Requirement(it).name) for it in metadata.requires(name) or ()}
    assert LOCKED.keys() <= wanted
