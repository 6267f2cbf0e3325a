"""Commands that read hook files and run nothing."""
