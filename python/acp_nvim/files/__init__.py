"""Files: what they hold, what agents know of them, how a change reaches the other side."""
