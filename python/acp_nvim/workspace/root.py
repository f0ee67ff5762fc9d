"""The workspace root of a session: the project that the agent is let into."""

from __future__ import annotations

import os

from acp_nvim.patterns import lazy_pattern


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

    It is `/`, the home directory of anybody or what holds it, a folder of the system, one of keys
    or what holds these, or a drive of Windows.
    """
    try:
        real, home = (_plain(os.path.realpath(it)) for it in (root, os.path.expanduser("~")))
    except OSError:  # a link of the system that may not be read, as /proc/1/cwd
        return True
    below = real + os.sep
    of_keys = [os.path.join(home, name) for name in _OF_KEYS]
    held = (home, *of_keys)  # what holds keys is as wide as they are
    if real in _SHARED or _OF_SOMEBODY.fullmatch(real) or real == "/":
        return True
    if any(f"{folder}{os.sep}".startswith(below) for folder in held):
        return True
    return below.startswith(tuple(f"{folder}{os.sep}" for folder in (*_OF_THE_SYSTEM, *of_keys)))


def _plain(real: str) -> str:
    """Return a path as where names have no case, and without what macOS puts before its own."""
    return (real[len("/private") :] if real.startswith("/private/") else real).casefold()


_SHARED = frozenset(
    (
        *("/home", "/root", "/var/root", "/usr", "/usr/local", "/usr/share", "/var", "/var/lib"),
        *("/opt", "/srv", "/mnt", "/media", "/tmp", "/var/tmp", "/run", "/run/user", "/run/media"),
        *("/users", "/users/shared", "/volumes", "/private", "/applications", "/nix", "/nix/store"),
    )
)
"""Folders that are no project, though there may be some in them."""
_OF_SOMEBODY = lazy_pattern(
    r"/(?:home|users)/[^/]+|/mnt/[a-z](?:/(?:users(?:/[^/]+)?|windows(?:/.*)?|program.*))?"
)
"""The home directory of another user, and drives of Windows with what is theirs there."""
_OF_THE_SYSTEM = (
    *("/etc", "/bin", "/sbin", "/lib", "/lib64", "/boot", "/dev", "/proc", "/sys", "/usr/bin"),
    *(
        "/usr/sbin",
        "/usr/lib",
        "/usr/lib64",
        "/usr/libexec",
        *(f"/usr/local/{it}" for it in ("bin", "sbin", "lib", "libexec", "etc")),
        *("/snap", "/lost+found", "/var/backups"),
        "/var/log",
        "/var/run",
        *("/var/mail", "/var/spool", "/var/db", "/var/cache", "/run/user", "/usr/include"),
        "/system",
        "/library",
    ),
)
"""Folders in which nothing is a project."""
_OF_KEYS = (
    *(".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store", ".mozilla", ".docker"),
    *(".pki", ".thunderbird", ".terraform.d", ".bitcoin", ".ethereum", ".electrum", ".age"),
    *(".config/op", ".config/sops", ".config/rclone", ".config/google-chrome", ".config/chromium"),
    *(
        ".local/share/kwalletd",
        ".config/gcloud",
        ".config/gh",
        ".local/share/keyrings",
        "library/keychains",
    ),
)
