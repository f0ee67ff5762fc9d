"""What the tutor understands of a prompt, whatever the blocks hold."""

from __future__ import annotations

import pytest

from acp_tutor.prompt import Attachment, Prompt, parse_prompt

TEXT = {"type": "text", "text": "/edit  a b.py "}


def test_command_and_argument():
    prompt = parse_prompt([TEXT])
    assert (prompt.command, prompt.argument) == ("edit", "a b.py")
    assert (Prompt("hello /edit").command, Prompt("").command) == (None, None)


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("file:///a%20b.py#L2-L3", ("/a b.py", 2, 3)),
        ("file:///a.py#L2", ("/a.py", 2, 2)),
        ("file:///a.py", ("/a.py", None, None)),
        ("file:///a.py#x", ("/a.py", None, None)),
    ],
)
def test_an_embedded_resource(uri: str, expected: tuple[str, int | None, int | None]):
    prompt = parse_prompt([TEXT, {"type": "resource", "resource": {"uri": uri, "text": "x\n"}}])
    assert prompt.attachment == Attachment(*expected, "x\n")


def test_a_link():
    prompt = parse_prompt([{"type": "resource_link", "uri": "file:///a.py", "name": "a"}])
    assert prompt.attachment == Attachment("/a.py", None, None, "")


@pytest.mark.parametrize(
    "blocks", [None, {}, [1], [{"type": "resource"}], [{"uri": 1}], [{"uri": "https://x/a"}]]
)
def test_anything_else_is_an_empty_prompt(blocks: object):
    assert parse_prompt(blocks) == Prompt("")
