"""Modules that msgspec, pathlib and asyncio import, and that few events need: they are loaded on their first use.

A client waits for ``anyhook exec``, and nearly all of that time is imports. A deferred module is the module itself; it
loads when it is asked for a name. So nothing but the time depends on what is listed here.
"""

from __future__ import annotations

import sys
from _thread import RLock
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.abc import Loader
    from typing import Any

DEFERRED = frozenset({"asyncio.sslproto", "inspect", "ipaddress", "ssl", "textwrap"})
_loading = RLock()


def defer_modules() -> None:
    """From now on, importing one of these modules takes no time until one of its names is used."""
    sys.meta_path.insert(0, _Finder())


class _Finder:
    """Finds these modules alone, for the import system."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path) if name in DEFERRED else None
        if spec is not None and spec.loader is not None:
            spec.loader = _DeferringLoader(spec.loader)  # type: ignore[assignment]
        return spec


class _DeferringLoader:
    def __init__(self, loader: Loader) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Leave the module empty for now."""
        module.__class__ = _DeferredModule


class _DeferredModule(ModuleType):
    def __getattr__(self, name: str) -> Any:
        """Load the module, and return what was asked for. Called only for names that it does not have."""
        with _loading:
            spec = self.__dict__["__spec__"]
            if isinstance(deferring := spec.loader, _DeferringLoader):
                spec.loader = deferring.loader
                try:
                    spec.loader.exec_module(self)
                except BaseException:  # as if it had not been tried
                    spec.loader = deferring
                    raise
                self.__loader__ = spec.loader
        if name not in self.__dict__:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name, obj=self)
        return self.__dict__[name]
