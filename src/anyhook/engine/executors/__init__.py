"""Runs actions, one module per kind: each gives a raw result, which `interpret` then reads."""
