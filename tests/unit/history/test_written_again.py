"""A file that an agent writes again and again, as it does with what a program prints."""

from __future__ import annotations

from collections.abc import Iterator
from time import thread_time
from typing import cast

import pytest
from msgspec.structs import replace

from acp_nvim.history.author import Author
from acp_nvim.history.change import LONG_LINE, MOST_PASSING, MOST_PASSING_LINES, saw, wrote
from acp_nvim.history.facts import Fact
from acp_nvim.history.file import File
from acp_nvim.history.fold import begin, fold
from acp_nvim.history.review import keep, reject
from acp_nvim.history.switch import redo, undo
from acp_nvim.storage.entries import entry_of, text_of
from acp_nvim.storage.record import loaded

AGENT = Author("agent", "s", 1, 1.0, "call")
BASE = "".join(f"base {row}\n" for row in range(20))
MANY = 10 * MOST_PASSING


def texts(count: int) -> Iterator[str]:
    return ("".join(f"{number}.{row}\n" for row in range(20)) for number in range(count))


def test_in_one_turn_what_came_and_went_long_ago_is_no_part_of_it() -> None:
    file = begin(BASE)
    for text in texts(MANY):
        file = wrote(file, text, AGENT, 0.0)
    assert file.size <= 20 * (MOST_PASSING + 3)
    undone = undo(file, AGENT, "b", 0.0).file
    assert undone.text == BASE and redo(undone, "b").file.text == file.text == [*texts(MANY)][-1]
    assert reject(file, 0.0).file.text == BASE
    assert fold(file.facts).runs == file.runs


@pytest.mark.parametrize("steps", [1, MOST_PASSING - 1])
def test_what_u_takes_back_is_the_agents_still(steps: int) -> None:
    file = begin(BASE)
    for text in texts(MANY):
        file = wrote(file, text, AGENT, 0.0)
    for text in [*texts(MANY)][-2 : -2 - steps : -1]:
        file = saw(file, text, 0.0)
    assert undo(file, AGENT, "b", 0.0).file.text == BASE


def test_what_another_turn_or_sub_agent_has_made_comes_back_when_that_is_undone() -> None:
    first = wrote(begin(BASE), "first\n", replace(AGENT, session="other"), 0.0)
    second = wrote(first, "second\n", replace(AGENT, sub_agent="t", sub_name="tests"), 0.0)
    file = keep(wrote(second, "third\n", AGENT, 0.0)).file
    for text in texts(MANY):
        file = wrote(file, text, AGENT, 0.0)
    assert undo(file, AGENT, "b", 0.0).file.text == "first\n"
    assert reject(file, 0.0).file.text == "third\n"


LINES = MOST_PASSING_LINES // 2


def large(number: int) -> str:
    return "".join(f"{number}.{row}\n" for row in range(LINES))


def test_of_a_large_file_few_steps_are_known() -> None:
    file = begin(BASE)
    for number in range(6):
        file = wrote(file, large(number), AGENT, 0.0)
    assert file.size <= 4 * LINES
    assert saw(file, large(4), 0.0).gone_of_agents()
    undone = undo(file, AGENT, "b", 0.0).file
    assert undone.text == BASE and redo(undone, "b").file.text == file.text == large(5)


def test_of_long_lines_few_steps_are_known() -> None:
    file, length = begin(BASE), MOST_PASSING_LINES * LONG_LINE // 2
    for number in range(8):
        file = wrote(file, f"{number}{'x' * length}\n", AGENT, 0.0)
    assert sum(len(text) for run in file.runs for text in run.texts) <= 4 * length
    assert undo(file, AGENT, "b", 0.0).file.text == BASE


def test_facts_let_go_what_lines_said_that_have_come_and_gone() -> None:
    file, count = begin(BASE), 3 * MOST_PASSING
    for text in texts(count):
        file = wrote(file, text, AGENT, 0.0)
    said = [it.lines for fact in file.changes for it in fact.hunks]
    assert [*map(len, said)] == [20] * count
    assert sum(len({*it}) > 1 for it in said) <= MOST_PASSING + 2
    assert fold(file.facts[:count]).text == [*texts(count)][-2]
    again = [entry_of(loaded(text_of(it))) for it in file.facts]
    assert fold(cast("list[Fact]", again)).runs == file.runs


def test_over_many_turns_lines_of_one_story_share_it() -> None:
    file: File = begin(BASE)
    for turn, text in enumerate(texts(50)):
        file = wrote(file, text, replace(AGENT, turn=turn), 0.0)
    assert len({id(run.story) for run in file.runs}) <= len(file.facts) + 2


def rejecting(hunks: int) -> float:
    """Return the seconds of CPU time in which so many hunks are rejected."""
    base = "".join(f"base {row}\nsame {row}\n" for row in range(hunks))
    file = wrote(begin(base), base.replace("base", "new"), AGENT, 0.0)
    began = thread_time()
    assert reject(file, 0.0).file.text == base
    return thread_time() - began


def test_many_hunks_are_rejected_in_time_by_their_number() -> None:
    small, large = (min(rejecting(hunks) for _ in range(2)) for hunks in (500, 4_000))
    assert large < 30 * small  # 8 times as many; by its square 64 times as long


def typed_beside(lines: int) -> float:
    """Return the seconds of CPU time of one line that the user types where so many are undone."""
    file = wrote(begin("above\nbase\n"), "above\n" + "theirs\n" * lines, AGENT, 0.0)
    file = undo(file, AGENT, "b", 0.0).file
    began = thread_time()
    assert saw(file, "above\nbase\nmine\n", 0.0).text == "above\nbase\nmine\n"
    return thread_time() - began


def test_a_line_that_is_typed_beside_many_that_are_undone_takes_time_by_their_number() -> None:
    small, large = (min(typed_beside(lines) for _ in range(3)) for lines in (2_000, 16_000))
    assert large < 30 * small  # 8 times as many; by its square 64 times as long
