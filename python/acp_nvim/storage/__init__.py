"""What outlives the host, as private files below the state folder."""
