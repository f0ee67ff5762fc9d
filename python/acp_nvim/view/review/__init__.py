"""A review as marks, lists and notes."""
