"""From one client to another: what carries over, what is lost, and the files that are changed for it."""
