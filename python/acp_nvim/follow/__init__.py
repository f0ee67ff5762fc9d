"""Follow-along: the editor goes where the agent is."""
