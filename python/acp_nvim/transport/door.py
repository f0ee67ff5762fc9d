"""Says in the user's words that a package is missing which only a rare module needs."""

from __future__ import annotations

from types import ModuleType

from acp_nvim import lazy
from acp_nvim.errors import UserError


def door(module: ModuleType, what: str) -> None:
    """Load a rare module now; `what` cannot be had without it.

    Raises `UserError` if a package that it needs is missing.
    """
    try:
        lazy.load(module)
    except ImportError as error:
        raise UserError(
            f"{what} needs the Python package {error.name}: run :Acp install"
        ) from error
