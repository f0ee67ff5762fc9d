"""An image from the system's clipboard, by the tool that the system has for it."""

from __future__ import annotations

import os
import shutil
import sys

import anyio

from acp_nvim.errors import UserError
from acp_nvim.programs import start

PATIENCE = 5.0
"""Seconds that the tool may take: it asks the program that holds the clipboard."""
LARGEST, LARGEST_TOLD = 20_000_000, "20 MB"
"""Bytes of an image that is sent."""


async def image() -> bytes:
    """Return the PNG that is in the clipboard; raises `UserError` that says what is missing."""
    command = _command()
    try:
        with anyio.fail_after(PATIENCE):
            found = await _output(command)
    except (OSError, TimeoutError) as error:
        raise UserError(f"the clipboard cannot be read: {command[0]} failed") from error
    if not found.startswith(b"\x89PNG\r\n"):
        raise UserError("there is no image in the clipboard")
    if len(found) > LARGEST:
        raise UserError(f"the image in the clipboard is larger than {LARGEST_TOLD}")
    return found


async def _output(command: list[str]) -> bytes:
    """Return what a program prints, cut soon after `LARGEST`."""
    found = bytearray()
    async with await start(command) as process:
        assert process.stdout
        async for chunk in process.stdout:
            found += chunk
            if len(found) > LARGEST:
                process.kill()
                break
    return bytes(found)


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
