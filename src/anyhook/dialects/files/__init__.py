"""Reads and writes hook files by the rules of a client."""
