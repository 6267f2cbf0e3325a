"""The rules of the linter, by theme."""
