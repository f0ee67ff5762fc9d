"""Agents that can be found and installed: the public registry, and what we have installed of it.

Nothing in here reaches for the network, or runs anything, but by the user's command.
"""
