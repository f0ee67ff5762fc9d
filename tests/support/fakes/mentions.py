"""What a host says of the mentions of a prompt, for a Neovim without one."""

from __future__ import annotations

from msgspec.structs import asdict

from acp_nvim.files.roots import Roots
from acp_nvim.prompt.mentions import Held, named
from tests.support.fakes.spy import BridgeSpy
from tests.support.nvim import Neovim


def name_mentions(nvim: Neovim, spy: BridgeSpy, *lines: str) -> None:
    """Wait until Lua asks about these lines, and answer as the host would."""

    def is_asked() -> bool:
        return [it["lines"] for it in spy.told("mentions")][-1:] == [list(lines)]

    nvim.wait(is_asked)
    asked, roots = spy.told("mentions")[-1], Roots(str(nvim.cwd))
    held = Held(asked["open"], asked["buffers"])
    spy.answer(
        [[asdict(it) for it in named(line, roots, held)] for line in asked["lines"]],
        verb="mentions",
    )
