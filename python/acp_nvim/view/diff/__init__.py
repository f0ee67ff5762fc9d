"""Changes of a file as lines."""
