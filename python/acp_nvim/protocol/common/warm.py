"""Validators are built when they are used first, or all at once before an agent answers."""

from __future__ import annotations

from types import ModuleType

from acp_nvim.protocol.base import WireModel
from acp_nvim.protocol.common import (
    answer_types,
    content_types,
    elicitation_types,
    request_types,
    update_types,
)

_SHARED = (answer_types, content_types, elicitation_types, request_types, update_types)


def build(*modules: ModuleType) -> None:
    """Build the validators of all models of these modules, and of those that all versions share.

    A second call costs nothing.
    """
    for module in (*_SHARED, *modules):
        for model in vars(module).values():
            if isinstance(model, type) and issubclass(model, WireModel):
                model.model_rebuild()
