"""The base of records that a kept session is made of: each says its kind where it is read again."""

from __future__ import annotations

from msgspec import Struct

KIND = "kind_"
"""The key under which the name of a record's class stands beside its fields."""


class Stored(Struct, frozen=True, tag_field=KIND, tag=True):
    """A record of which there are several kinds in one place."""
