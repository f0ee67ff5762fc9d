"""Files of ours that nobody else is to read, replaced as a whole; for those who keep things."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def replace(path: Path, text: str) -> bool:
    """Make this the content of the file; False if the disk is full, read-only or the like.

    That costs what was to be kept, not the session: the file is then as it was.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # made with mode 0600
        handle, new = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    except OSError:
        return False
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(new, path)
    except OSError:
        Path(new).unlink(missing_ok=True)
        return False
    return True
