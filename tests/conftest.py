"""What holds for all tests: a run is as the one before. Searching for faults is done apart."""

from __future__ import annotations

import os
import sys

import pytest

# Very many processes import the same: what one has compiled is kept for the others.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

from hypothesis import settings  # noqa: E402

from tests.support.nvim import binary  # noqa: E402
from tests.support.warm import hosts  # noqa: E402

os.environ.setdefault(hosts.VARIABLE, "warm")

settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None)
settings.load_profile(os.environ.get("ACP_HYPOTHESIS", "steady"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return one worker more than there are processors: tests wait for processes now and then."""
    return (len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1) + 1


def pytest_report_header() -> str:
    """Say which Neovim is tested."""
    return f"neovim: {binary()}"
