"""Which agents there are, and how one comes to have more."""
