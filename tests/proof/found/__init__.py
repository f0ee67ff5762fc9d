"""Plans of long runs, each of which has shown a fault of the program, by what they show."""

from __future__ import annotations

from tests.proof.found.agents import AGENTS
from tests.proof.found.done import DONE
from tests.proof.found.others import OTHERS

FOUND = AGENTS | OTHERS | DONE
