"""Hooks in the agents of frameworks: one module for each, which imports the framework when it is imported itself."""
