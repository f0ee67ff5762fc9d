"""Selected lines as content of a prompt, for agents that embed context and for others."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.session.content import Resource, ResourceLink, Text
from acp_nvim.session.context import content_of, file_uri, mime_type, unembedded
from acp_nvim.session.model import Selection

LINES = ("x = 1", "", "  y = 2")


def selection(path: str | None = "/p/a b.py", *lines: str, filetype: str = "python") -> Selection:
    return Selection(3, 7, path, 2, 4, lines or LINES, filetype)


def test_an_embedding_agent_gets_one_resource_of_whole_lines():
    assert content_of(selection(), embedded=True) == (
        Resource("file:///p/a%20b.py#L2-L4", text="x = 1\n\n  y = 2\n", mime_type="text/x-python"),
    )


def test_another_agent_gets_a_link_and_the_text_fenced():
    assert content_of(selection(), embedded=False) == (
        ResourceLink("file:///p/a%20b.py#L2-L4", "a b.py", mime_type="text/x-python"),
        Text("```python\nx = 1\n\n  y = 2\n```"),
    )


@pytest.mark.parametrize("embedded", [True, False])
def test_a_buffer_without_a_file_is_fenced_text(embedded: bool):
    text = Text("```lua\nlocal x\n```")
    assert content_of(selection(None, "local x", filetype="lua"), embedded=embedded) == (text,)


def test_a_fence_is_longer_than_any_in_the_text():
    (text,) = content_of(selection(None, "````", "```", filetype=""), embedded=True)
    assert text == Text("`````\n````\n```\n`````")


def test_an_empty_line_is_a_line():
    (resource,) = content_of(selection("/a", ""), embedded=True)
    assert resource == Resource("file:///a#L2-L4", text="\n", mime_type="text/x-python")


@pytest.mark.parametrize(
    ("resource", "blocks"),
    [
        (
            Resource("file:///p/%C3%BC.txt", text="no end"),
            (ResourceLink("file:///p/%C3%BC.txt", "ü.txt"), Text("```\nno end\n```")),
        ),
        (
            Resource("file:///p/a.bin", blob="aGVsbG8=", mime_type="x/y"),
            (ResourceLink("file:///p/a.bin", "a.bin", mime_type="x/y"),),
        ),
        (Resource("urn:", text=""), (ResourceLink("urn:", "urn:"), Text("```\n```"))),
    ],
)
def test_any_resource_has_a_form_without_embedding(
    resource: Resource, blocks: tuple[ResourceLink | Text, ...]
):
    assert unembedded(resource) == blocks


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("/p/a.py", "file:///p/a.py"),
        ("/p/a b#c?d%e.py", "file:///p/a%20b%23c%3Fd%25e.py"),
        ("/p/ü~.py", "file:///p/%C3%BC~.py"),
        ("/p/\udcff", "file:///p/%FF"),
    ],
)
def test_c115_uris_are_escaped(path: str, uri: str):
    assert file_uri(path) == uri


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_c115_every_path_comes_back(name: str):
    parts = urlsplit(file_uri("/" + name))
    assert (unquote(parts.path), parts.query, parts.fragment) == ("/" + name, "", "")


@pytest.mark.parametrize(
    ("filetype", "mime"),
    [("", "text/plain"), ("python", "text/x-python"), ("json", "application/json")],
)
def test_mime_types_follow_the_file_type(filetype: str, mime: str):
    assert mime_type(filetype) == mime
