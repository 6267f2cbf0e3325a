"""Loads files of hooks as modules that are isolated from each other, and reloads them when they have changed.

A file and the modules of its project that it imports are put under a private package. ``sys.path`` stays as it is:
the modules have an ``import`` of their own, which searches the file's folder and its package's first. So two packages
may have a ``_rules.py`` each, also while both are being loaded. Code is compiled from the text of the file, never from
``__pycache__``: that is not what was trusted.

A file of the project that does not belong to the hook cannot be imported (:mod:`importable_files`). Their own
``import`` checks what it returns, also what was loaded before; the finder checks what is loaded below a hook on the
stack, whoever asks: ``pkgutil``, a library. This keeps an author from using by accident what nobody was asked about.
It does not confine a hook, which is code that the user trusts: one that reads a file and passes it to ``exec``, or runs
it with ``runpy`` or as a process, or takes a module of its host from ``sys.modules``, runs what it likes.
"""

from __future__ import annotations

import builtins
import importlib
import re
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    ModuleSpec,
    SourceFileLoader,
)
from importlib.util import spec_from_file_location
from itertools import count
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any, NamedTuple

from anyhook.engine.functions.importable_files import ImportableFiles
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
        sys.meta_path.insert(0, self)

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
        for spec in module.elsewhere:
            if getattr(sys.modules.get(spec.name), "__spec__", None) is spec:  # else its host has loaded it
                del sys.modules[spec.name]

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """For Python's import: where a module of one of the private packages is, or one that a hook imports."""
        package, _, inner = name.partition(".")
        module = self._by_package.get(package)
        if module is not None and inner and (found := module.find_spec(name, inner)) is not None:
            return found
        module = module or _importing_module()
        return module.find_elsewhere(name, path, target) if module is not None else None


class _HookModule:
    """One file of hooks, with the modules of its project that it has imported."""

    def __init__(self, package: str, file: Path, also_built_in: Mapping[str, object]) -> None:
        self.package, self.file = package, file
        self.name = re.sub(r"\W", "_", file.stem)
        self.read: dict[str, _ReadFile] = {}
        self.elsewhere: list[ModuleSpec] = []
        """Modules of the project that another one than its own has imported: they are not in the private package."""
        self.module = ModuleType(package)
        self.built_in = {**vars(builtins), **also_built_in, "__import__": self._import}
        self.files = ImportableFiles(file, self.will_read)
        self._importlib = _Importlib(self._import)
        self._found: dict[str, ModuleSpec] = {}
        """Modules of the project, by their first name, that are not beside the file."""
        self._folders: dict[str, list[str]] = {}
        """Where the modules of a package are."""
        self._outside: dict[str, ModuleType] = {}
        """Modules that are not of the project, by their first name."""

    def load(self) -> None:
        parent = ModuleType(self.package)
        parent.__path__ = []  # so that only this class finds modules in it
        sys.modules[self.package] = parent
        name = f"{self.package}.{self.name}"
        builtins.__import__(name)
        self.module = sys.modules[name]

    def will_read(self, file: Path) -> bytes:
        """The content of a file; when it changes, the hooks are loaded again."""
        stamp = stamp_of(str(file))
        data = file.read_bytes()
        if stamp is not None:
            self.read[str(file)] = _ReadFile(stamp, data)
        return data

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
        """A module of the private package. Raises ImportError for one that does not belong to the hook."""
        if inner == self.name:
            return spec_from_file_location(name, self.file, loader=_Loader(name, str(self.file), self))
        around, _, _ = inner.rpartition(".")
        if around:
            folders = self._folders.get(around, [])
            found = next((spec for folder in folders if (spec := _spec_in(folder, name)) is not None), None)
        else:
            found = self._found.get(inner) or self._find(inner)
        if found is None:
            return None
        if found.origin is not None:
            self._check(found.origin, name)
        spec = ModuleSpec(
            name, found.loader, origin=found.origin, is_package=found.submodule_search_locations is not None
        )
        spec.has_location = found.has_location
        if isinstance(found.loader, SourceFileLoader):
            spec.loader = _Loader(name, found.loader.path, self)
        if found.submodule_search_locations is not None:
            self._folders[inner] = [*found.submodule_search_locations]
            spec.submodule_search_locations = []  # as above
        return spec

    def find_elsewhere(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A module that the others find. Raises ImportError for one of the project that does not belong to the hook."""
        spec = _find_with_others(name, path, target)
        if spec is None or not self._is_of_project(spec):
            return spec
        if spec.origin is not None:
            self._check(spec.origin, name)
        self.elsewhere.append(spec)
        if isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(name, spec.loader.path, self)
        return spec

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
        if not level and self._is_private(first, name):
            found = builtins.__import__(f"{self.package}.{name}", globals, locals, fromlist or (), 0)
            return found if fromlist else sys.modules[f"{self.package}.{first}"]
        found = builtins.__import__(name, globals, locals, fromlist or (), level)
        for module in _imported(found, name, fromlist or ()):
            for origin in _origins(module):
                self._check(origin, module.__name__)
        if found is importlib:
            return self._importlib
        return found

    def _is_private(self, first: str, name: str) -> bool:
        """Whether a module is one of the project, which the private package holds."""
        if first in sys.stdlib_module_names or first == __package__.partition(".")[0]:
            return False
        if f"{self.package}.{first}" in sys.modules:
            return True
        known = sys.modules.get(first)
        if known is not None and known is self._outside.get(first):
            return False
        found = self._find(first, name)
        if found is not None:
            self._found[first] = found
        elif known is not None:
            self._outside[first] = known
        return found is not None

    def _find(self, first: str, name: str = "") -> ModuleSpec | None:
        """Where the project has a module. Raises ImportError if that does not belong to the hook.

        ``name`` is the whole name of an absolute import, for which an installed module counts, too.
        """
        inner = f"{self.package}.{first}"
        refusal, namespace = "", None
        for folder in (self.file.parent, self.files.package):
            spec = _spec_in(str(folder), inner)
            if spec is None:
                continue
            if spec.origin is not None:
                if not (why := self.files.refusal(spec.origin)):
                    return spec
                refusal = refusal or why
            elif self.files.uses_below(folder / first):
                return spec
            elif not name or _has_module(folder, name):
                namespace = namespace or spec
        if name and (spec := _known_spec(first)) is not None:
            if not self._is_of_project(spec):
                return None
            if spec.origin is None:
                namespace = namespace or spec
            elif not (why := self.files.refusal(spec.origin)):
                folder = Path(spec.origin).parents[0 if spec.submodule_search_locations is None else 1]
                return _spec_in(str(folder), inner)
            else:
                refusal = refusal or why
        if refusal:
            raise ImportError(refusal, name=first)
        return namespace

    def _is_of_project(self, spec: ModuleSpec) -> bool:
        places = [spec.origin] if spec.origin else [*(spec.submodule_search_locations or ())]
        return bool(places) and all(map(self.files.holds, places))

    def _check(self, origin: str, name: str) -> None:
        if refusal := self.files.refusal(origin):
            raise ImportError(refusal, name=name, path=origin)


class _Importlib(ModuleType):
    """``importlib`` as the modules see it: ``import_module`` is their own ``import``."""

    def __init__(self, imports: Callable[..., Any]) -> None:
        super().__init__("importlib", importlib.__doc__)
        self._imports = imports
        self.__import__ = imports

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib, name)

    def import_module(self, name: str, package: str | None = None) -> Any:
        if name.startswith("."):
            return importlib.import_module(name, package)
        return self._imports(name, fromlist=("__name__",))


def _importing_module() -> _HookModule | None:
    """The hook's module from which a module is being imported; None: a host imports it, also one that a hook calls."""
    files: set[str] = set()
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        owner = getattr(frame.f_builtins.get("__import__"), "__self__", None)
        if isinstance(owner, _HookModule):
            return None if any(map(owner.files.holds, files)) else owner
        files.add(frame.f_code.co_filename)
        frame = frame.f_back
    return None


def _find_with_others(
    name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
) -> ModuleSpec | None:
    for finder in tuple(sys.meta_path):
        find = None if isinstance(finder, HookModules) else getattr(finder, "find_spec", None)
        spec: ModuleSpec | None = find(name, path, target) if find is not None else None
        if spec is not None:
            return spec
    return None


def _known_spec(name: str) -> ModuleSpec | None:
    """Where a module is for everybody else."""
    known = sys.modules.get(name)
    return _find_with_others(name) if known is None else getattr(known, "__spec__", None)


def _spec_in(folder: str, name: str) -> ModuleSpec | None:
    """A module with the last part of a name in a folder."""
    loaders = ((ExtensionFileLoader, EXTENSION_SUFFIXES), (SourceFileLoader, SOURCE_SUFFIXES))
    return FileFinder(folder, *loaders).find_spec(name)


def _has_module(folder: Path, name: str) -> bool:
    """Whether Python files are where a dotted name leads: any other folder is no package without an ``__init__.py``."""
    path = folder.joinpath(*name.split("."))
    return path.with_name(f"{path.name}.py").is_file() or any(path.glob("*.py"))


def _imported(found: object, name: str, fromlist: Sequence[str]) -> Iterator[ModuleType]:
    """The modules that an ``import`` gives to who asks for them."""
    around = getattr(found, "__name__", name)
    names = [f"{around}.{item}" for item in fromlist] or [name]
    while "." in names[-1] and not fromlist:
        names.append(names[-1].rpartition(".")[0])
    for module in (found, *map(sys.modules.get, names)):
        if isinstance(module, ModuleType):
            yield module


def _origins(module: ModuleType) -> Iterator[str]:
    """The files that a module says it is from."""
    for origin in (getattr(vars(module).get("__spec__"), "origin", None), vars(module).get("__file__")):
        if isinstance(origin, str):
            yield origin


class _Loader(SourceFileLoader):
    """Compiles a file from its text, notes what was read, and gives it the built-in names of its package."""

    def __init__(self, name: str, path: str, owner: _HookModule) -> None:
        super().__init__(name, path)
        self._owner = owner

    def get_code(self, fullname: str) -> CodeType:
        data = self._owner.will_read(Path(self.path))
        # As text: a file is UTF-8 here, also when its first lines declare another encoding; trust reads it so, too.
        code: CodeType = compile(data.decode("utf-8-sig"), self.path, "exec", dont_inherit=True)
        return code

    def exec_module(self, module: ModuleType) -> None:
        vars(module)["__builtins__"] = self._owner.built_in
        super().exec_module(module)
