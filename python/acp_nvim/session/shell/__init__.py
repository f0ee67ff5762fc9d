"""Command lines of a shell, read but never run: what they would do beyond reading."""
