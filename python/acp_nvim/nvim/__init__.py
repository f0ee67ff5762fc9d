"""The editor: the only part of the program that knows pynvim (besides the remote plugin file)."""
