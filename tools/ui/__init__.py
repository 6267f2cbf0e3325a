"""The picture of ``anyhook ui`` in the documentation, and the journal that it shows."""
