"""Plans of long runs, each of which has shown a fault of the program, by what they show."""

from __future__ import annotations

from tests.proof.found.agents import AGENTS
from tests.proof.found.done import DONE
from tests.proof.found.others import OTHERS

FOUND = AGENTS | OTHERS | DONE

OPEN: dict[str, str] = {
    "a file with a saved and a kept change is put away, and comes back": (
        "an agent's line that the disk has again is left out of the user's unsaved text"
    ),
    "a line of another program's that counts to an agent is rejected, and its own tool goes on": (
        "the agent, which was not told, is refused, and told to read the file again"
    ),
}
"""Plans that still fail, each with what is wrong: lines of agents alone, or a refusal that
says what to do."""
