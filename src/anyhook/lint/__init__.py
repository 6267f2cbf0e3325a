"""The linter: rules, repairs and reports."""
