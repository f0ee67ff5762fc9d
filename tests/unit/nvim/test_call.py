"""Numbers that MessagePack has no form for."""

from __future__ import annotations

import pytest

from acp_nvim.nvim.call import fitting


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1 << 70, (1 << 63) - 1),
        (-(1 << 70), 1 - (1 << 63)),
        (True, True),
        ({"a": (1 << 99, "x", None, 1.5)}, {"a": [(1 << 63) - 1, "x", None, 1.5]}),
    ],
)
def test_they_are_the_nearest_that_it_has(value: object, expected: object) -> None:
    assert fitting(value) == expected
