"""Loads files of hooks as modules that are isolated from each other, and reloads them when they have changed.

A file and the modules beside it that it imports are put under a private package. ``sys.path`` stays as it is:
the modules have an ``import`` of their own, which searches the file's folder first. So two packages may have a
``_rules.py`` each, also while both are being loaded. Code is compiled from the text of the file, never from
``__pycache__``: that is not what was trusted.
"""

from __future__ import annotations

import builtins
import re
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from itertools import count
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from anyhook.model.payload_base import Payload

_PREFIX = "_anyhook_hooks_"


class FileStamp(NamedTuple):
    """What identifies a version of a file without reading it."""

    modified: int
    changed: int
    size: int
    number: int


class _ReadFile(NamedTuple):
    """A file as it was when it was read."""

    stamp: FileStamp
    content: bytes


def stamp_of(file: str) -> FileStamp | None:
    """None: the file does not exist or cannot be read."""
    try:
        facts = Path(file).stat()
    except OSError:
        return None
    return FileStamp(facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size, facts.st_ino)


class HookModules:
    """The files of hooks that are loaded in this process. Any thread may ask for a function."""

    def __init__(self, also_built_in: Mapping[str, object] | None = None) -> None:
        """``also_built_in``: names that the modules see in place of Python's own, such as ``print``."""
        self._also_built_in = also_built_in or {}
        self._loaded: dict[str, _HookModule] = {}
        self._locks: dict[str, threading.Lock] = {}
        self._numbers = count(1)
        self._by_package: dict[str, _HookModule] = {}
        sys.meta_path.append(self)

    def close(self) -> None:
        """Forget all modules."""
        sys.meta_path.remove(self)
        for module in self._loaded.values():
            self._forget(module)
        self._loaded.clear()

    def function(self, file: str, name: str) -> Callable[[Payload], object]:
        """A function of a file as the file is now. Raises whatever loading it raises."""
        with self._locks.setdefault(file, threading.Lock()):
            module = self._loaded.get(file)
            if module is None or not module.is_current():
                module = self._load(file)
        found: Callable[[Payload], object] | None = getattr(module.module, name, None)
        if not callable(found):
            raise LookupError(f"there is no function {name} once the file is loaded")
        return found

    def _load(self, file: str) -> _HookModule:
        if (old := self._loaded.pop(file, None)) is not None:
            self._forget(old)
        package = f"{_PREFIX}{id(self):x}_{next(self._numbers)}"
        made = _HookModule(package, Path(file), self._also_built_in)
        self._by_package[package] = made
        try:
            made.load()
        except BaseException:
            self._forget(made)  # it is loaded again next time: what was missing may exist then
            raise
        self._loaded[file] = made
        return made

    def _forget(self, module: _HookModule) -> None:
        self._by_package.pop(module.package, None)
        names = [name for name in tuple(sys.modules) if name.partition(".")[0] == module.package]
        for name in names:
            sys.modules.pop(name, None)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """For Python's import: where a module of one of the private packages is."""
        package, _, inner = name.partition(".")
        module = self._by_package.get(package)
        return module.find_spec(name, inner) if module is not None and inner else None


class _HookModule:
    """One file of hooks, with the modules beside it that it has imported."""

    def __init__(self, package: str, file: Path, also_built_in: Mapping[str, object]) -> None:
        self.package, self.file = package, file
        self.name = re.sub(r"\W", "_", file.stem)
        self.read: dict[str, _ReadFile] = {}
        self.module = ModuleType(package)
        self.built_in = {**vars(builtins), **also_built_in, "__import__": self._import}

    def load(self) -> None:
        parent = ModuleType(self.package)
        parent.__path__ = []  # so that only this class finds modules in it
        sys.modules[self.package] = parent
        name = f"{self.package}.{self.name}"
        builtins.__import__(name)
        self.module = sys.modules[name]

    def is_current(self) -> bool:
        """Whether every file that was read still has the same content."""
        for file, was in self.read.items():
            stamp = stamp_of(file)
            if stamp is None:
                return False
            if stamp != was.stamp:
                try:
                    content = Path(file).read_bytes()
                except OSError:
                    return False
                if content != was.content:
                    return False
                self.read[file] = _ReadFile(stamp, content)
        return True

    def find_spec(self, name: str, inner: str) -> ModuleSpec | None:
        path = self.file.parent.joinpath(*inner.split("."))
        source = self.file if inner == self.name else path.with_name(f"{path.name}.py")
        if source.is_file():
            return spec_from_file_location(name, source, loader=_Loader(name, str(source), self))
        package = path / "__init__.py"
        if package.is_file():
            found = spec_from_file_location(name, package, loader=_Loader(name, str(package), self))
            if found is not None:
                found.submodule_search_locations = []  # as above
            return found
        return None

    def _import(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        """``import`` as the modules see it: modules in the file's folder come before installed ones."""
        first = name.partition(".")[0]
        if level or not self._is_beside(first):
            return builtins.__import__(name, globals, locals, fromlist or (), level)
        found = builtins.__import__(f"{self.package}.{name}", globals, locals, fromlist or (), 0)
        return found if fromlist else sys.modules[f"{self.package}.{first}"]

    def _is_beside(self, name: str) -> bool:
        if name in sys.stdlib_module_names or name == __package__.partition(".")[0]:
            return False
        folder = self.file.parent
        return (folder / f"{name}.py").is_file() or (folder / name / "__init__.py").is_file()


class _Loader(SourceFileLoader):
    """Compiles a file from its text, notes what was read, and gives it the built-in names of its package."""

    def __init__(self, name: str, path: str, owner: _HookModule) -> None:
        super().__init__(name, path)
        self._owner = owner

    def get_code(self, fullname: str) -> CodeType:
        stamp = stamp_of(self.path)
        data = Path(self.path).read_bytes()
        if stamp is not None:
            self._owner.read[self.path] = _ReadFile(stamp, data)
        # As text: a file is UTF-8 here, also when its first lines declare another encoding; trust reads it so, too.
        code: CodeType = compile(data.decode("utf-8-sig"), self.path, "exec", dont_inherit=True)
        return code

    def exec_module(self, module: ModuleType) -> None:
        vars(module)["__builtins__"] = self._owner.built_in
        super().exec_module(module)
