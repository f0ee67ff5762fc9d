"""The model of a conversation: what was said, what is asked, what may be done next.

Pure and immutable. `reduce(state, event)` gives the next state, `decide(state, action)` gives the
events that an action leads to, or `Refused`. No module here knows the wire, a clock or an editor.
"""
