"""Files by HTTP on a free port of this machine, or by HTTPS: what downloads are tried with.

with FileServer() as server:
    server.put("/list.json", b"{}", "application/json")
    fetch(server.url + "/list.json")
"""

from __future__ import annotations

import ssl
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType


@dataclass(frozen=True, slots=True)
class Answer:
    """What a path is answered with; `length` is told in place of the body's own."""

    body: bytes = b""
    kind: str = "application/octet-stream"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    length: int | None = None
    gate: threading.Event | None = None
    """The second half of the body comes when this is set."""


class FileServer:
    """`requests` are the paths that were asked for, in order."""

    def __init__(self, certificate: Path | None = None) -> None:
        self.requests: list[str] = []
        self._answers: dict[str, Answer] = {}
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.requests.append(self.path)
                answer = server._answers.get(self.path) or Answer(b"no such file", status=404)
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.kind)
                length = len(answer.body) if answer.length is None else answer.length
                self.send_header("Content-Length", str(length))
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                half = len(answer.body) // 2
                self.wfile.write(answer.body[:half])
                self.wfile.flush()
                if answer.gate is not None:
                    answer.gate.wait(60)
                self.wfile.write(answer.body[half:])

            def log_message(self, *_: object) -> None:
                return

        self._http = _Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._http.socket = context.wrap_socket(self._http.socket, server_side=True)
            self.url = f"https://localhost:{self._http.server_port}"
        self._thread = threading.Thread(target=self._http.serve_forever, daemon=True)

    def put(self, path: str, body: bytes | str | Answer, kind: str = "") -> str:
        """Serve that at the path; return its address."""
        if isinstance(body, str):
            body, kind = body.encode(), kind or "application/json"
        if not isinstance(body, Answer):
            body = Answer(body, kind or "application/octet-stream")
        self._answers[path] = body
        return self.url + path

    def __enter__(self) -> FileServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _Quiet(ThreadingHTTPServer):
    """Says nothing of clients that have gone."""

    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        return
