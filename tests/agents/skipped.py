"""Why a step of the script is not run."""

from __future__ import annotations


class Skipped(Exception):
    """The step is not for this agent; the text says why."""
