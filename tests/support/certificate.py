"""A certificate that has signed itself, for servers of tests; made by openssl."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


def make_certificate(folder: Path, *hosts: str) -> Path:
    """Return a file with a key and its certificate, of this machine or of those hosts."""
    names = ",".join(f"DNS:{host}" for host in hosts) or "DNS:localhost,IP:127.0.0.1"
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not here")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        [
            *(
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:prime256v1",
            ),
            *("-nodes", "-days", "2", "-subj", "/CN=localhost"),
            *("-addext", f"subjectAltName={names}"),
            *("-keyout", str(key), "-out", str(certificate)),
        ],
        check=True,
        capture_output=True,
    )
    both = folder / "server.pem"
    both.write_bytes(key.read_bytes() + certificate.read_bytes())
    return both
