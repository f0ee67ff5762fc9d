"""Headers of tar archives, bounded before they are read: the library takes any size as it is said.

A header of some bytes may claim a name of gigabytes, and what is compressed makes it true. For
`unpack`.
"""

from __future__ import annotations

import tarfile
from typing import Any, Final

MOST_HEADER: Final = 64 << 10
"""Bytes of one long name, or of the other things that stand before a member."""
MOST_HEADERS: Final = 16 << 20
"""Bytes of all of them."""
_LONG: Final = (
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
)


class Header(tarfile.TarInfo):
    """What stands before a member; the library asks it to read what belongs to itself."""

    def _proc_member(self, tar: Any) -> Any:
        if self.type == tarfile.GNUTYPE_SPARSE:
            raise _Refused("it has a sparse file")
        if self.type in _LONG:
            tar.header_bytes = getattr(tar, "header_bytes", 0) + self.size
            if not 0 <= self.size <= MOST_HEADER or tar.header_bytes > MOST_HEADERS:
                raise _Refused("a name in it is too long")
        return super()._proc_member(tar)  # type: ignore[misc]

    def _sparse(self, *_: Any) -> None:
        raise _Refused("it has a sparse file")

    _proc_gnusparse_00 = _proc_gnusparse_01 = _proc_gnusparse_10 = _sparse


class _Refused(tarfile.TarError):
    """The archive is not read any further; the library would go on behind a `HeaderError`."""
