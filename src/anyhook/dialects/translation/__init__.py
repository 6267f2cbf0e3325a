"""One client's events, tools and replies in the terms of another."""
