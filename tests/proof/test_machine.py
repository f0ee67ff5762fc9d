"""The short run of the proof; `long_run.py` is the long one, with other plans each time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, note, settings

from tests.proof.found import FOUND
from tests.proof.ledger_plans import Act, LedgerMachine
from tests.proof.ledger_plans import plans as ledger_plans
from tests.proof.machine import Machine
from tests.proof.merge_plans import Act as MergeAct
from tests.proof.merge_plans import MergeMachine
from tests.proof.merge_plans import plans as merge_plans
from tests.proof.steps import Step, plans, text
from tests.proof.world import World

SHORT = settings(
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """Yield one Neovim for all plans."""
    made = World()
    yield made
    made.close()


@settings(SHORT, max_examples=60)
@given(plans())
def test_nothing_of_the_users_is_ever_lost(world: World, plan: list[Step]) -> None:
    note(f"the plan:\n{text(plan)}")
    asyncio.run(Machine(world).run(plan))


@pytest.mark.parametrize("name", FOUND)
def test_what_a_long_run_has_found_is_repaired(world: World, name: str) -> None:
    asyncio.run(Machine(world).run(FOUND[name]))


@settings(SHORT, max_examples=30)
@given(plans(client=False))
def test_nothing_is_lost_where_agents_write_the_disk_alone(world: World, plan: list[Step]) -> None:
    note(f"the plan:\n{text(plan)}")
    asyncio.run(Machine(world).run(plan))


@settings(SHORT, max_examples=60)
@given(merge_plans)
def test_a_worktree_merged_amid_all_else_takes_nothing(world: World, plan: list[MergeAct]) -> None:
    note("\n".join(map(repr, plan)))
    asyncio.run(MergeMachine(world).run(plan))


@settings(SHORT, max_examples=300)
@given(ledger_plans)
def test_the_ledger_of_a_file_loses_nothing(plan: list[Act]) -> None:
    LedgerMachine().run(plan)
