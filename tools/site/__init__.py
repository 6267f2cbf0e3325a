"""The documentation site: pages that are made from the profiles, and what mkdocs needs to build it."""
