"""One module per family of dangerous commands."""
