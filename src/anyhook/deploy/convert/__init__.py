"""Hooks of one client rewritten for another, with every loss."""
