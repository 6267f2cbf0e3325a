"""Proves the hooks of a project in a real client: configured, loaded, fired, in effect."""
