"""What Lua sends with the verbs that are about prompts and options; see `commands.payloads`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from acp_nvim.session.model import Selection


class SendPrompt(Struct, frozen=True):
    """`blocks` are content blocks as a script gives them; `bang` cancels the turn first."""

    chat: int
    text: str
    selections: tuple[Selection, ...]
    bang: bool
    blocks: tuple[Mapping[str, Any], ...] = ()
    images: tuple[int, ...] = ()
    """By their numbers."""
    spoken: tuple[str, ...] = ()
    """Names in mentions that the selections stand for."""


class FindMentions(Struct, frozen=True):
    """What these lines of a prompt speak of. `open`: paths of the files that are; `buffers`: the
    names of what is no file."""

    chat: int
    lines: tuple[str, ...]
    buffers: tuple[str, ...] = ()
    open: tuple[str, ...] = ()


class AttachImage(Struct, frozen=True):
    """Images for the next prompt, whose names a text may be; without it that in the clipboard."""

    chat: int
    text: str | None = None


class DropImage(Struct, frozen=True):
    """That image is not to go along."""

    chat: int
    image: int


class Steer(Struct, frozen=True):
    """Text for the turn that runs."""

    chat: int
    text: str


class SetMode(Struct, frozen=True):
    """Without a mode the user picks; `next`: the one behind the current one."""

    chat: int
    mode: str | None = None
    next: bool = False


class SetOption(Struct, frozen=True):
    """What is left out the user picks; `category` names the option by what it is for."""

    chat: int
    option: str | None = None
    value: str | None = None
    category: str | None = None


class OfNote(Struct, frozen=True):
    """A note that goes along with the next prompt; without a key all of them."""

    chat: int
    key: str | None = None


class DropNote(Struct, frozen=True):
    """That note is not to go along."""

    chat: int
    key: Literal["comments", "rejected", "changed"]
