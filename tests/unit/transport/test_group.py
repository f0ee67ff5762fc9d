from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from acp_nvim.transport import group
from acp_nvim.transport.group import Groups

FORKER = """
import os, signal, sys
if os.fork() == 0:
    signal.pause()
print("ready", flush=True)
sys.stdin.read()
"""


@contextmanager
def forker() -> Iterator[subprocess.Popen[bytes]]:
    """A leader that exits when its stdin closes, and a child of it that does not."""
    with subprocess.Popen(
        [sys.executable, "-c", FORKER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as leader:
        assert leader.stdout is not None
        assert leader.stdout.readline() == b"ready\n"
        try:
            yield leader
        finally:
            group.kill(leader.pid)


def spin_until(condition: Callable[[], bool]) -> None:
    while not condition():
        pass


def test_a_group_lives_as_long_as_one_member() -> None:
    with forker() as leader:
        assert group.alive(leader.pid)
        assert leader.stdin is not None
        leader.stdin.close()
        leader.wait()
        assert group.alive(leader.pid)
        group.terminate(leader.pid)
        spin_until(lambda: not group.alive(leader.pid))


def test_a_zombie_is_not_alive() -> None:
    with subprocess.Popen(["true"], start_new_session=True) as child:
        spin_until(lambda: not group.alive(child.pid))
        assert child.returncode is None
        assert child.wait() == 0


def test_a_group_that_is_gone_is_fine_everywhere() -> None:
    with subprocess.Popen(["true"], start_new_session=True) as child:
        child.wait()
    assert not group.alive(child.pid)
    group.terminate(child.pid)
    group.kill(child.pid)


def test_without_proc_the_kernel_is_believed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(group, "_PROC", "/no/such")
    with forker() as leader:
        assert group.alive(leader.pid)


def test_c023_all_noted_groups_are_killed() -> None:
    groups = Groups()
    with forker() as one, forker() as two:
        groups.note(one.pid, True)
        groups.note(two.pid, True)
        groups.kill_all()
        spin_until(lambda: not group.alive(one.pid) and not group.alive(two.pid))
    assert groups.live == frozenset()
    groups.kill_all()


def test_a_group_that_ended_is_not_killed() -> None:
    groups = Groups()
    with forker() as leader:
        groups.note(leader.pid, True)
        groups.note(leader.pid, False)
        groups.note(leader.pid, False)
        groups.kill_all()
        assert group.alive(leader.pid)


ORPHAN = """
import sys, threading
from acp_nvim.transport import group
group.LATER = 0.0
told = threading.Event()
go_on = group._go_on_as_an_orphan
group._go_on_as_an_orphan = lambda: (go_on(), told.set())
group.at_end(lambda: None)
told.wait()
print("told", flush=True)
sys.stdin.read()
"""
PARENT = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", sys.argv[1]],
    stdin=-1, stdout=-1, start_new_session=True)
assert child.stdout.readline() == b"told\\n"
print(child.pid, flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel lets nobody go on")
def test_who_is_stopped_goes_on_when_its_parent_is_killed() -> None:
    command = [sys.executable, "-c", PARENT, ORPHAN]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        try:
            os.kill(child, signal.SIGSTOP)
            parent.kill()
            parent.wait()
            spin_until(lambda: not group.alive(child))
        finally:
            group.kill(child)
