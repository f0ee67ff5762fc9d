"""A command works in the folder that was checked, whatever has its name by then."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from acp_nvim.files import rooted
from acp_nvim.transport import pty


async def output(folder: int) -> str:
    child = pty.spawn(
        ("/bin/pwd",),
        env={},
        folder=folder,
        on_group=lambda group, alive: None,
        rows=24,
        columns=80,
    )
    said = b""
    while piece := await child.receive(anyio.Lock()):
        said += piece
    await child.wait()
    await child.end(grace=1)
    child.close()
    return said.decode().strip()


async def test_a_folder_that_is_exchanged_is_still_the_one_that_was_opened(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "away").mkdir()
    with rooted.folder(f"{tmp_path}/sub") as folder:
        (tmp_path / "sub").rename(tmp_path / "was")
        (tmp_path / "sub").symlink_to("away")
        assert await output(folder) == f"{tmp_path}/was"
    with (
        pytest.raises(OSError, match="symbolic link"),
        rooted.folder(f"{tmp_path}/sub"),
    ):
        raise AssertionError
