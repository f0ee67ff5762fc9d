"""The workspace root of a session: the project that the agent is let into."""

from __future__ import annotations

import os


def find_root(file: str, cwd: str) -> str:
    """Return the nearest folder with `.git` above the file, else above `cwd`, else `cwd`.

    Always absolute; `file` may be empty, or not exist yet.
    """
    cwd = os.path.abspath(os.path.expanduser(cwd or "."))
    starts = [os.path.dirname(file)] if file.startswith("/") else []
    for start in [*starts, cwd]:
        folder = start
        while folder != os.path.dirname(folder):
            if os.path.exists(os.path.join(folder, ".git")):
                return folder
            folder = os.path.dirname(folder)
    return cwd


def is_too_wide(root: str) -> bool:
    """Tell whether the root is no project, and never used without asking.

    It is `/`, the home directory or what holds it, a folder of the system, or one of keys.
    """
    try:
        real, home = (_plain(os.path.realpath(it)) for it in (root, os.path.expanduser("~")))
    except OSError:  # a link of the system that may not be read, as /proc/1/cwd
        return True
    below = real + os.sep
    if real in _SHARED or (home + os.sep).startswith(below) or real == "/":
        return True
    of_keys = (os.path.join(home, name) for name in _OF_KEYS)
    return below.startswith(tuple(f"{folder}{os.sep}" for folder in (*_OF_THE_SYSTEM, *of_keys)))


def _plain(real: str) -> str:
    """Return a path as where names have no case, and without what macOS puts before its own."""
    return (real[len("/private") :] if real.startswith("/private/") else real).casefold()


_SHARED = frozenset(
    (
        *("/home", "/root", "/usr", "/usr/local", "/usr/share", "/var", "/var/lib"),
        *("/opt", "/srv", "/mnt", "/media", "/tmp", "/var/tmp", "/run", "/run/user", "/run/media"),
        *("/users", "/users/shared", "/volumes", "/private", "/applications", "/nix", "/nix/store"),
    )
)
"""Folders that are no project, though there may be some in them."""
_OF_THE_SYSTEM = (
    *("/etc", "/bin", "/sbin", "/lib", "/lib64", "/boot", "/dev", "/proc", "/sys", "/usr/bin"),
    *(
        "/usr/sbin",
        "/usr/lib",
        "/usr/lib64",
        "/usr/libexec",
        "/var/log",
        "/var/run",
        "/system",
        "/library",
    ),
)
"""Folders in which nothing is a project."""
_OF_KEYS = (
    *(".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store", ".mozilla", ".docker"),
    *(".config/gcloud", ".config/gh", ".local/share/keyrings", "library/keychains"),
)
