"""Guards that watch a session from its start to its end, and what they remember from one event to the next."""
