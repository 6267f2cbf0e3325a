"""Where an organisation keeps universal hooks for everybody, below the root of the system: Linux, macOS, Windows."""

MANAGED_FILES = (
    "etc/anyhook/hooks.json",
    "Library/Application Support/anyhook/hooks.json",
    "ProgramData/anyhook/hooks.json",
)
