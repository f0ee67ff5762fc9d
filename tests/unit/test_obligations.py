"""Each obligation of the protocol has a test or a reason, and doc/protocol.md says which."""

from __future__ import annotations

import re

from tests.support.obligations import PAGE, evidence, obligations, page

OBLIGATIONS = obligations()
EVIDENCE = evidence()


def test_there_are_329_in_order() -> None:
    numbers = [it.number for it in OBLIGATIONS]
    assert len(numbers) == 329
    assert numbers == sorted(set(numbers))
    assert all(re.fullmatch(r"C2?-\d{3}", number) for number in numbers)


def test_each_has_a_test_or_a_reason() -> None:
    known = set(EVIDENCE.tests) | set(EVIDENCE.reasons)
    assert not [it.number for it in OBLIGATIONS if it.number not in known]


def test_no_test_and_no_reason_is_for_one_that_is_unknown() -> None:
    assert set(EVIDENCE.tests) | set(EVIDENCE.reasons) <= {it.number for it in OBLIGATIONS}


def test_a_reason_beside_a_test_is_about_a_part_of_it() -> None:
    both = EVIDENCE.reasons.keys() & EVIDENCE.tests.keys()
    assert not [number for number in both if not EVIDENCE.reasons[number].startswith("its ")]


def test_the_page_is_up_to_date() -> None:
    """Else: `python -m tests.support.obligations`."""
    assert PAGE.read_text(encoding="utf-8") == page()
