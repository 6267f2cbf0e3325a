"""The journal: rows in a chained SQLite database, and where else they go."""
