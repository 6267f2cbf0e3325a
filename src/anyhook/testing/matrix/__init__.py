"""Every test case under every client's rules, and why clients come to different effects."""
