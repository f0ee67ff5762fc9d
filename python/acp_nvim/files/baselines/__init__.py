"""What the disk held when last seen, so that changes by any program can be found."""
