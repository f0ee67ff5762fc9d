"""The list of agents: groups, columns, details, and what fits."""

from __future__ import annotations

import pytest

from acp_nvim.view.lists.agent_list import AgentRow, RegistryState, agent_list

ROWS = (
    AgentRow("gemini", "Gemini CLI", "here", "0.48.0", "~/.local/bin/gemini"),
    AgentRow("tutor", "The built-in tutorial", "here"),
    AgentRow(
        "codex", "Codex", "possible", "2.1.1", "npm: codex", details=(("about", "It codes."),)
    ),
    AgentRow("goose", "goose", "impossible", "", "is installed by a script"),
)
KNOWN = RegistryState("example.org", 39, 7_300.0)


def text(*opened: str, rows: tuple[AgentRow, ...] = ROWS, width: int = 80) -> list[str]:
    return [line.text for line in agent_list(rows, KNOWN, opened, width).lines]


def test_the_groups() -> None:
    assert text() == [
        "Registry example.org: 39 agents, fetched 2 h ago, R fetches anew",
        "",
        "Here",
        "● gemini  0.48.0  Gemini CLI · ~/.local/bin/gemini",
        "● tutor           The built-in tutorial",
        "",
        "Could be installed",
        "○ codex   2.1.1   Codex · npm: codex",
        "",
        "Cannot be installed from here",
        "· goose           is installed by a script",
    ]


def test_each_row_knows_its_agent_and_details_belong_to_it() -> None:
    shown = agent_list(ROWS, KNOWN, ("codex",), 80)
    assert shown.lines[8].text == "    about: It codes."
    assert shown.names[6:11] == ("", "codex", "codex", "", "")
    assert len(shown.names) == len(shown.lines)


def test_what_is_being_done_stands_in_place_of_how_it_could_be() -> None:
    row = AgentRow("codex", "Codex", "possible", what="npm: codex", does="3 of 80 MB are here")
    assert text(rows=(row,))[-1] == "○ codex  Codex · 3 of 80 MB are here"


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (RegistryState("x.org"), "Registry x.org: its list was not fetched yet, R fetches it"),
        (RegistryState("x.org", is_fetching=True), "Registry x.org: its list is being fetched …"),
        (
            RegistryState("x.org", 1, 5.0),
            "Registry x.org: 1 agent, fetched 5 s ago, R fetches anew",
        ),
    ],
)
def test_what_there_is_of_the_registry(state: RegistryState, said: str) -> None:
    assert [line.text for line in agent_list((), state, (), 80).lines] == [said]


def test_why_it_could_not_be_fetched_is_said_below() -> None:
    state = RegistryState("x.org", 1, 5.0, problem="https://x.org/list: it does not answer")
    lines = agent_list((), state, (), 80).lines
    assert lines[1].text == "https://x.org/list: it does not answer"


@pytest.mark.parametrize("width", [20, 40, 80])
def test_it_fits_and_marks_are_within_their_lines(width: int) -> None:
    long = AgentRow("n" * 99, "t" * 99, "possible", "v" * 99, "w" * 99, details=(("a", "d" * 999),))
    for line in agent_list((*ROWS, long), KNOWN, ("codex", "n" * 99), width).lines:
        assert len(line.text) <= max(width, 60)
        assert all(0 <= mark.start < mark.end <= len(line.text.encode()) for mark in line.marks)  # type: ignore[union-attr]


def test_texts_are_made_safe() -> None:
    row = AgentRow("x\x1b", "t\n", "here", "1\x07", "w\x00", details=(("see", "a\x1bb"),))
    shown = "\n".join(text("x\x1b", rows=(row,)))
    assert not set(shown) & {"\x1b", "\x07", "\x00"}
