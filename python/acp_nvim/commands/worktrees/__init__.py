"""What is done with worktrees of the user's project, and with what came of them."""
