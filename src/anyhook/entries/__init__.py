"""The entries that anyhook writes into the hook files of clients."""
