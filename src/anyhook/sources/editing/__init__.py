"""Small changes to a file that leave the rest of it byte for byte as it was."""
