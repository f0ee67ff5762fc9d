"""Sessions of now and of earlier days: what is done with them, by a picker or in their list."""
