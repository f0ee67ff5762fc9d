"""The chat: `render(state)` and the parts of it."""
