"""One module (or package) for each client, with everything that anyhook knows about it; its name is the client's.

Nothing but clients may be put here: the list of clients is the listing of this folder.
"""

from __future__ import annotations

FIRST = ("claude-code", "codex", "gemini-cli", "copilot-cli", "qwen-code", "cursor")
"""Clients that are listed before the others, which follow in alphabetical order. The first is the default one."""

CANONICAL = "claude-code"
"""The client whose names for events, tools and inputs are the canonical ones."""
OWN = "universal"
"""The format of anyhook's own packages."""
