"""What is made of a registry's JSON, which somebody else has written."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_nvim.errors import UserError
from acp_nvim.registry.entry import Archive, Entry, Package, parse

HERE = "linux-x86_64"
SHA = "ab" * 32


def entry(**fields: Any) -> Entry | None:
    """Return what one agent's entry is read as."""
    told = {"id": "robo", "name": "Robo", "version": "1.0.0", "description": "It works."}
    found = parse(json.dumps({"version": "1.0.0", "agents": [told | fields]}), HERE)
    return found[0] if found else None


def way(kind: str, told: Any) -> Any:
    """Return the one way to install that is read, None if it is refused."""
    found = entry(distribution={kind: told})
    assert found is not None
    return found.ways[0] if found.ways else None


def binary(**fields: Any) -> Any:
    """Return how a program for this machine is read."""
    told = {"archive": "https://example.org/robo.tar.gz", "cmd": "./robo"}
    return way("binary", {HERE: told | fields})


def test_an_agent_with_all_three_ways() -> None:
    found = entry(
        license="MIT",
        repository="https://example.org/robo",
        distribution={
            "binary": {
                HERE: {
                    "archive": "https://example.org/robo.zip",
                    "sha256": SHA.upper(),
                    "cmd": "./bin/robo",
                    "args": ["acp"],
                    "env": {"A": "b"},
                }
            },
            "npx": {"package": "@robo/cli@1.0.0", "args": ["--acp"]},
            "uvx": {"package": "robo-acp==1.0.0", "cmd": "robo"},
        },
    )
    assert found == Entry(
        id="robo",
        title="Robo",
        version="1.0.0",
        about="It works.",
        website="https://example.org/robo",
        license="MIT",
        ways=(
            Archive("https://example.org/robo.zip", "bin/robo", SHA, ("acp",), {"A": "b"}),
            Package("npm", "@robo/cli", "1.0.0", "", ("--acp",)),
            Package("pypi", "robo-acp", "1.0.0", "robo"),
        ),
    )


@pytest.mark.parametrize(
    ("kind", "spec", "name", "version"),
    [
        ("npx", "robo", "robo", ""),
        ("npx", "robo@latest", "robo", ""),
        ("npx", "@a/b@1.0.0-rc.1", "@a/b", "1.0.0-rc.1"),
        ("uvx", "robo@1.2", "robo", "1.2"),
        ("uvx", "robo[acp]==1.2", "robo[acp]", "1.2"),
    ],
)
def test_a_package(kind: str, spec: str, name: str, version: str) -> None:
    assert (way(kind, {"package": spec}).name, way(kind, {"package": spec}).version) == (
        name,
        version,
    )


@pytest.mark.parametrize(
    "spec",
    [
        "",
        "--prefix=/",
        "-g",
        "git+ssh://evil/x",
        "https://evil/x.tgz",
        "file:../x",
        "../x",
        "a b",
        "a;b",
        "a/b",
        "a@$(x)",
        "a\n",
        "@a/../b",
        7,
        None,
        ["a"],
    ],
)
def test_what_is_no_package_is_not_installed(spec: Any) -> None:
    assert way("npx", {"package": spec}) is None
    assert way("uvx", {"package": spec}) is None


@pytest.mark.parametrize(
    "fields",
    [
        {"cmd": "../robo"},
        {"cmd": "/bin/sh"},
        {"cmd": "a/../b"},
        {"cmd": "-x"},
        {"cmd": ""},
        {"cmd": "a b"},
        {"cmd": "..\\robo"},
        {"archive": "file:///etc/passwd"},
        {"archive": "https://user:secret@example.org/x"},
        {"archive": "https://example.org:99999/x"},
        {"archive": "https://example.org/\x1b[2J"},
        {"archive": "ftp://example.org/x"},
        {"sha256": "short"},
        {"sha256": 5},
        {"args": ["\x1b[2J"]},
        {"args": "acp"},
        {"args": [1]},
        {"args": ["x"] * 65},
        {"env": {"A B": "x"}},
        {"env": {"A": "x\ny"}},
        {"env": ["A=b"]},
        {"env": {"NODE_OPTIONS": "--require ./x.js"}},
        {"env": {"LD_PRELOAD": "x.so"}},
    ],
)
def test_a_program_that_is_refused(fields: dict[str, Any]) -> None:
    assert binary() is not None
    assert binary(**fields) is None


@pytest.mark.parametrize("name", ["../robo", "Robo", "-x", "", "a" * 65, ".", "a/b", None, 3])
def test_an_agent_whose_name_could_be_a_path_is_left_out(name: Any) -> None:
    assert entry(id=name, distribution={}) is None


def test_one_that_is_wrong_costs_no_other() -> None:
    good = {"id": "good", "name": "Good", "distribution": {"npx": {"package": "good"}}}
    rows = [None, 3, [], {}, {"id": "x"}, {"id": "y", "name": {}}, good, good | {"name": "Again"}]
    found = parse(json.dumps({"agents": rows}), HERE)
    assert [it.title for it in found] == ["Good"]


def test_one_way_that_is_wrong_costs_no_other() -> None:
    found = entry(distribution={"binary": 3, "npx": {"package": "--x"}, "uvx": {"package": "robo"}})
    assert found is not None
    assert found.ways == (Package("pypi", "robo"),)


def test_a_program_for_other_machines() -> None:
    found = entry(
        distribution={"binary": {"darwin-aarch64": {"archive": "https://x/y", "cmd": "y"}}}
    )
    assert found is not None
    assert found.is_elsewhere
    assert not found.ways


def test_texts_are_safe_to_show_and_cut() -> None:
    found = entry(
        name="Ro\x1b[31mbo\u202e" + "x" * 999,
        description="a\nb" + "y" * 9_999,
        website="javascript:alert(1)",
        distribution={},
    )
    assert found is not None
    assert found.title.startswith("Ro␛[31mbo<U+202E>x")
    assert len(found.title) == 40
    assert len(found.about) == 300
    assert found.website == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<html>", "not JSON"),
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not a list of agents"),
        ('{"agents": {}}', "not a list of agents"),
        ('{"servers": []}', "not a list of agents"),
        ("null", "not a list of agents"),
    ],
)
def test_what_is_no_registry(text: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        parse(text, HERE)
