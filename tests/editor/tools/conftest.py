from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.main_job import MainJob
from tests.support.tools.tools_job import ToolsJob


@pytest.fixture
def tools(job: MainJob) -> Iterator[ToolsJob]:
    """Yield a session whose agent calls the tools of the editor."""
    with ToolsJob(job) as started:
        yield started
