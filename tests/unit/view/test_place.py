"""Places in files, and what links of agents lead to."""

from __future__ import annotations

import pytest

from acp_nvim.session.model import Location
from acp_nvim.view.place import linked, mention


@pytest.mark.parametrize(
    ("uri", "found"),
    [
        ("file:///p/a%20b.py", Location("/p/a b.py", None)),
        ("file:///p/a.py#L3-L4", Location("/p/a.py", 3)),
        ("file://localhost/p/a.py:3", Location("/p/a.py", 3)),
        ("file:/p/a.py", Location("/p/a.py", None)),
        ("file://src/a.py", Location("/p/src/a.py", None)),
        ("src/a.py:3:1", Location("/p/src/a.py", 3)),
        ("./a.py", Location("/p/a.py", None)),
        ("/x/a.py", Location("/x/a.py", None)),
        ("https://x/a.py", None),
        ("acp-nvim://diff", None),
        ("data:text/plain,x", None),
        ("javascript:alert(1)", None),
        ("", None),
    ],
)
def test_what_a_link_leads_to(uri: str, found: Location | None) -> None:
    assert linked(uri, "/p") == found


def test_a_name_with_a_colon_that_was_encoded_is_whole() -> None:
    assert linked("file:///p/odd%3A2", "/p") == Location("/p/odd:2", None)
    assert mention("file:///p/odd%3A2", "/p") == "@odd:2"
