"""Hooks that are Python functions."""
