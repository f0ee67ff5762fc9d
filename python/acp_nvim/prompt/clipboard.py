"""An image from the system's clipboard, by the tool that the system has for it."""

from __future__ import annotations

import os
import shutil
import sys
from subprocess import DEVNULL

import anyio

from acp_nvim.errors import UserError

PATIENCE = 5.0
"""Seconds that the tool may take: it asks the program that holds the clipboard."""


async def image() -> bytes:
    """Return the PNG that is in the clipboard; raises `UserError` that says what is missing."""
    command = _command()
    try:
        with anyio.fail_after(PATIENCE):
            done = await anyio.run_process(command, stderr=DEVNULL, check=False)
    except (OSError, TimeoutError) as error:
        raise UserError(f"the clipboard cannot be read: {command[0]} failed") from error
    if not done.stdout.startswith(b"\x89PNG\r\n"):
        raise UserError("there is no image in the clipboard")
    return done.stdout


def _command() -> list[str]:
    if os.environ.get("WAYLAND_DISPLAY") and shutil.which("wl-paste"):
        return ["wl-paste", "--no-newline", "--type", "image/png"]
    if os.environ.get("DISPLAY") and shutil.which("xclip"):
        return ["xclip", "-selection", "clipboard", "-target", "image/png", "-out"]
    if shutil.which("pngpaste"):
        return ["pngpaste", "-"]
    if sys.platform == "darwin":
        raise UserError("an image from the clipboard needs pngpaste: brew install pngpaste")
    tool = "wl-clipboard (wl-paste)" if os.environ.get("WAYLAND_DISPLAY") else "xclip"
    raise UserError(f"an image from the clipboard needs {tool}: install it and send again")
