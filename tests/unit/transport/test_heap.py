"""Large texts leave no memory behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import acp_nvim

CODE = """
import sys
sys.path.insert(0, sys.argv[1])
from acp_nvim.heap import give_back_large_blocks
assert give_back_large_blocks()

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

before = resident()
for _ in range(5):
    texts = [b"x" * (27 << 20) for _ in range(4)]
    keep = [bytes(100) for _ in range(1000)]
    del texts
print(resident() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the C library of GNU only")
def test_what_large_texts_have_taken_is_given_back() -> None:
    root = Path(acp_nvim.__file__).parents[1]
    run = [sys.executable, "-I", "-c", CODE, str(root)]
    said = subprocess.run(run, capture_output=True, check=True, text=True)
    assert int(said.stdout) < 20 << 20
