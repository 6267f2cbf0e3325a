"""What the pages ask the server: one module for each page."""
