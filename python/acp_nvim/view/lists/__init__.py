"""Agents and sessions as lists: their rows, in buffers and in pickers."""
