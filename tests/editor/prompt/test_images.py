"""Images that are pasted or dropped into a prompt go along, if the agent takes them."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.agents.stdio_agent import StdioAgent
from tests.support.along import along
from tests.support.fakes.spy import BridgeSpy
from tests.support.main_job import MainJob
from tests.support.nvim import Neovim

PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)
HELD = {"image": 7, "detail": "image/png, 108 B"}


def shot(folder: Path, name: str = "my shot.png", data: bytes = PNG) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def dropped(nvim: Neovim, spy: BridgeSpy, text: str) -> list[Any]:
    """Paste into a new prompt, and return which files the host was asked to attach."""
    spy.open_session("gemini")
    nvim.input("i")
    assert nvim.api.nvim_paste(text, True, -1)
    asked = []
    while len(spy.told("attach_image")) > len(asked):
        asked.append(spy.told("attach_image")[-1].get("path"))
        spy.answer(HELD)
    return asked


# --- with a host that is played


@pytest.mark.parametrize(
    "form",
    ["{plain}", "{plain}\n", "'{plain}'", '"{plain}"', "{escaped}", "{uri}", "{escaped} {other} "],
)
def test_names_of_images_are_attached_however_they_are_dropped(
    nvim: Neovim, spy: BridgeSpy, form: str
) -> None:
    path, other = shot(nvim.folder), shot(nvim.folder, "b.JPG")
    escaped = str(path).replace(" ", "\\ ")
    text = form.format(plain=path, escaped=escaped, uri=path.as_uri(), other=other)
    wanted = [str(path), *([str(other)] if "other" in form else [])]
    assert dropped(nvim, spy, text) == wanted
    assert nvim.lines() == [""]
    nvim.input("<Esc>u")
    assert "\n".join(nvim.lines()) == text


@pytest.mark.parametrize(
    "text", ["see {image}", "{text}", "{image}x", "shot.png", "/dev/null", "{folder}"]
)
def test_other_texts_are_texts(nvim: Neovim, spy: BridgeSpy, text: str) -> None:
    (nvim.folder / "a.png").mkdir()
    text = text.format(
        image=shot(nvim.folder, "shot.png"),
        text=shot(nvim.folder, "a.txt"),
        folder=nvim.folder / "a.png",
    )
    assert dropped(nvim, spy, text) == []
    assert nvim.lines() == [text]


def test_an_image_has_a_row_and_goes_with_the_prompt(nvim: Neovim, spy: BridgeSpy) -> None:
    path = shot(nvim.folder)
    assert dropped(nvim, spy, str(path)) == [str(path)]
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
    assert "path" not in spy.told("attach_image")[-1]
    spy.answer(HELD)
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
