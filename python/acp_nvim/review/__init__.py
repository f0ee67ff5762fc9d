"""What agents have changed, and what the user decides on it."""
