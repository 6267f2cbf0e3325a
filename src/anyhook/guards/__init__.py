"""Ready-made hooks: settings in ``anyhook.toml``, or functions that a hook function calls."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anyhook.guards.hook_function import shell_guard

__all__ = ["shell_guard"]

if not TYPE_CHECKING:  # the catalogue is read on every event; the judge loads a parser

    def __getattr__(name: str) -> object:
        if name != "shell_guard":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from anyhook.guards.hook_function import shell_guard

        return shell_guard
