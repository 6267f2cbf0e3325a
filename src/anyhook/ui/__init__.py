"""The local web page of ``anyhook ui``: a server for this machine alone, and what it serves."""
