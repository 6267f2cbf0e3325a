"""The small programs that clients start for every event."""
