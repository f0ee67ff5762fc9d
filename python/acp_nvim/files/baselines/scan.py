"""What a visit of a folder tells of a file that nobody had seen: was it there, or is it new?

To call a file new that was there all along would let a reject delete it; so when in doubt, it is
not. Doubt is where a limit was met, or where files may have been hidden: by git's ignore rules, or
because git has answered before and does not now. Blocking.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from msgspec import Struct, field

from acp_nvim.files.baselines.listing import Fingerprint, Listing, fingerprint
from acp_nvim.files.baselines.snapshot import is_recent, read_snapshot
from acp_nvim.files.roots import inside

IGNORE_FILE = ".gitignore"
RULES_LIMIT = 1 << 20

Rules: TypeAlias = frozenset[str]
NO_RULES: Rules = frozenset()


class Scan(Struct, frozen=True):
    """When an inventory of a folder was begun (ns since 1970), what it reached, the rules then."""

    folder: str
    began: int
    whole: bool
    parts: Mapping[str, bool]
    rules: Mapping[str, Rules]
    links: Mapping[str, str] = field(default_factory=dict)

    def moved_links(self, later: Scan) -> list[str]:
        """Return the links that are gone, new, or lead elsewhere, as far as both are sure."""
        if not (self.whole and later.whole):
            return []
        return sorted(path for path, _ in self.links.items() ^ later.links.items())

    def is_since(self, at: Fingerprint) -> bool:
        """Return whether a file with that stamp may have come, or changed, after it."""
        return is_recent(at, self.began)

    def vouches(self, later: Scan) -> bool:
        """Return whether what only the later one has was not just hidden from this one."""
        lost = (part for part, by_git in self.parts.items() if by_git and not later.parts.get(part))
        if not self.whole or any(map(os.path.isdir, lost)):
            return False
        paths = self.rules.keys() | later.rules.keys()
        return not any(self._unhides(path, later.rules.get(path, NO_RULES)) for path in paths)

    def vouches_for(self, path: str) -> bool:
        """Return the same for one file that an inventory would have now."""
        return (
            self.whole
            and path not in self.links
            and not any(self._unhides(rules, _rules(rules)) for rules in self._rules_above(path))
        )

    def _unhides(self, path: str, now: Rules) -> bool:
        """Return whether files may appear because of how that file of rules has changed."""
        before = self.rules.get(path, NO_RULES)
        return bool(before - now) or any(rule.startswith("!") for rule in now - before)

    def _rules_above(self, path: str) -> Iterable[str]:
        above = path.rpartition("/")[0]
        while inside(above).startswith(inside(self.folder)):
            yield inside(above) + IGNORE_FILE
            above = above.rpartition("/")[0]


def scan(folder: str, inventory: Listing, began: int) -> Scan:
    """Return what is to be remembered of an inventory that has just been taken."""
    name = f"/{IGNORE_FILE}"
    rules = {path: _rules(path) for path in inventory.stamps if path.endswith(name)}
    return Scan(folder, began, inventory.whole, inventory.parts, rules, inventory.links)


def _rules(path: str) -> Rules:
    """Return the lines of a file of ignore rules; none if it cannot be read."""
    sight = read_snapshot(path, fingerprint(path), RULES_LIMIT)
    text = sight.text() if sight else None
    lines = (line.strip() for line in (text if isinstance(text, str) else "").splitlines())
    return frozenset(line for line in lines if line and not line.startswith("#"))
