"""The float of a question: permission, form, and what they are about."""
