"""The numbers of prompts that wait: order, dropping, coming back, what was sent meanwhile."""

from __future__ import annotations

from acp_nvim.session.content import Text
from acp_nvim.session.model import Prompt
from acp_nvim.workspace.waiting import Waiting

A, B, C, SAME = (Prompt((Text(text),)) for text in ("a", "b", "c", "a"))


def test_each_prompt_has_a_number_of_its_own():
    waiting = Waiting()
    assert [waiting.number(it) for it in (A, B, SAME, A)] == [1, 2, 3, 1]


def test_the_order_is_the_users_and_the_rest_is_dropped():
    waiting = Waiting()
    assert [waiting.number(it) for it in (A, B, C)] == [1, 2, 3]
    assert waiting.arranged((A, B, C), [1, 2, 3], [3, 1]) == (C, A)
    assert waiting.arranged((C, A), [1, 2, 3], [2, 3, 1]) == (B, C, A)


def test_what_was_sent_meanwhile_does_not_come_back():
    waiting = Waiting()
    assert [waiting.number(it) for it in (A, B)] == [1, 2]
    assert waiting.arranged((B,), [1, 2], [2, 1]) == (B,)


def test_what_has_come_since_stays_at_the_end():
    waiting = Waiting()
    assert waiting.number(A) == 1
    assert waiting.arranged((A, B), [1], []) == (B,)
    assert waiting.arranged((A, B), [1], [1, 1, 7]) == (A, B)


def test_lines_mean_prompts_by_their_words_then_by_their_place():
    waiting = Waiting()
    assert [waiting.number(it) for it in (A, B, SAME)] == [1, 2, 3]
    queue = (A, B, SAME)
    assert waiting.meant(queue, [1, 2, 3], ["2  b", "1  a", "3  a"]) == [2, 1, 3]
    assert waiting.meant(queue, [1, 2, 3], ["1 a and more", "1 a and more", "b", ""]) == [
        1,
        None,
        None,
        None,
    ]
    assert waiting.arranged(queue, [1, 2, 3], [2]) == (B,)
    assert waiting.meant((B,), [2], ["1  b", "1  a", "9 x", "3 a"]) == [2, 1, None, 3]


def test_what_was_sent_is_meant_by_no_line():
    waiting = Waiting()
    assert [waiting.number(it) for it in (A, B)] == [1, 2]
    assert waiting.meant((B,), [1, 2], ["1  a", "2  b"]) == [None, 2]
