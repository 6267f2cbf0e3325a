"""Changes of hooks that test cases should notice."""
