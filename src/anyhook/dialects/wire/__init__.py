"""Payloads, replies and answers as bytes, by the rules of a client."""
