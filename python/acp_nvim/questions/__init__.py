"""Questions of agents to the user, open until the user answers."""
