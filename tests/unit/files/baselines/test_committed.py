"""Files of a repository that nobody has read: git's index knows what they held."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_nvim.files.baselines import baselines as module
from acp_nvim.files.baselines.baselines import UNKNOWN, Baselines
from acp_nvim.files.roots import Roots
from tests.support.files.baselines import known, repository, run

AUTHOR = ("-c", "user.name=a", "-c", "user.email=a@b")


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let there be time for one file only."""
    monkeypatch.setattr(module, "PATIENCE", -1.0)


def filled(root: Path, count: int = 4) -> list[Path]:
    repository(root)
    paths = [root / f"{number} ü.txt" for number in range(count)]
    for path in paths:
        path.write_text(f"text of {path.name}\n")
    run(root, "add", ".")
    run(root, "update-index", "--refresh")
    (root / "later").write_text("")
    run(root, "add", "later")  # writes the index later than all files that it has
    return paths


@pytest.mark.usefixtures("hurried")
async def test_a_tracked_file_that_was_not_read_is_known(root: Path, roots: Roots) -> None:
    paths, seen = filled(root), Baselines()
    await seen.refresh(roots)
    assert seen.text(str(paths[3])) is UNKNOWN
    paths[3].write_text("changed\n")
    assert await seen.changes(roots) == known((paths[3], "text of 3 ü.txt\n", "changed\n"))
    paths[2].unlink()
    assert await seen.look(str(paths[2])) is not None


@pytest.mark.usefixtures("hurried")
async def test_what_git_changes_in_its_index_is_known_too(root: Path, roots: Roots) -> None:
    paths, seen = filled(root), Baselines()
    run(root, *AUTHOR, "commit", "-qm", "first")
    await seen.refresh(roots)
    paths[3].write_text("changed\n")
    run(root, *AUTHOR, "commit", "-qam", "second")
    assert await seen.changes(roots) == known((paths[3], "text of 3 ü.txt\n", "changed\n"))


async def test_a_text_for_which_there_was_no_room_is_known(root: Path, roots: Roots) -> None:
    paths, seen = filled(root), Baselines(budget=1)
    await seen.refresh(roots)
    paths[0].write_text("changed\n")
    assert await seen.changes(roots) == known((paths[0], "text of 0 ü.txt\n", "changed\n"))
    paths[1].unlink()
    assert await seen.changes(roots) == known((paths[1], "text of 1 ü.txt\n", None))


@pytest.mark.usefixtures("hurried")
async def test_a_file_that_is_not_as_in_the_index_is_not_known(root: Path, roots: Roots) -> None:
    paths, seen = filled(root), Baselines()
    paths[3].write_text("mine, not staged\n")
    (root / "untracked").write_text("x\n")
    await seen.refresh(roots)
    paths[3].write_text("changed\n")
    (root / "untracked").write_text("changed\n")
    changes = await seen.changes(roots)
    assert set(changes.unknown) == {str(paths[3]), str(root / "untracked")}
    assert set(changes.reasons.values()) == {"not read before"}


@pytest.mark.usefixtures("hurried")
async def test_a_file_of_which_git_has_other_bytes_is_not_known(root: Path, roots: Roots) -> None:
    repository(root)
    run(root, "config", "filter.turn.clean", "tr ab ba")
    (root / ".gitattributes").write_text("*.turned filter=turn\n*.crlf text eol=crlf\n")
    turned, ends, plain = root / "z.turned", root / "z.crlf", root / "z.txt"
    turned.write_text("abab\n")
    ends.write_bytes(b"one\r\ntwo\r\n")
    plain.write_bytes(b"one\r\ntwo\r\n")
    run(root, "add", ".")
    (root / "later").write_text("")
    run(root, "add", "later")
    seen = Baselines()
    await seen.refresh(roots)
    for path in (turned, ends, plain):
        path.write_text("changed\n")
    changes = await seen.changes(roots)
    assert set(changes.unknown) == {str(turned), str(ends)}
    assert [it.before for it in changes.known] == ["one\r\ntwo\r\n"]


@pytest.mark.usefixtures("hurried")
async def test_why_a_text_is_not_known(root: Path, roots: Roots) -> None:
    seen = Baselines(largest=10)
    (root / "a.bin").write_bytes(b"\0")
    (root / "large").write_text("x" * 11)
    (root / "z.txt").write_text("a text\n")
    await seen.refresh(roots)
    for name in ("a.bin", "large", "z.txt"):
        (root / name).write_text("changed")
    reasons = (await seen.changes(roots)).reasons
    assert {Path(path).name: why for path, why in reasons.items()} == {
        "a.bin": "binary",
        "large": "too large",
        "z.txt": "not read before",
    }


@pytest.mark.parametrize("rule", ["", "*.py text eol=crlf\n"])
async def test_what_git_has_to_the_byte_is_not_read_in_the_background(
    root: Path, monkeypatch: pytest.MonkeyPatch, rule: str
) -> None:
    monkeypatch.setattr(module, "MANY", 0)
    if rule:
        root.mkdir(exist_ok=True)
        (root / ".gitattributes").write_text(rule)
    paths, seen = filled(root), Baselines()
    await seen.refresh(Roots(str(root)), deadline=0.0)
    await seen.read_on()
    read = [path for path in paths if seen.text(str(path)) is not UNKNOWN]
    assert len(read) <= 1 if not rule else len(read) == len(paths)
    paths[-1].write_text("changed\n")
    told = await seen.changes(Roots(str(root)))
    assert [(it.path, it.after) for it in told.known] == [(str(paths[-1]), "changed\n")]
