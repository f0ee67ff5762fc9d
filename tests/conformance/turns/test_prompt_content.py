"""C-111 to C-116: what the user speaks of with `@`, sent as the agent takes it."""

from __future__ import annotations

import base64
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from acp_nvim.editor import Finding, NamedText
from acp_nvim.prompt import clipboard
from acp_nvim.prompt.mentions import TEXT_LIMIT
from acp_nvim.session.content import Image
from acp_nvim.session.model import Selection
from tests.conformance.connection.probe import shows
from tests.support.fakes.fake_ports import FakeFiles
from tests.support.stage import Stage, notices

PNG = b"\x89PNG\r\n\x1a\nnot really"
EVERYTHING = {"embeddedContext": True, "image": True, "audio": True}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a project with one file of each kind."""
    project = (tmp_path / "project").resolve()
    (project / "src").mkdir(parents=True)
    (project / "src" / "a.py").write_text("x = 1\n")
    (project / "my file#ü.txt").write_text("words\n")
    (project / "shot.png").write_bytes(PNG)
    (project / "voice.wav").write_bytes(b"RIFF....WAVE")
    (project / "core").write_bytes(b"\x7fELF\0\0")
    (project / "big.txt").write_text("x" * (TEXT_LIMIT + 1))
    (tmp_path / "secret.txt").write_text("secret")
    (project / "way-out.txt").symlink_to(tmp_path / "secret.txt")
    return project


async def sent(stage: Stage, text: str, **capabilities: bool) -> list[dict[str, Any]]:
    """Return the blocks that follow the text, which comes first and verbatim."""
    session = await stage.start(agentCapabilities={"promptCapabilities": capabilities})
    stage.prompt(session, text)
    request = await stage.agent.expect("session/prompt")
    first, *rest = request["params"]["prompt"]
    assert first == {"type": "text", "text": text}
    return list(rest)


async def test_c111_without_capabilities_all_files_are_links(folder: Path):
    async with Stage(folder) as stage:
        blocks = await sent(stage, "see @src/a.py @shot.png @voice.wav @core @src/")
    assert [(block["type"], block["name"]) for block in blocks] == [
        ("resource_link", name) for name in ("a.py", "shot.png", "voice.wav", "core", "src/")
    ]


@pytest.mark.parametrize(
    ("capability", "kinds"),
    [
        ("embeddedContext", ["resource", "resource_link", "resource_link"]),
        ("image", ["resource_link", "image", "resource_link"]),
        ("audio", ["resource_link", "resource_link", "audio"]),
    ],
)
async def test_c111_each_capability_counts_alone(folder: Path, capability: str, kinds: list[str]):
    async with Stage(folder) as stage:
        blocks = await sent(stage, "@src/a.py @shot.png @voice.wav", **{capability: True})
    assert [block["type"] for block in blocks] == kinds


async def test_c112_a_file_is_a_link_with_uri_and_name(folder: Path):
    async with Stage(folder) as stage:
        (link,) = await sent(stage, "what is @src/a.py?")
    assert link == {
        "type": "resource_link",
        "uri": f"file://{folder}/src/a.py",
        "name": "a.py",
        "mimeType": "text/x-python",
        "size": 6,
    }


async def test_c112_what_is_in_no_file_is_text(folder: Path):
    async with Stage(folder) as stage:
        stage.surroundings.found["quickfix"] = (Finding("", 0, 0, "", "make failed"),)
        (block,) = await sent(stage, "@quickfix")
    assert block == {"type": "text", "text": "\n\n```\nmake failed\n```"}


async def test_c113_unsaved_text_is_embedded(folder: Path):
    async with Stage(folder) as stage:
        assert isinstance(stage.files, FakeFiles)
        stage.files.open(folder / "src" / "a.py", "x = 2", "y = 3")
        stage.files.open(folder / "new.py", "never saved")
        blocks = await sent(stage, "@src/a.py and (@new.py).", **EVERYTHING)
    assert [block["resource"]["text"] for block in blocks] == ["x = 2\ny = 3\n", "never saved\n"]


async def test_c113_what_is_big_or_binary_is_a_link(folder: Path):
    async with Stage(folder) as stage:
        assert isinstance(stage.files, FakeFiles)
        stage.files.open(folder / "long.txt", "x" * TEXT_LIMIT)
        blocks = await sent(stage, "@big.txt @core @long.txt", **EVERYTHING)
    assert [block["type"] for block in blocks] == ["resource_link"] * 3


async def test_c113_selection_diagnostics_and_lists_are_embedded(folder: Path):
    path = f"{folder}/src/a.py"
    async with Stage(folder) as stage:
        stage.surroundings.selected = Selection(1, 0, path, 1, 1, ("x = 1",), "python")
        stage.surroundings.found = {
            "diagnostics": (Finding(path, 1, 5, "error", "no"), Finding(path, 2, 0, "hint", "hm")),
            "quickfix": (Finding("/else/b.c", 3, 0, "", "there"),),
        }
        stage.surroundings.buffers["scratch"] = NamedText("scratch", ("a", "b"), "")
        text = "@selection @diagnostics @quickfix @scratch"
        blocks = await sent(stage, text, **EVERYTHING)
    assert [(it["resource"]["uri"], it["resource"]["text"]) for it in blocks] == [
        (f"file://{path}#L1-L1", "x = 1\n"),
        ("acp-nvim://diagnostics", "src/a.py:1:5: error: no\nsrc/a.py:2: hint: hm\n"),
        ("acp-nvim://quickfix", "/else/b.c:3: there\n"),
        ("acp-nvim://buffer/scratch", "a\nb\n"),
    ]


async def test_c113_the_diff_is_that_of_the_root(folder: Path):
    def git(*arguments: str) -> None:
        author = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in NAMES}
        subprocess.run(["git", *arguments], cwd=folder, check=True, env={**os.environ, **author})

    git("init", "-q")
    git("add", "src/a.py")
    git("commit", "-qm", "x")
    (folder / "src" / "a.py").write_text("x = 2\n")
    git("add", "src/a.py")
    async with Stage(folder) as stage:
        (block,) = await sent(stage, "review @diff", **EVERYTHING)
    assert block["resource"]["uri"] == "acp-nvim://diff"
    assert "\n-x = 1\n+x = 2\n" in block["resource"]["text"]


NAMES = ("NAME", "EMAIL")


async def test_c114_media_are_plain_base64(folder: Path):
    async with Stage(folder) as stage:
        image, audio = await sent(stage, "@shot.png @voice.wav", **EVERYTHING)
    assert base64.b64decode(image["data"], validate=True) == PNG
    assert (image["mimeType"], audio["mimeType"]) == ("image/png", "audio/wav")
    assert image["uri"] == f"file://{folder}/shot.png"


@pytest.mark.parametrize("mention", ['@"my file#ü.txt"', r"@my\ file#ü.txt", r"(@my\ file#ü.txt)."])
async def test_c115_names_with_spaces_are_encoded(folder: Path, mention: str):
    async with Stage(folder) as stage:
        (block,) = await sent(stage, f"see {mention}", **EVERYTHING)
    assert block["resource"]["uri"] == f"file://{folder}/my%20file%23%C3%BC.txt"


@pytest.mark.parametrize(
    "text",
    [
        r"\@src/a.py",
        "me@src/a.py",
        "@nothing.py and @ and @@ -1 +1 @@ @...",
        "@../secret.txt",
        "@way-out.txt",
        "@/etc/passwd",
        '@"src',
    ],
)
async def test_c116_what_names_nothing_in_the_roots_is_text(folder: Path, text: str):
    async with Stage(folder) as stage:
        assert await sent(stage, text, **EVERYTHING) == []


async def test_c116_a_thing_goes_along_once(folder: Path):
    async with Stage(folder) as stage:
        blocks = await sent(stage, "@src/a.py, @src/a.py and @./src/a.py", **EVERYTHING)
    assert len(blocks) == 1


@pytest.mark.parametrize("name", ["selection", "diagnostics", "quickfix", "diff", "clipboard"])
async def test_c116_what_cannot_be_had_is_explained(folder: Path, name: str):
    async with Stage(folder) as stage:
        session = await stage.start()
        stage.prompt(session, f"look at @{name}")
        request = await stage.agent.expect("session/prompt")
        assert len(request["params"]["prompt"]) == 1
        assert any("diff" in it or f"@{name}" in it for it in notices(session))


async def test_c116_an_image_without_a_tool_is_explained(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    for variable in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PATH", str(folder))
    async with Stage(folder) as stage:
        assert await sent(stage, "see @clipboard", **EVERYTHING) == []
        assert "install it" in notices(stage.events[-1][0])[0]


async def test_c116_an_image_comes_from_the_clipboard(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    tool = folder / "xclip"
    tool.write_text(f"#!/bin/sh\nexec /bin/cat {folder}/shot.png\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("DISPLAY", ":99")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert await clipboard.image() == PNG
    async with Stage(folder) as stage:
        (block,) = await sent(stage, "see @clipboard", **EVERYTHING)
    assert base64.b64decode(block["data"], validate=True) == PNG


async def test_c130_what_went_along_is_shown(folder: Path):
    async with Stage(folder) as stage:
        stage.surroundings.found["quickfix"] = (Finding("", 0, 0, "", "make failed"),)
        session = await stage.start(agentCapabilities={"promptCapabilities": EVERYTHING})
        stage.prompt(session, "@src/a.py @shot.png @quickfix", Image("AAAA", "image/gif"))
        await stage.agent.expect("session/prompt")
        for look in ("@src/a.py", "@shot.png [image/png, 18 B]", "@quickfix", "[image/gif, 3 B]"):
            assert shows(session, look), look
