"""The daemon that keeps hooks loaded, and the small programs that ask it."""
