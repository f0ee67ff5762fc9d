"""What Neovim starts as its Python for a warm host: see `hosts`, which copies it to its socket.

It imports next to nothing, for it is run once for each host. With a plugin file in another place
than this one's, or where nobody listens, it becomes a cold host.
"""

import _signal
import _socket
import array
import marshal
import os
import sys

HERE = os.path.dirname(sys.argv[0])


def main() -> None:
    link = _socket.socket(_socket.AF_UNIX)
    try:
        if os.readlink(HERE + "/plugin") not in sys.argv:
            raise OSError("that program is another one")
        link.connect(HERE + "/sock")
    except OSError:
        os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
    hand_over(link)
    said = b""
    while b"\n" not in said:
        said += link.recv(64) or os._exit(1)
    pid, _, code = said.partition(b"\n")
    _signal.signal(_signal.SIGTERM, lambda number, _: os.kill(int(pid), number))
    while data := link.recv(64):
        code += data
    end(int(code))


def hand_over(link: _socket.socket) -> None:
    """Give away what this process was started with, and a pipe that tells of its end."""
    told, _kept = os.pipe()
    streams = array.array("i", [0, 1, 2, told])
    data = marshal.dumps((sys.argv[1:], dict(os.environb), os.getcwd()))
    message = b"%d\n%s" % (len(data), data)
    sent = link.sendmsg([message], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
    if sent < len(message):  # else the host may have ended already, and nobody listens
        link.sendall(message[sent:])
    os.close(told)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)


def end(code: int) -> None:
    """End as the host has: with its code, or by the signal that has ended it."""
    if code < 0:
        if code != -_signal.SIGKILL:
            _signal.signal(-code, _signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


main()
