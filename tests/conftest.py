"""What holds for all tests: a run is as the one before. Searching for faults is done apart."""

from __future__ import annotations

import os

from hypothesis import settings

from tests.support.warm import hosts

os.environ.setdefault(hosts.VARIABLE, "warm")

settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None)
settings.load_profile(os.environ.get("ACP_HYPOTHESIS", "steady"))
