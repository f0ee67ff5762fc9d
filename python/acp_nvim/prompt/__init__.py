"""What goes into a prompt besides the user's words."""
