"""JSON, TOML, YAML and Python files with the position of every value."""
