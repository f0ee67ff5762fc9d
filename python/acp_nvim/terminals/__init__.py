"""Terminals that agents run commands in."""
