"""Storms for as long as wanted: `python -m tests.fuzz.long_run --minutes 10 [--seed 1]`."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import anyio
from hypothesis import HealthCheck, Phase, given, note, seed, settings

from tests.fuzz.play import survives
from tests.fuzz.storm import Storm, storms
from tests.fuzz.talks import Talk, talks

BATCH = 50
"""Storms of a talk with one seed."""


def main() -> int:
    """Play until the time is over; what fails is made small, printed and raised."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--talk", choices=[it.name for it in talks()])
    options = parser.parse_args()
    chosen = [it for it in talks() if options.talk in (None, it.name)]
    end, number, played = time.monotonic() + 60 * options.minutes, options.seed, 0
    while time.monotonic() < end:
        for talk in chosen:
            print(f"seed {number}, {talk.name}: {played} storms so far", flush=True)
            played += play(talk, number)
        number += 1
    print(f"{played} storms, seeds {options.seed} to {number - 1}: all survived")
    return 0


def play(talk: Talk, number: int) -> int:
    """Play a batch with that seed; return how many storms those were."""
    played = 0

    @seed(number)
    @settings(
        max_examples=BATCH,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(storms(talk))
    def check(storm: Storm) -> None:
        nonlocal played
        played += 1
        note(f"{talk.name}, seed {number}: {storm}")
        with tempfile.TemporaryDirectory() as folder:
            anyio.run(survives, talk, storm, Path(folder).resolve())

    check()
    return played


if __name__ == "__main__":
    sys.exit(main())
