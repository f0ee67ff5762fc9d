"""Large texts leave no memory of the host behind, and no agent is told of that."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.nvim import Neovim

CODE = """
import threading

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

def read():
    text = (b"x" * (27 << 20)).decode()
    pieces = [text[at:at + 262_144].encode() for at in range(0, len(text), 262_144)]
    kept.append([bytes(100) for _ in range(1000)])

kept, before = [], resident()
for _ in range(5):
    readers = [threading.Thread(target=read) for _ in range(3)]
    for each in readers:
        each.start()
    for each in readers:
        each.join()
print(resident() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the C library of GNU only")
def test_what_large_texts_have_taken_is_given_back() -> None:
    with Neovim() as nvim:
        env = nvim.lua("return require('acp.host.interpreter').environment_of_host()")
    run = [sys.executable, "-I", "-c", CODE]
    said = subprocess.run(run, env=env, capture_output=True, check=True, text=True)
    assert int(said.stdout) < 20 << 20
