"""Commands for deploying hooks and for what runs once they are deployed."""
