"""The door to what is loaded only when it is used: its libraries take as long as all the rest.

`workspace/launching` goes through it when an agent has a `url`. All other imports stand at the top
of their modules.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from acp_nvim.errors import UserError


def door(module: str, what: str) -> Any:
    """Return a module of ours, loaded now; `what` cannot be had without it.

    Raises `UserError` if a package that it needs is missing.
    """
    try:
        return import_module(f"acp_nvim.{module}")
    except ImportError as error:
        raise UserError(
            f"{what} needs the Python package {error.name}: run :Acp install"
        ) from error
