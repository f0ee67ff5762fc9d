"""Texts of which reviews are made in tests."""

from __future__ import annotations


def told(*lines: str) -> str:
    """Return the lines as a text."""
    return "".join(f"{line}\n" for line in lines)


BASE = told("a", "b", "c", "d")
THEIRS = told("a", "B", "c", "d", "e")
