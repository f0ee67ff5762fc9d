"""What is done when the host ends: in a process of its own, which has worker threads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
CODE = """
import asyncio, sys, threading
from anyio import to_thread
from acp_nvim.transport.group import at_end

async def work():
    {work}
    loop.stop()

at_end(lambda: print("the end", flush=True))
loop = asyncio.new_event_loop()
task = loop.create_task(work())
loop.run_forever()
"""


def run(work: str) -> str:
    code = CODE.format(work=work)
    command = [sys.executable, "-c", code]
    env = {"PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout


def test_a_worker_thread_that_waits_does_not_keep_the_process() -> None:
    assert run("await to_thread.run_sync(lambda: print('work', flush=True))") == "work\nthe end\n"


def test_without_a_worker_thread_it_is_done_too() -> None:
    assert run("print('work', flush=True)") == "work\nthe end\n"
