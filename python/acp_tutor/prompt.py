"""What the user said, out of the content blocks of a prompt.

Pure; called by `agent` and the scenes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

COMMENTS = "The user's comments "
_LINES = re.compile(r"L(\d+)(?:-L?(\d+))?")


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file, or a part of one, that came with a prompt.

    `first` and `last` are 1-based, None for a whole file; `text` is "" for a mere link.
    """

    path: str
    first: int | None
    last: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """The words, and the file that came with them: one whose text did before one that is named."""

    text: str
    attachment: Attachment | None = None
    rejects: bool = False
    """It says what of an edit the user does not want."""
    comments: bool = False
    """It says something on lines of files."""

    @property
    def command(self) -> str | None:
        """The slash command without its slash, None for plain words."""
        first = self.text.split(maxsplit=1)[:1]
        return first[0][1:] if first and first[0].startswith("/") else None

    @property
    def argument(self) -> str:
        """What follows the slash command."""
        return self.text.partition(" ")[2].strip()


def parse_prompt(blocks: object) -> Prompt:
    """Return the prompt; blocks of unknown form are left out."""
    listed = blocks if isinstance(blocks, list) else []
    known = [block for block in listed if isinstance(block, dict)]
    texts = [block["text"] for block in known if isinstance(block.get("text"), str)]
    found = [it for it in map(_attachment, known) if it is not None]
    attachments = sorted(found, key=lambda it: not it.text)
    rejects = any("acp-nvim://rejected" in str(block.get("resource")) for block in known)
    comments = [text for text in texts if text.startswith(COMMENTS)]
    said = "\n".join(text for text in texts if text not in comments).strip()
    return Prompt(said, next(iter(attachments), None), rejects, bool(comments))


def _attachment(block: dict[str, Any]) -> Attachment | None:
    source = block.get("resource") if block.get("type") == "resource" else block
    if not isinstance(source, dict) or not isinstance(source.get("uri"), str):
        return None
    uri = urlsplit(source["uri"])
    if uri.scheme != "file":
        return None
    lines = _LINES.fullmatch(uri.fragment)
    first = int(lines[1]) if lines else None
    last = int(lines[2] or lines[1]) if lines else None
    text = source.get("text")
    return Attachment(unquote(uri.path), first, last, text if isinstance(text, str) else "")
