"""Ready-made hooks."""
