"""What follows from what happens: to a session, to a file."""
