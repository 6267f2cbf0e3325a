"""New packages and new test cases."""
