"""Decides whether the hooks of a project may run."""
