"""Files that an agent knows by other names: exchanged exactly, or not at all."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from acp_nvim.paths import SAME, Paths, normal


def paths(option: dict[str, str], links: dict[str, str] | None = None) -> Paths:
    return Paths.of("box", option, lambda path: (links or {}).get(path, path))


BOX = paths({"/workspace": "/home/me/project", "/workspace/cache": "/var/cache/box"})


@pytest.mark.parametrize(
    ("there", "here"),
    [
        ("/workspace", "/home/me/project"),
        ("/workspace/", "/home/me/project/"),
        ("/workspace/a.py", "/home/me/project/a.py"),
        ("/workspace/ü b%25/c", "/home/me/project/ü b%25/c"),
        ("/workspace/src/../a.py", "/home/me/project/src/../a.py"),
        ("/workspace/./a", "/home/me/project/./a"),
        ("/workspace/cached", "/home/me/project/cached"),
        ("/workspace/cache", "/var/cache/box"),
        ("/workspace/cache/x/", "/var/cache/box/x/"),
        ("/workspace/\udcff", "/home/me/project/\udcff"),
    ],
)
def test_a_path_has_one_name_on_either_side(there: str, here: str) -> None:
    assert (BOX.here(there), BOX.there(here)) == (here, there)
    assert (BOX.shown_here(there), BOX.shown_there(here)) == (here, there)


@pytest.mark.parametrize(
    "there",
    [
        "",
        ".",
        "a.py",
        "workspace/a",
        "/",
        "/workspace2",
        "/workspaces/a",
        "/work",
        "/Workspace/a",
        "/workspace/..",
        "/workspace/../etc/passwd",
        "/workspace/a/../../etc",
        "/workspace/cache/../a",
        "/etc/../workspace/a",
        "C:\\workspace\\a",
        "C:/workspace/a",
        "\\\\server\\workspace",
    ],
)
def test_what_is_in_no_common_folder_has_no_other_name_and_is_shown_as_it_is(there: str) -> None:
    assert BOX.here(there) is None
    assert BOX.shown_here(there) == there


def test_what_reads_as_a_file_of_the_other_side_and_is_none_is_marked() -> None:
    assert BOX.here("/home/me/project/a") is None
    assert BOX.shown_here("/home/me/project/a") == "there:/home/me/project/a"
    assert BOX.uri_here("file:///home/me/project/a") == "there:file:///home/me/project/a"
    assert BOX.shown_there("/workspace/a") == "elsewhere:/workspace/a"
    assert BOX.uri_there("file:///workspace/a#L1") == "elsewhere:file:///workspace/a#L1"


def test_what_the_agent_has_something_else_in_place_of_is_not_seen_by_it() -> None:
    assert BOX.there("/home/me/project/cache/x") is None
    assert BOX.there("/home/me/project/cached") == "/workspace/cached"


@pytest.mark.parametrize(
    ("there", "here"),
    [
        ("//workspace/a", "/home/me/project/a"),
        ("/workspace//cache/a", "/var/cache/box/a"),
        ("/workspace/./cache/a", "/var/cache/box/a"),
        ("/./workspace/.//./cache", "/var/cache/box"),
        ("/workspace/cache/", "/var/cache/box/"),
        ("/workspace/cache/.", "/var/cache/box/."),
        ("/workspace/x/../cache/a", None),
        ("/workspace/../workspace/cache/a", None),
        ("/workspace/cache/x/../a", "/var/cache/box/x/../a"),
    ],
)
def test_of_two_folders_one_in_the_other_the_inner_one_holds(there: str, here: str | None) -> None:
    assert BOX.here(there) == here
    assert BOX.uri_here(f"file://{there}") == (f"file://{here}" if here else f"file://{there}")


def test_of_the_root_and_a_folder_the_folder_holds() -> None:
    jail = paths({"/": "/srv/jail", "/home/me": "/home/me"})
    for there in ("//home/me/a", "/home//me/a", "/./home/me/./a", "/home/./me/a"):
        assert (jail.here(there) or "").replace("/./", "/") == "/home/me/a", there
    assert jail.here("/x/../home/me/a") is None
    assert jail.uri_here("file:///home%2Fme/a") == "file:///home%2Fme/a"
    assert jail.there("/srv//jail/./home/me/a") is None


def test_the_root_can_be_shared() -> None:
    jail = paths({"/": "/srv/jail", "/home/me": "/home/me"})
    assert jail.here("/") == "/srv/jail/"
    assert jail.here("/etc/hosts") == "/srv/jail/etc/hosts"
    assert jail.here("/home/me/a") == "/home/me/a"
    assert jail.there("/srv/jail") == "/"
    assert jail.there("/srv/jail/etc") == "/etc"
    assert jail.there("/srv/jail/home/me/a") is None
    assert jail.here("/..") is None
    assert jail.here("a") is None
    assert jail.here("") is None
    host = paths({"/host": "/"})
    assert host.here("/host/etc") == "/etc"
    assert host.here("/host") == "/"
    assert host.there("/etc") == "/host/etc"


def test_a_folder_of_ours_may_be_reached_by_a_link() -> None:
    linked = paths({"/w": "/tmp/project"}, {"/tmp/project": "/private/tmp/project"})
    assert linked.here("/w/a") == "/private/tmp/project/a"
    assert linked.there("/private/tmp/project/a") == "/w/a"
    assert linked.there("/tmp/project/a") == "/w/a"


@pytest.mark.parametrize(
    ("there", "here"),
    [
        ("file:///workspace/a.py", "file:///home/me/project/a.py"),
        ("file:///workspace", "file:///home/me/project"),
        ("file:///workspace/", "file:///home/me/project/"),
        (
            "file:///workspace/a%20b%25%C3%BC.py#L2-L3",
            "file:///home/me/project/a%20b%25%C3%BC.py#L2-L3",
        ),
        ("file:///workspace/a?b#c", "file:///home/me/project/a?b#c"),
        ("file://localhost/workspace/a", "file://localhost/home/me/project/a"),
        ("file:/workspace/a", "file:/home/me/project/a"),
        ("FILE:///workspace/ü", "FILE:///home/me/project/ü"),
        ("file:///workspace/a%2Fb", "file:///home/me/project/a%2Fb"),
    ],
)
def test_the_address_of_a_file_keeps_all_but_its_beginning(there: str, here: str) -> None:
    assert (BOX.uri_here(there), BOX.uri_there(here)) == (here, there)


def test_a_folder_is_found_however_its_name_is_encoded() -> None:
    odd = paths({"/my work/100%": "/home/mé/a b"})
    assert odd.uri_here("file:///my%20work/100%25/x") == "file:///home/m%C3%A9/a%20b/x"
    assert odd.uri_here("file:///my work/%3100%25/x") == "file:///home/m%C3%A9/a%20b/x"
    assert odd.uri_there("file:///home/m%C3%A9/a%20b/x") == "file:///my%20work/100%25/x"


@pytest.mark.parametrize(
    "uri",
    [
        "https://workspace/a",
        "acp-nvim:///workspace/a",
        "file://server/workspace/a",
        "file:///workspace%2Fa",
        "file:///workspace/%2e%2e/x",
        "file:///workspace/%2E%2E%2Fx",
        "file:///workspace/a%2f..%2f..%2fx",
        "file:///etc/hosts",
        "file:relative",
        "workspace/a",
        "",
    ],
)
def test_any_other_address_stays(uri: str) -> None:
    assert BOX.uri_here(uri) == uri


@pytest.mark.parametrize("uri", ["file:///C:/x", "file:///c%3A/x", "file:///C:"])
def test_a_path_of_windows_is_in_no_folder(uri: str) -> None:
    assert paths({"/": "/srv"}).uri_here(uri) == uri


def test_without_folders_all_is_as_it_is() -> None:
    assert not SAME
    assert SAME.has("/a")
    assert SAME.seen(("/a",)) == ("/a",)
    for name in ("/a", "file:///a"):
        assert SAME.shown_here(name) == SAME.shown_there(name) == name
        assert SAME.uri_here(name) == SAME.uri_there(name) == SAME.in_words(name) == name


def test_a_sentence_of_ours_names_files_as_the_agent_does() -> None:
    said = (
        "/home/me/project/a is outside of '/home/me/project', /home/me/projects, x/home/me/project"
    )
    assert BOX.in_words(said) == (
        "/workspace/a is outside of '/workspace', /home/me/projects, x/home/me/project"
    )
    swapped = paths({"/b": "/a", "/a": "/b"})
    assert swapped.in_words("/a/x and /b/x") == "/b/x and /a/x"


names = st.text(
    st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=4
)
parts = st.lists(names.filter(lambda it: it not in (".", "..")), max_size=3)
folders = parts.map(lambda it: "/" + "/".join(it))
options = st.dictionaries(folders, folders, min_size=1, max_size=4).filter(
    lambda it: len(set(it.values())) == len(it)
)


@given(options, folders)
def test_there_and_back_is_the_same_file(option: dict[str, str], path: str) -> None:
    """Where one folder of ours is in another, a file may have two names there: both are of it."""
    box = paths(option)
    for start in (path, *(f"{it.rstrip('/')}{path}" for it in option)):
        if (here := box.here(start)) is not None and (back := box.there(here)) is not None:
            assert normal(box.here(back) or "") == normal(here)
    for start in (path, *(f"{it.rstrip('/')}{path}" for it in option.values())):
        if (there := box.there(start)) is not None:
            assert normal(box.here(there) or "") == normal(start)


@given(options, folders)
def test_there_and_back_is_the_same_name_where_no_folder_of_ours_is_in_another(
    option: dict[str, str], path: str
) -> None:
    ours = [normal(it) + "/" for it in option.values()]
    assume(not any(a != b and a.startswith(b) for a in ours for b in ours))
    box = paths(option)
    for start in (path, *(f"{it.rstrip('/')}{path}" for it in option)):
        here = box.here(start)
        if here is not None:
            assert normal(box.there(here) or "-") == normal(start)


@given(options, folders)
def test_an_address_goes_where_its_path_goes(option: dict[str, str], path: str) -> None:
    box = paths(option)
    for start in (path, *(f"{it.rstrip('/')}{path}" for it in option)):
        assume(not (len(start) > 2 and start[2] == ":"))
        here = box.here(start)
        if here is not None:
            assert box.uri_here("file://" + quote(start, safe="/~")) == "file://" + quote(
                here, safe="/~"
            )
