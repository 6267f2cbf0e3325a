"""Ready-made hooks, to be called by hook functions."""

from anyhook.guards.shell.guard import shell_guard

__all__ = ["shell_guard"]
