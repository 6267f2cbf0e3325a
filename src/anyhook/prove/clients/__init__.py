"""One module for each client that can be driven; its name is that of the client's profile.

Nothing but clients may be put here: the list of clients is the listing of this folder.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from anyhook.dialects import NAMES

if TYPE_CHECKING:
    from anyhook.prove.driver import Driver

_MODULES = {file.stem.replace("_", "-") for file in Path(__path__[0]).glob("*.py") if not file.name.startswith("_")}
DRIVEN = tuple(name for name in NAMES if name in _MODULES)
"""The clients that can be driven, the best known first."""


def driver(client: str) -> Driver:
    """How to drive a client; KeyError when that is not known."""
    if client not in DRIVEN:
        raise KeyError(client)
    found: Driver = import_module(f"anyhook.prove.clients.{client.replace('-', '_')}").DRIVER
    return found
