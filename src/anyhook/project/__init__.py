"""From the files of a project to its hooks: found, read once, merged, and each with what becomes of it."""
