"""What is noted while something is written, also in a thread of somebody else, is kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from acp_nvim.storage import private
from acp_nvim.storage.edits import LESSONS, KeptLessons
from acp_nvim.storage.json_store import JsonStore


def lessons(session: str, *paths: str) -> KeptLessons:
    return KeptLessons("agent", session, dict.fromkeys(paths))


def kept(store: JsonStore[KeptLessons]) -> dict[str, list[str]]:
    return {it.session: [*it.rejected] for it in store.read_all()}


@pytest.fixture
def store(tmp_path: Path) -> JsonStore[KeptLessons]:
    return JsonStore(lambda: str(tmp_path / "kept"), ".json", LESSONS)


def amid(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Let that happen once, while a file is being written."""
    acts, replace = [act], private.replace

    def slow(path: Path, text: str) -> None:
        if acts:
            acts.pop()()
        replace(path, text)

    monkeypatch.setattr(private, "replace", slow)


async def test_another_one(store: JsonStore[KeptLessons], monkeypatch: pytest.MonkeyPatch) -> None:
    store.note("a", lessons("a"))
    store.note("b", lessons("b"))
    amid(monkeypatch, lambda: store.note("c", lessons("c")))
    assert await anyio.to_thread.run_sync(store.flush)
    assert not store.is_settled()
    store.flush()
    assert store.is_settled() and kept(store).keys() == {"a", "b", "c"}


async def test_the_same_one_anew(
    store: JsonStore[KeptLessons], monkeypatch: pytest.MonkeyPatch
) -> None:
    store.note("a", lessons("a", "old"))
    amid(monkeypatch, lambda: store.note("a", lessons("a", "new")))
    await anyio.to_thread.run_sync(store.flush)
    assert not store.is_settled()
    store.flush()
    assert kept(store) == {"a": ["new"]}
