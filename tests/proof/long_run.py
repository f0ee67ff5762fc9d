"""The long run: `python -m tests.proof.long_run --examples 10000 [--seed 1] [--jobs 2]`.

With `--ledger` plans for the ledger of one file alone, without an editor: 10,000 in a minute.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import sys
import time
from collections import Counter

from hypothesis import HealthCheck, Phase, given, note, seed, settings

from tests.proof import ledger_plans, undoing
from tests.proof.machine import Machine
from tests.proof.steps import Step, plans, text
from tests.proof.world import World


def main() -> int:
    """Return 0 if no plan failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=24, help="steps of a plan, at most")
    parser.add_argument("--no-review", action="store_true")
    parser.add_argument("--disk-only", action="store_true", help="no agent writes through us")
    parser.add_argument("--no-outside", action="store_true", help="no other program of the user's")
    parser.add_argument("--count", action="append", default=[], help="complaints to count only")
    parser.add_argument("--ledger", action="store_true", help="the ledger of one file alone")
    parser.add_argument("--jobs", type=int, default=1, help="so many at once, each its share")
    options = parser.parse_args()
    return play(options) if options.jobs == 1 else play_at_once(options)


def play_at_once(options: argparse.Namespace) -> int:
    """Have each job play its share, by a seed of its own; return 0 if no plan failed."""
    shares = [options.examples // options.jobs] * options.jobs
    shares[0] += options.examples - sum(shares)
    context = multiprocessing.get_context("spawn")
    jobs = []
    for number, share in enumerate(shares):
        seeded = f"{options.seed}.{number}"
        its = argparse.Namespace(**{**vars(options), "examples": share, "seed": seeded})
        jobs.append(context.Process(target=_job, args=(its,)))
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    return max(job.exitcode or 0 for job in jobs)


def _job(options: argparse.Namespace) -> None:
    sys.exit(play(options))


def play(options: argparse.Namespace) -> int:
    """Return 0 if no plan failed."""
    many = settings(
        max_examples=options.examples,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    if options.ledger:
        of_ledgers(many, options.seed)
        return 0
    world = World()
    done: Counter[str] = Counter()

    @seed(options.seed)
    @many
    @given(
        plans(
            review=not options.no_review,
            client=not options.disk_only,
            outside=not options.no_outside,
            most=options.most,
        )
    )
    def check(plan: list[Step]) -> None:
        note(f"the plan:\n{text(plan)}")
        machine = Machine(world, tuple(options.count))
        done.update(type(step).__name__ for step in plan)
        done["plans"] += 1
        asyncio.run(machine.run(plan))
        done.update(machine.soft)

    begun = time.monotonic()
    try:
        check()
    finally:
        took = time.monotonic() - begun
        steps = sum(count for name, count in done.items() if name[0].isupper())
        print(
            f"{done['plans']} plans, {steps} steps, {took:.0f} s, "
            f"{1000 * took / max(steps, 1):.1f} ms a step: {dict(done)}"
        )
        world.close()
    return 0


def of_ledgers(many: settings, number: int | str) -> None:
    """Run so many plans of both kinds for the ledger of one file; raise what is found."""

    @seed(number)
    @many
    @given(ledger_plans.plans)
    def decided(plan: list[ledger_plans.Act]) -> None:
        ledger_plans.LedgerMachine().run(plan)

    @seed(number)
    @many
    @given(undoing.plans)
    def taken_back(plan: undoing.Plan) -> None:
        base, acts, order = plan
        undoing.UndoingMachine(base).run(acts, order)

    decided()
    taken_back()
    print(f"{many.max_examples} plans of each kind: nothing is lost")


if __name__ == "__main__":
    sys.exit(main())
