"""Commands for writing, testing and recording hooks."""
