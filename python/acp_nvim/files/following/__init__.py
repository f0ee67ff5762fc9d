"""Parts of `DiskSync`: what is to be looked at, and where the user stands against the disk."""
