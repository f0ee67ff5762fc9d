"""What programs do with their arguments beyond reading, as far as that is known by their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from acp_nvim.patterns import lazy_pattern
from acp_nvim.session.shell.arguments import (
    Arg,
    Args,
    Changes,
    Deed,
    Does,
    Found,
    Runs,
    RunsText,
    commands_in,
    flags,
    operands,
    short,
    value,
)
from acp_nvim.session.shell.git import git

SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash", "fish"})
INTERPRETERS: Final = frozenset(
    {"python", "node", "nodejs", "perl", "ruby", "php", "lua", "osascript", "deno", "bun", "pwsh"}
    | {"expect", "tclsh", "julia", "Rscript", "elixir", "groovy", "pypy", "guile"}
)
SQL: Final = frozenset({"sqlite3", "sqlite", "duckdb", "psql", "mysql", "mariadb"})
"""Programs that run statements."""
_READS_ONLY = lazy_pattern(
    r"\s*(?:(?:select|explain|show|describe)\b(?!.*(?:writefile|edit|extension)\s*\()[^;]*;?"
    r"|(?:\.(?:tables?|schema|index(?:es)?|databases|dump)|\\(?:d|l|dt|dn|du|di)\+?)\b[^\n;|]*;?)\s*",
    re.IGNORECASE | re.DOTALL,
)
FETCHERS: Final = frozenset(
    {"curl", "wget", "fetch", "aria2c", "http", "https", "lynx", "nc", "ncat", "socat", "ssh"}
)
AS_ANOTHER: Final = frozenset({"sudo", "doas", "su", "runuser", "pkexec", "gosu"})
WRAPPERS: Final = {
    "sudo": "ughpCTrRDtU",
    "doas": "uC",
    "pkexec": "",
    "gosu": "",
    "runuser": "ug",
    "env": "uCP",
    "nice": "n",
    "ionice": "cnp",
    "timeout": "ks",
    "xargs": "IRnPLdaEs",
    "stdbuf": "ioe",
    "exec": "a",
    "command": "",
    "builtin": "",
    "nohup": "",
    "setsid": "",
    "time": "fo",
    "watch": "nd",
    "busybox": "",
    "strace": "eo",
    "chroot": "",
    "caffeinate": "tw",
    "parallel": "jN",
    "flock": "wE",
    "unshare": "",
    **dict.fromkeys(("coproc", "fakeroot", "firejail", "dbus-run-session", "unbuffer"), ""),
    **dict.fromkeys(("valgrind", "numactl", "prlimit", "entr", "chronic", "eatmydata"), ""),
    **dict.fromkeys(("taskset", "chrt", "setarch", "faketime", "tini", "dumb-init"), ""),
    "systemd-run": "pEutMH",
    "nsenter": "tSG",
    "ltrace": "eo",
    "proot": "rbwq",
    "xvfb-run": "nsef",
}
"""Programs that run the command in their arguments, and their options that take a value."""
OPERANDS: Final = {
    **dict.fromkeys(("flock", "timeout", "chroot", "gosu"), 1),
    **dict.fromkeys(("taskset", "chrt", "setarch", "faketime"), 1),
}
"""How many arguments of them are before that command."""
_STARTING: Final = {
    **dict.fromkeys(("uv", "poetry", "pipenv", "hatch", "pdm", "rye", "pixi", "conda"), "run"),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bundle", "mise", "direnv", "asdf", "opam"), "exec"),
}
"""Programs with a verb behind which a command stands."""
_RUNNING: Final = {
    "man": ("-P", "--pager", "-H", "--html"),
    **dict.fromkeys(("mapfile", "readarray", "complete", "compgen"), ("-C",)),
    **dict.fromkeys(("script", "sg"), ("-c", "--command")),
    **dict.fromkeys(("tar", "bsdtar"), ("-I", "--use-compress-program", "--to-command", "-F")),
    "rg": ("--pre", "--hostname-bin"),
    "sort": ("--compress-program",),
    "zip": ("-TT", "--unzip-command"),
    "rsync": ("-e", "--rsh", "--rsync-path"),
}
"""Options whose value is a command."""

_OPTIONS_OF_SSH = lazy_pattern(r"(?:-o\s*)?(?:Proxy|Local|KnownHosts)Command[=\s](.*)", re.I | re.S)
_SENDING: Final = {
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun", "cargo", "poetry", "uv", "flit"), ("publish",)),
    **dict.fromkeys(("docker", "podman", "gem", "helm", "vagrant"), ("push",)),
    "hatch": ("publish",),
    "twine": ("upload",),
    "mvn": ("deploy",),
    "gh": ("create", "merge", "delete", "edit", "close", "comment", "upload", "api"),
    "kubectl": ("apply", "delete", "create", "replace", "patch"),
    "terraform": ("apply", "destroy"),
    "aws": ("cp", "sync", "rm", "mv"),
    "firebase": ("deploy",),
    "fly": ("deploy",),
    "vercel": ("deploy", "--prod"),
    "rclone": ("copy", "copyto", "sync", "move", "moveto", "delete", "deletefile", "purge"),
    "gsutil": ("cp", "mv", "rm", "rsync"),
    "s3cmd": ("put", "sync", "del", "rm"),
}
_REMOVING: Final = {
    **dict.fromkeys(("docker", "podman"), ("rm", "rmi", "prune")),
    "npm": ("unpublish",),
    "crontab": ("-r",),
}
_PACKAGES: Final = ("install", "remove", "purge", "uninstall", "upgrade", "add", "del")
_ELSEWHERE: Final = {
    **dict.fromkeys(("apt", "apt-get", "dnf", "yum", "zypper", "brew", "apk", "snap"), _PACKAGES),
    "systemctl": (
        *("start", "stop", "restart", "reload", "enable", "disable", "mask", "unmask", "kill"),
        *("isolate", "poweroff", "reboot", "halt", "edit", "set-property", "daemon-reload"),
    ),
    "service": ("start", "stop", "restart", "reload"),
    "launchctl": ("load", "unload", "start", "stop", "kickstart", "bootout", "bootstrap", "kill"),
}
"""Verbs that change the machine."""
_OF_MACHINE: Final = frozenset(
    {"mount", "umount", "iptables", "nft", "ufw", "useradd", "userdel", "usermod", "groupadd"}
    | {"passwd", "chsh", "swapon", "swapoff", "modprobe", "insmod", "rmmod", "at", "batch"}
)
_CODE: Final = {"-c", "-e", "--eval", "-p", "-pe", "-ne", "-r", "-", "-E", "--command", "eval"}


def deeds(name: str, args: Args) -> Iterator[Found]:
    """Yield what a program does; `args` are those behind its name."""
    if name in AS_ANOTHER:
        yield Does("runs as another user", name)
    if name in WRAPPERS:
        yield from _wrapped(name, args)
    elif (kind := _kind(name)) is not None:
        yield from kind(name, args)
    texts = [it.text for it in args]
    if sending := _named(texts, _SENDING.get(name, ())):
        yield Does("pushes", f"{name} {sending}")
    if removing := _named(texts, _REMOVING.get(name, ())):
        yield Does("removes", f"{name} {removing}")
    if changing := _named(texts, _ELSEWHERE.get(name, ())):
        yield Does("leaves the project", f"{name} {changing}")
    if name in _OF_MACHINE and args:
        yield Does("leaves the project", name)
    yield from commands_in(args, _RUNNING.get(name, ()))
    yield from _started(name, args)


def _started(name: str, args: Args) -> Iterator[Found]:
    """Yield the command that stands behind a verb."""
    if not args or args[0].text != _STARTING.get(name):
        return
    start = next((at for at, it in enumerate(args) if at and it.text[:1] != "-"), len(args))
    # what stands behind an option may be its value
    yield from (Runs(tuple(args[it:])) for it in range(start, start + (2 if start > 1 else 1)))


def reads_only(statements: str) -> bool:
    """Tell whether one statement of SQL, or of a program for it, surely changes nothing."""
    return _READS_ONLY.fullmatch(statements) is not None


def _named(texts: Sequence[str], words: Sequence[str]) -> str:
    return next((it for it in texts[:4] if it in words), "")


def _kind(name: str) -> Callable[[str, Args], Iterator[Found]] | None:
    if name in SHELLS or name == "su":
        return _shell
    if interpreter(name):
        return _interpreter
    return _KINDS.get(name.partition(".")[0] or name)


def interpreter(name: str) -> bool:
    """Tell whether it runs programs in a language other than the shell's."""
    return name.rstrip("0123456789.") in INTERPRETERS


def _wrapped(name: str, args: Args) -> Iterator[Found]:
    valued, at = WRAPPERS[name], 0
    if name == "command" and args and args[0].text in ("-v", "-V"):
        return
    if name == "env" and (split := value(args, "-S", "--split-string")):
        yield RunsText(split)
    while at < len(args):
        text = args[at].text
        is_setting = "=" in text and name in ("env", "sudo", "doas")
        if not (text.startswith("-") or is_setting):
            break
        at += 2 if len(text) == 2 and text[1] in valued else 1
        if text == "--":
            break
    rest = tuple(args[at + OPERANDS.get(name, 0) :])
    if rest:
        yield RunsText(rest[0]) if name == "watch" and len(rest) == 1 else Runs(rest)


def _shell(name: str, args: Args) -> Iterator[Found]:
    for at, arg in enumerate(args[:-1]):
        is_short = arg.text.startswith("-") and not arg.text.startswith("--")
        if (is_short and arg.text.endswith("c")) or arg.text == "--command":
            yield RunsText(args[at + 1])
            return


def _interpreter(name: str, args: Args) -> Iterator[Found]:
    if name == "perl" and "i" in flags(args[:2]):
        yield from (Changes("overwrites", it) for it in operands(args)[1:])
    for arg in args:
        if not arg.text.startswith("-") and arg.text != "eval":
            return
        is_code = arg.text in _CODE or (name == "perl" and "e" in arg.text[1:3])
        if is_code:
            yield Does("cannot be read", f"{name} {arg.text}")
            return


def _all(deed: Deed) -> Callable[[str, Args], Iterator[Found]]:
    def found(name: str, args: Args) -> Iterator[Found]:
        rest = operands(args, "s" if name == "truncate" else "")
        yield from (Changes(deed, it) for it in rest)
        if not rest:
            yield Does(deed, name)

    return found


def _over(name: str, args: Args) -> Iterator[Found]:
    """`cp`, `mv` and their like: their last operand, unless it may not be overwritten."""
    if name == "scp":
        yield from _by_way(args)
    elif "n" in flags(args) or any(it.text in ("--no-clobber", "--dry-run") for it in args):
        return
    if name == "ln" and "f" not in flags(args):
        return
    to = value(args, "-t", "--target-directory")
    last = to or (found[-1] if len(found := operands(args, "Sgmoe")) > 1 else None)
    if last is None:
        return
    if name in ("scp", "rsync") and ":" in last.text.partition("/")[0]:
        yield Does("pushes", f"{name} {last.raw}")
    else:
        yield Changes("overwrites", last)
    if name == "rsync" and any(it.text.startswith("--del") for it in args):
        yield Changes("removes", last)


def _tee(name: str, args: Args) -> Iterator[Found]:
    deed: Deed = "appends to" if "a" in flags(args) else "overwrites"
    yield from (Changes(deed, it) for it in operands(args))


def _sort(name: str, args: Args) -> Iterator[Found]:
    if to := value(args, "-o", "--output"):
        yield Changes("overwrites", to)


def _dd(name: str, args: Args) -> Iterator[Found]:
    for it in args:
        if it.text.startswith("of="):
            yield Changes("overwrites", Arg(it.text[3:], it.raw[3:]))


def _modes(name: str, args: Args) -> Iterator[Found]:
    rest = operands(args)
    mode = next((it.text for it in args if _TAKING.fullmatch(it.text)), "")
    is_all = "R" in flags(args) or any(it.text == "--recursive" for it in args)
    if is_all or name != "chmod" or _WIDE.fullmatch(rest[0].text if rest else ""):
        yield from (Changes("changes permissions", it) for it in rest[0 if mode else 1 :])


_TAKING = lazy_pattern(r"-[rwxXst]+")
_WIDE = lazy_pattern(
    r"0?[2-7][0-7]{3}|0?[0-7]{2}[2367]|[ugoa,=+rwxX-]*s.*|(?:.*,)?(?:[ug]*[oa][ugoa]*)?[+=][rxX]*w.*"
)
"""Modes by which others may write, or a program runs as somebody else."""


def _sed(name: str, args: Args) -> Iterator[Found]:
    if any(it.text.startswith(("-i", "--in-place", "-ni", "-Ei", "-ri")) for it in args):
        has_script = any(it.text in ("-e", "-f", "--expression") for it in args)
        rest = operands(args, "ef")
        yield from (Changes("overwrites", it) for it in rest[0 if has_script else 1 :])
    if any(_DOING.search(it.text) for it in args):
        yield Does("cannot be read", name)


_DOING = lazy_pattern(
    r"(?:^(?:-n?e|--expression=)?|[;{\n])\s*(?:[\d,$~+!]+|/[^/\n]+/)?\s*"
    r"(?:[ewW]\s+\S|e\s*(?:$|[;}\n])"
    r"|s([^\w\s\\])(?:(?!\1).)*\1(?:(?!\1).)*\1[gpiIm\d]*(?:e|[wW]\s*\S))"
)
"""What makes sed run a program, or write another file."""


def _find(name: str, args: Args) -> Iterator[Found]:
    for at, arg in enumerate(args):
        if arg.text == "-delete":
            yield Does("removes", "find -delete")
        elif arg.text in ("-exec", "-execdir", "-ok", "-okdir") or (
            name == "fd" and arg.text in ("-x", "-X", "--exec", "--exec-batch")
        ):
            yield Runs(tuple(args[at + 1 : at + 2 + _until_end(args[at + 2 :])]))
        elif arg.text.startswith("-fprint") or arg.text == "-fls":
            yield from (Changes("overwrites", it) for it in args[at + 1 : at + 2])


def _until_end(args: Args) -> int:
    return next((at for at, it in enumerate(args) if it.text in (";", "+")), len(args))


def _fetch(name: str, args: Args) -> Iterator[Found]:
    is_curl = name == "curl"
    given = dict(short(args, _VALUED_OF_CURL if is_curl else _VALUED_OF_WGET))
    to = given.get("o" if is_curl else "O") or value(args, "--output", "--output-document")
    texts = [it.text for it in args]
    if to:
        yield from (Changes("overwrites", it) for it in (to,) if to.text != "-")
    elif "O" in given or ("--spider" not in texts and (not is_curl or "--remote-name" in texts)):
        yield from _downloads(args, given.get("P") or value(args, "--directory-prefix"))
    method = (given.get("X") if is_curl else None) or value(args, "--request", "--method")
    sends = ("--data", "--form", "--upload-file", "--post-", "--json", "--body-")
    is_sent = method is not None and method.text.upper() in ("POST", "PUT", "PATCH", "DELETE")
    is_sent |= is_curl and bool({*"dFT"} & {*given})
    if is_sent or any(it.startswith(sends) for it in texts):
        yield Does("pushes", name)


_VALUED_OF_CURL: Final = "AbcCdDeEFHKmoPQrtTuUwxXyYz"
_VALUED_OF_WGET: Final = "aABDeGIiloOPQRtTUwX"


def _downloads(args: Args, folder: Arg | None) -> Iterator[Found]:
    """Yield the files that have the names of what is fetched."""
    for it in args:
        if found := _FETCHED.match(it.text):
            name = found[1] or "index.html"
            yield Changes("overwrites", Arg(f"{folder.text}/{name}" if folder else name, name))


_FETCHED = lazy_pattern(r"(?:https?|ftp)://[^/?#]*(?:/(?:[^?#/]*/)*([^?#/]*))?")


def _tar(name: str, args: Args) -> Iterator[Found]:
    given = dict(short(args, "fCITbX"))
    letters = {*given, *(args[0].text if args and args[0].text[:1] != "-" else "")}
    if name == "unzip" or "x" in letters or any(it.text == "--extract" for it in args):
        to = value(args, "-d" if name == "unzip" else "-C", "--directory")
        yield Changes("overwrites", to or Arg(".", "."))
    elif "c" in letters:
        to = given.get("f") or value(args, "--file")
        yield from (Changes("overwrites", it) for it in ((to,) if to else args[1:2]))
    action = value(args, "--checkpoint-action")
    if action and action.text.startswith("exec="):
        yield RunsText(Arg(action.text[5:], action.raw))


def _ssh(name: str, args: Args) -> Iterator[Found]:
    if rest := operands(args, "bcDEeFIiJLlmOopQRSWw"):
        yield Does("leaves the project", f"{name} {rest[0].raw}")
    yield from _by_way(args)


def _by_way(args: Args) -> Iterator[Found]:
    """Yield the commands by which ssh goes to another machine."""
    ways = filter(None, (_OPTIONS_OF_SSH.fullmatch(it.text) for it in args))
    yield from (RunsText(Arg(it[1], it[1])) for it in ways)


def _sql(name: str, args: Args) -> Iterator[Found]:
    said = value(args, "-c", "-e", "--command", "--execute", "-cmd", "-init", "-f", "--file")
    statements = (said,) if said else operands(args)[1:] if name[0] in "sd" else ()
    if not all(reads_only(it.text) for it in statements):
        yield Does("cannot be read", name)


def _ending(name: str, args: Args) -> Iterator[Found]:
    if name != "kill" or (args and args[0].text not in ("-0", "-l", "-L")):
        yield Does("ends programs", " ".join((name, *(it.raw for it in args[-1:]))))


def _crontab(name: str, args: Args) -> Iterator[Found]:
    if operands(args, "u"):
        yield Does("leaves the project", name)


def _packed(name: str, args: Args) -> Iterator[Found]:
    """Yield what takes the place of a file, as its archive does."""
    if not {*"cklt"} & {*flags(args)} and not any(it.text in _KEEPING for it in args):
        yield from (Changes("overwrites", it) for it in operands(args, "SbT"))


_KEEPING: Final = ("--keep", "--stdout", "--to-stdout", "--list", "--test")


def _here(name: str, args: Args) -> Iterator[Found]:
    texts = [it.text for it in args]
    is_unpacked = texts[:1] in (["x"], ["e"]) or (name == "cpio" and "i" in flags(args))
    if name == "zip":
        yield from (Changes("overwrites", it) for it in operands(args)[:1])
    elif is_unpacked or (name == "patch" and "--dry-run" not in texts):
        yield Changes("overwrites", Arg(".", name))


def _mail(name: str, args: Args) -> Iterator[Found]:
    yield Does("pushes", name)


def _eval(name: str, args: Args) -> Iterator[Found]:
    text = " ".join(it.text for it in args)
    network = any(it.from_network for it in args)
    yield RunsText(Arg(text, f"{name} {' '.join(it.raw for it in args)}", network))


def _first_text(name: str, args: Args) -> Iterator[Found]:
    yield from (RunsText(it) for it in operands(args)[:1])


def _alias(name: str, args: Args) -> Iterator[Found]:
    for it in args:
        if "=" in it.text:
            yield RunsText(Arg(it.text.partition("=")[2], it.raw))


def _awk(name: str, args: Args) -> Iterator[Found]:
    if any(sign in it.text for it in args for sign in ("system", "|", "print >", "print>", '> "')):
        yield Does("cannot be read", name)


def _editor(name: str, args: Args) -> Iterator[Found]:
    yield Does("cannot be read", name)


_KINDS: Final[dict[str, Callable[[str, Args], Iterator[Found]]]] = {
    **dict.fromkeys(("rm", "rmdir", "unlink", "shred", "srm", "trash"), _all("removes")),
    **dict.fromkeys(("cp", "mv", "ln", "install", "rsync", "scp"), _over),
    **dict.fromkeys(("truncate",), _all("overwrites")),
    **dict.fromkeys(("chmod", "chown", "chgrp"), _modes),
    **dict.fromkeys(("setfacl", "chattr"), _all("changes permissions")),
    **dict.fromkeys(("kill", "pkill", "killall", "skill", "xkill"), _ending),
    **dict.fromkeys(("shutdown", "reboot", "halt", "poweroff"), _ending),
    **dict.fromkeys(("gzip", "gunzip", "xz", "unxz", "bzip2", "bunzip2", "lzma"), _packed),
    **dict.fromkeys(("zip", "patch", "cpio", "7z", "7za", "7zz"), _here),
    **dict.fromkeys(SQL, _sql),
    **dict.fromkeys(("mail", "mailx", "sendmail", "mutt"), _mail),
    "crontab": _crontab,
    **dict.fromkeys(("sed", "gsed"), _sed),
    **dict.fromkeys(("find", "fd"), _find),
    **dict.fromkeys(("curl", "wget"), _fetch),
    **dict.fromkeys(("tar", "bsdtar", "unzip"), _tar),
    **dict.fromkeys(("awk", "gawk", "mawk"), _awk),
    **dict.fromkeys(("ed", "ex", "vim", "nvim", "vi", "emacs"), _editor),
    **dict.fromkeys(("mkfs", "wipefs", "sponge"), _all("overwrites")),
    **dict.fromkeys(("sort", "shuf"), _sort),
    "tee": _tee,
    "dd": _dd,
    **dict.fromkeys(("ssh", "sftp", "ftp", "lftp", "telnet"), _ssh),
    "eval": _eval,
    "trap": _first_text,
    "alias": _alias,
    "git": git,
}
