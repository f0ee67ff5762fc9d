"""Which agents are on this machine, to end with: their names are data of the plugin."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

LIST = Path(__file__).resolve().parents[1] / "acp_nvim" / "agents.json"


def found() -> list[str]:
    """Return the names by which the user can start them."""
    try:
        rows = json.loads(LIST.read_text(encoding="utf-8"))
        return [str(row["name"]) for row in rows if shutil.which(str(row["command"]))]
    except (OSError, ValueError, KeyError, TypeError):
        return []
