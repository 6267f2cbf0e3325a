"""Tools for people who work on anyhook; nothing here is part of the package."""
