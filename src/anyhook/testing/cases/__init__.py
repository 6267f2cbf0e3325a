"""Test cases: finding, reading, selecting and reporting them."""
