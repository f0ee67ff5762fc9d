"""Modules that are loaded when they are used first. `RARE` names them all; there is no other way.

They are imported at the top of a file like any other, as modules: `from acp_nvim.protocol.v2 import
dialect`. Whoever takes a name out of one (`from … import V2`) loads it at once.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from threading import RLock
from types import ModuleType
from typing import Any, Final

RARE: Final = frozenset(
    {
        "acp_nvim.commands.health",
        "acp_nvim.commands.worktrees.racing",
        "acp_nvim.commands.worktrees.versions",
        "acp_nvim.commands.worktrees.worktrees",
        "acp_nvim.files.baselines.inotify",
        "acp_nvim.protocol.v2.dialect",
        "acp_nvim.registry.unpack",
        "acp_nvim.session.shell.effects",
        "acp_nvim.tools.connection",
        "acp_nvim.tools.listing",
        "acp_nvim.tools.server",
        "acp_nvim.transport.download",
        "acp_nvim.transport.remote",
        "ctypes",
        "pygments.lexers",
        "pygments.token",
    }
)

_KNOWN: Final = frozenset(
    {"__class__", "__dict__", "__file__", "__loader__", "__name__", "__package__", "__spec__"}
)
"""What is known of a module that is not loaded."""
_LOCK: Final = RLock()


class _Waiting(ModuleType):
    """A module until somebody asks for anything in it; the one who does loads it."""

    def __getattribute__(self, name: str) -> Any:
        if name not in _KNOWN:
            load(self)
        return ModuleType.__getattribute__(self, name)


class _Loader(Loader):
    """Leaves a module empty; `real` fills it."""

    def __init__(self, real: Loader) -> None:
        self.real = real
        self.is_loading = False

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.real.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__class__ = _Waiting


class _Finder(MetaPathFinder):
    """Finds what is rare before Python's own finders do."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target) if name in RARE else None
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


def install() -> None:
    """Let what is rare wait from now on; a second call changes nothing."""
    if not any(isinstance(it, _Finder) for it in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def waits(module: ModuleType) -> bool:
    """Return whether nobody has loaded it yet."""
    return type(module) is _Waiting


def load(module: ModuleType) -> None:
    """Load a module that waits; raises what its loading raises, and then it waits on."""
    with _LOCK:
        loader = module.__spec__.loader if module.__spec__ else None
        if type(module) is not _Waiting or not isinstance(loader, _Loader) or loader.is_loading:
            return
        loader.is_loading = True
        try:
            loader.real.exec_module(module)
            ModuleType.__setattr__(module, "__class__", ModuleType)
        finally:
            loader.is_loading = False


def load_all() -> None:
    """Load all of them: for a process that is to be ready for anything."""
    for name in RARE:
        if (module := sys.modules.get(name)) is not None:
            load(module)
