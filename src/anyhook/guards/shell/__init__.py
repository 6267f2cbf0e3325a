"""The guard ``shell``: refuses destructive commands, judged on what the line would really start."""
