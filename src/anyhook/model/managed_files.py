"""Universal hook files of an organisation, relative to the system root: Linux, macOS, Windows."""

MANAGED_FILES = (
    "etc/anyhook/hooks.json",
    "Library/Application Support/anyhook/hooks.json",
    "ProgramData/anyhook/hooks.json",
)
