"""A container for an agent, as far as files go: a mount namespace, and what runs programs in it.

with Container(project) as box:
    box.docker  # the program: `docker exec -i box COMMAND …`

In it the project is in another folder, and its folder of here is empty. A program in it has pipes,
a session and an environment of its own, and goes on when `docker` is killed, as with the real one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

_HOLD = """
mount --make-rprivate / &&
mount --bind "$1" "$2" &&
mount -t tmpfs none "$1" &&
echo ready && exec cat
"""
_DOCKER = """#!{python} -PS
import os, subprocess, sys, threading
verb, flag, name, *command = sys.argv[1:]
assert (verb, flag, name) == ("exec", "-i", "box"), sys.argv
inside = subprocess.Popen(
    ["nsenter", "-t", "{pid}", "-m", "--", *command],
    stdin=subprocess.PIPE,
    stdout=subprocess.PIPE,
    stderr=subprocess.PIPE,
    start_new_session=True,
    env={{"PATH": os.environ["PATH"]}},
)
def hand_on(source, target, at_end=None):
    while data := os.read(source, 65536):
        while data:
            data = data[os.write(target, data) :]
    if at_end is not None:
        at_end()
ways = [(inside.stdout.fileno(), 1), (inside.stderr.fileno(), 2)]
back = [threading.Thread(target=hand_on, args=way) for way in ways]
forth = (0, inside.stdin.fileno(), inside.stdin.close)
for thread in back:
    thread.start()
threading.Thread(target=hand_on, args=forth, daemon=True).start()
for thread in back:
    thread.join()
code = inside.wait()
os._exit(code if code >= 0 else 128 - code)
"""


def why_not() -> str:
    """Return why there can be no container on this machine; "" if there can."""
    try:
        tried = subprocess.run(
            ["unshare", "-m", "sh", "-c", "mount --make-rprivate / && mount -t tmpfs none /mnt"],
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        return "unshare is not here"
    return "" if tried.returncode == 0 else f"no mount namespaces here: {tried.stderr.strip()}"


class Container:
    """One that runs, from `with` on."""

    def __init__(self, project: Path) -> None:
        self.project = project
        self._stack = ExitStack()
        folder = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="box"))
        self.there = Path(folder).resolve() / "work space"
        """Where the project is in it."""
        self.there.mkdir()
        self.docker = Path(folder, "docker")

    def __enter__(self) -> Container:
        self._holder = subprocess.Popen(
            ["unshare", "-m", "sh", "-c", _HOLD, "hold", str(self.project), str(self.there)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._holder.stdout is not None
        assert self._holder.stdout.readline() == "ready\n"
        self.docker.write_text(_DOCKER.format(python=sys.executable, pid=self._holder.pid))
        self.docker.chmod(0o755)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._holder.communicate("")
        self._stack.close()

    def run(self, *command: str) -> str:
        """Run a program in it, as an agent's own tool; return what it has written."""
        argv = ["nsenter", "-t", str(self._holder.pid), "-m", "--", *command]
        return subprocess.run(argv, capture_output=True, text=True, check=True).stdout

    def processes(self, word: str) -> list[int]:
        """Return those with that word in their command line."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                line = (entry / "cmdline").read_bytes() if entry.name.isdecimal() else b""
            except OSError:
                continue
            if word.encode() in line and int(entry.name) != os.getpid():
                found.append(int(entry.name))
        return found
