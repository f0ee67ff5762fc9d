"""How a file is on disk besides its text, so that it comes back as it was."""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from msgspec.structs import replace


class FileAttributes(Struct, frozen=True, omit_defaults=True):
    """How a file was on disk besides its text."""

    mode: int = 0
    """Its permission bits before it went, or an agent gave it others; 0: not known."""
    inode: int = 0
    """Which file it was before an agent first changed it; 0: not known, `NO_FILE`: there was none.
    Another one that has other names, too, is another file: it is not written into."""
    given: int = 0
    """The permission bits that an agent's tool has given it instead; 0: none."""

    def then(self, left: FileAttributes, *, gone: bool) -> FileAttributes:
        """Return it after an agent has found the file like `left`, where `given` is what it has
        now, and has changed it, or removed it."""
        form = replace(self, inode=self.inode or left.inode)
        if not (gone or left.given):
            return form
        is_known = self.mode and left.mode in (0, self.given)
        mode = self.mode if is_known else left.mode
        given = left.given if mode and not gone else 0
        return replace(form, mode=mode, given=given if given != mode else 0)


NO_FILE: Final = -1
UNKNOWN_ATTRIBUTES: Final = FileAttributes()
