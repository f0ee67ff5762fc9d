"""`reduce(state, event)`: the next state of a session."""
