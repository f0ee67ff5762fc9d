"""Markdown as the agent streams it, as lines with marks."""
