"""Sessions in git worktrees of their own: made, kept track of, merged back, removed."""
