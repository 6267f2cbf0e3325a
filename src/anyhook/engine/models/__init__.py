"""Hooks that ask a model."""
