"""What a tool call would make of files, read out of what it tells."""
