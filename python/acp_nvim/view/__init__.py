"""From state to drawing: `render(state)` gives blocks, `patch(old, new)` gives drawing ops.

Pure. Text is the agent's, line for line; everything else (icons, colours, table columns) is marks.
"""
