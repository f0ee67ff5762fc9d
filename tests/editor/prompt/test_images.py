"""Images that are pasted or dropped into a prompt go along, if the agent takes them."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.agents.stdio_agent import StdioAgent
from tests.support.along import along
from tests.support.fakes.spy import BridgeSpy
from tests.support.main_job import MainJob
from tests.support.nvim import Neovim

PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)
HELD = {"image": 7, "name": "my shot.png", "detail": "image/png, 108 B"}


def shot(folder: Path, name: str = "my shot.png", data: bytes = PNG) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def dropped(nvim: Neovim, spy: BridgeSpy, text: str) -> None:
    """Paste into a new prompt what the host takes for an image."""
    spy.open_session("gemini")
    nvim.input("i")
    assert nvim.api.nvim_paste(text, True, -1)
    assert spy.told("attach_image")[-1]["text"] == text
    spy.answer([HELD])


# --- with a host that is played


def test_the_names_of_images_go_from_the_text(nvim: Neovim, spy: BridgeSpy) -> None:
    text = f"'{shot(nvim.folder)}' /b.JPG\n"
    dropped(nvim, spy, text)
    assert nvim.lines() == [""]
    nvim.input("<Esc>u")
    assert "\n".join(nvim.lines()) == text


@pytest.mark.parametrize("text", ["see /a/shot.png", "shot.png"])
def test_other_texts_are_texts(nvim: Neovim, spy: BridgeSpy, text: str) -> None:
    spy.open_session("gemini")
    nvim.input("i")
    assert nvim.api.nvim_paste(text, True, -1)
    spy.answer([])
    assert nvim.lines() == [text]


def test_an_image_has_a_row_and_goes_with_the_prompt(nvim: Neovim, spy: BridgeSpy) -> None:
    path = shot(nvim.folder)
    dropped(nvim, spy, str(path))
    prompt = nvim.eval("bufnr()")
    assert along(nvim, prompt) == ["1 my shot.png · image/png, 108 B"]
    nvim.input("what is this?<Esc>1K")
    assert nvim.lines() == ["my shot.png", "image/png, 108 B", ""]
    nvim.input("q<CR>")
    assert spy.told("prompt")[0]["images"] == [7]
    assert along(nvim, prompt) == []
    nvim.input("iagain<Esc><CR>")
    assert "images" not in spy.told("prompt")[1]


def test_an_image_alone_can_be_sent_and_taken_out(nvim: Neovim, spy: BridgeSpy) -> None:
    dropped(nvim, spy, str(shot(nvim.folder)))
    nvim.input("<Esc><C-x>")
    assert [it["image"] for it in spy.told("drop_image")] == [7]
    assert along(nvim, nvim.eval("bufnr()")) == []
    nvim.api.nvim_paste("", True, -1)
    assert "text" not in spy.told("attach_image")[-1]
    spy.answer([HELD | {"name": "image"}])
    assert along(nvim, nvim.eval("bufnr()")) == ["1 image · image/png, 108 B"]
    nvim.input("<CR>")
    assert [(it["text"], it["images"]) for it in spy.told("prompt")] == [("", [7])]


def test_what_the_host_held_is_gone_with_it(nvim: Neovim, spy: BridgeSpy) -> None:
    dropped(nvim, spy, str(shot(nvim.folder)))
    spy.end_host()
    assert along(nvim, nvim.eval("bufnr()")) == []


# --- with the real host


def started(job: MainJob, *, image: bool = True) -> StdioAgent:
    agent = job.start(agentCapabilities={"promptCapabilities": {"image": image}})
    job.command("Acp prompt")
    return agent


def rows(job: MainJob) -> list[str]:
    return along(job.nvim, job.session()["prompt_bufnr"])


def test_a_dropped_image_reaches_the_agent(job: MainJob) -> None:
    agent = started(job)
    path = shot(job.folder)
    job.nvim.input("ilook ")
    job.nvim.api.nvim_paste(str(path), True, -1)
    job.until(lambda: rows(job) == ["1 my shot.png · image/png, 108 B"])
    path.unlink()
    job.nvim.input("<Esc><CR>")
    text, image = agent.prompted()["params"]["prompt"]
    assert text["text"] == "look "
    assert image["mimeType"] == "image/png"
    assert base64.b64decode(image["data"]) == PNG


def test_what_is_no_image_stays_a_text(job: MainJob) -> None:
    started(job)
    path = shot(job.folder, "fake.png", b"no image at all")
    job.nvim.api.nvim_paste(str(path), True, -1)
    job.told("fake.png is not attached: it holds no png")
    assert job.nvim.lines() == [str(path)]
    assert rows(job) == []


def test_an_agent_that_takes_no_images_gets_none(job: MainJob) -> None:
    started(job, image=False)
    path = shot(job.folder)
    job.nvim.api.nvim_paste(str(path), True, -1)
    job.told("scripted takes no images")
    assert job.nvim.lines() == [str(path)]


@pytest.fixture
def clipboard(job: MainJob) -> Iterator[Path]:
    """Yield the file that the clipboard's tool prints."""
    path = shot(job.folder)
    tool = job.folder / "bin" / "wl-paste"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\nexec cat '{path}'\n")
    tool.chmod(0o755)
    job.nvim.lua(
        """local folder = ...
        vim.env.PATH, vim.env.WAYLAND_DISPLAY = folder .. ':' .. vim.env.PATH, 'wayland-0'
        local function nothing() return { { '' }, 'v' } end
        local function ignored() end
        vim.g.clipboard = { name = 'test', copy = { ['+'] = ignored, ['*'] = ignored },
          paste = { ['+'] = nothing, ['*'] = nothing } }""",
        str(tool.parent),
    )
    yield path


def test_p_of_the_clipboard_attaches_its_image(job: MainJob, clipboard: Path) -> None:
    agent = started(job)
    job.nvim.input('"+p')
    job.until(lambda: rows(job) == ["1 image · image/png, 108 B"])
    job.nvim.input("<CR>")
    (image,) = agent.prompted()["params"]["prompt"]
    assert base64.b64decode(image["data"]) == clipboard.read_bytes()


def test_a_clipboard_without_an_image_says_so(job: MainJob, clipboard: Path) -> None:
    clipboard.write_bytes(b"")
    started(job)
    job.nvim.input('"+p')
    job.told("there is no image in the clipboard")
    assert job.nvim.lines() == [""]
