"""Programs that are started are somebody's to end, whenever that is cancelled."""

from __future__ import annotations

import asyncio
import gc
import warnings
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from acp_nvim.files import git

TURNS = 40
"""Of the loop, in which a program is started: it is there after about ten."""


@pytest.mark.parametrize("turns", range(TURNS))
def test_who_is_cancelled_leaves_no_program(tmp_path: Path, turns: int) -> None:
    async def cancelled() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(git.listing, str(tmp_path), 1000)
            for _ in range(turns):
                await anyio.lowlevel.cancel_shielded_checkpoint()
            tasks.cancel_scope.cancel()

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        asyncio.run(cancelled())
        gc.collect()
    assert [str(it.message) for it in warned] == []
