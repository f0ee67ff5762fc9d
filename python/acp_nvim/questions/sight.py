"""What the user has seen of a question: an answer counts for that, and for nothing else."""

from __future__ import annotations

from msgspec import Struct

from acp_nvim.questions.preview import Previewed


class Sight(Struct):
    """Of one open question; the digests are those of `view.question.menu`."""

    ready: bool = False
    """It may be shown: the files that it is about were read, or take too long."""
    said: str = ""
    """What the agent had said when it asked."""
    previews: tuple[Previewed, ...] = ()
    of: object = None
    """The deed that they are of: those of another one are not shown."""
    in_place: tuple[Previewed, ...] = ()
    """The same, found again whenever the user has typed in one of the files."""
    reading: bool = False
    """The files are being read now."""
    asked: str = ""
    """What it showed at first."""
    looked: str = ""
    """What it showed when the user last looked at a change."""

    def shows(self, seen: str, *, first: bool) -> None:
        """Take note that this is what it shows; `first`: it is what was asked."""
        if first or not self.asked:
            self.asked = seen

    def is_changed(self, seen: str) -> bool:
        """Tell whether what it shows is neither what was asked nor what was looked at."""
        return seen not in (self.asked, self.looked)
