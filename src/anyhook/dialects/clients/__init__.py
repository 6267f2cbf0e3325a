"""One module for each client: everything that anyhook knows about it."""
