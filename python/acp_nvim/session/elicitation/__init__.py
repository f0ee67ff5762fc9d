"""Forms and links that an agent asks the user with."""
