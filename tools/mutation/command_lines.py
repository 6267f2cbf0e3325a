"""The cheap cases of the shell guard: command lines, each with what the guard must say about it.

The guard is changed in place, and only lines that reach the changed code are judged again.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from itertools import islice
from pathlib import Path
from types import FrameType, FunctionType, ModuleType
from typing import Any, NamedTuple

from tools.mutation.play import Task
from tools.mutation.samples import sample

FOLDER = Path(__file__).parent.parent.parent / "tests" / "guards" / "shell"
PACKAGES = ("anyhook.guards.effects", "anyhook.guards.families")
APP = "/home/me/app"
Place = tuple[str, str]
"""Module and function."""


class Lines(NamedTuple):
    """Command lines, what is expected of them, and which functions judge them."""

    refused: Mapping[str, str]
    """With their families; empty: any."""
    allowed: frozenset[str]
    reached: Mapping[Place, tuple[str, ...]]
    users: Mapping[str, frozenset[Place]]
    """By the name of a constant of a module: the functions that use it."""

    def notices(self, task: Task, tree: ast.Module, recent: Iterable[str]) -> str:
        """The first line that is judged otherwise with the change."""
        if not task.module.startswith(PACKAGES) or any(isinstance(node, ast.ClassDef) for node in tree.body):
            return ""
        try:
            install(task.module, task.mutant.tree(tree))
            relevant = self.of(task, tree)
            known = set(relevant)
            likely = (*(line for line in recent if line in known), *_naming(task.mutant.change.gone, relevant))
            return self.first_difference(dict.fromkeys((*likely, *relevant)))
        except Exception as error:
            return f"error: {type(error).__name__}"

    def first_difference(self, lines: Iterable[str]) -> str:
        return next((line for line in lines if self.is_wrong(line, families_of(line))), "")

    def is_wrong(self, line: str, families: tuple[str, ...]) -> bool:
        if line not in self.refused:
            return bool(families)
        expected = self.refused[line]
        return expected not in families if expected else not families

    def of(self, task: Task, tree: ast.Module) -> tuple[str, ...]:
        """The lines that reach the changed code."""
        if task.mutant.function:
            return self.reached.get((task.module, task.mutant.function), ())
        names = {
            target.id
            for statement in tree.body
            if statement.lineno <= task.mutant.line <= (statement.end_lineno or 0)
            for target in ast.walk(statement)
            if isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store)
        }
        places = {place for name in names for place in self.users.get(name, ())}
        found = dict.fromkeys(line for place in places for line in self.reached.get(place, ()))
        return tuple(found) if names else (*self.refused, *self.allowed)

    def suggestion(self, task: Task, tree: ast.Module) -> tuple[str, tuple[str, ...]] | None:
        """A line that only the changed code decides, and the families that the guard finds in it; made from others."""
        lines = [line for line in self.of(task, tree) if len(line) < 250]
        candidates = list(islice(dict.fromkeys(_candidates(task, lines)), 150))
        before = {line: families_of(line) for line in candidates}
        try:
            install(task.module, task.mutant.tree(tree))
            for line, families in before.items():
                now = families_of(line)
                if bool(families) != bool(now) or (families and families[0] not in now):
                    return line, families
        except Exception:
            return None
        return None


def _naming(gone: str, lines: tuple[str, ...]) -> Iterator[str]:
    """The lines that have the alternative that is gone: most likely one of them notices."""
    try:
        search = re.compile(gone.strip(), re.IGNORECASE).search
    except re.error:
        return
    yield from filter(search, lines if gone else ())


def _candidates(task: Task, lines: list[str]) -> Iterator[str]:
    """Lines with the alternative that is gone in place of another one, or with a word less."""
    gone = sample(task.mutant.change.gone) if task.mutant.change.gone else None
    for other in filter(None, task.mutant.change.others if gone else ()):
        try:
            search = re.compile(rf"(?<![\w-]){other}(?![\w-])" if re.fullmatch(r"[\w\\-]+", other) else other).search
        except re.error:
            continue
        for line in lines:
            if (found := search(line)) and found.group():
                yield line[: found.start()] + str(gone) + line[found.end() :]
    for line in lines[:60]:
        words = line.split(" ")
        if gone and gone.startswith("-"):
            yield " ".join((words[0], gone, "x", *words[1:]))
        for number in range(len(words) if len(words) < 12 else 0):
            yield " ".join((*words[:number], *words[number + 1 :]))


def families_of(line: str) -> tuple[str, ...]:
    families, effects = sys.modules["anyhook.guards.families"], sys.modules["anyhook.guards.effects.model"]
    where = sys.modules["anyhook.guards.effects.where"].Where(folder=APP, project=APP, home="/home/me")
    return tuple(str(finding.family) for finding in families.judge(effects.command_line(line), where))


def install(name: str, tree: ast.Module) -> None:
    """Change a module and what others have imported of it."""
    module = import_module(name)
    before = dict(vars(module))
    keep = ("__name__", "__file__", "__package__", "__spec__", "__builtins__")
    after: dict[str, Any] = {key: before[key] for key in keep}
    exec(compile(tree, str(module.__file__), "exec", dont_inherit=True), after)
    loaded = [other for key, other in sys.modules.items() if key.startswith("anyhook.")]
    for key, value in after.items():
        old = before.get(key)
        if key in keep or old is value:
            continue
        if isinstance(old, FunctionType) and isinstance(value, FunctionType):
            old.__code__, old.__defaults__, old.__kwdefaults__ = (
                value.__code__,
                value.__defaults__,
                value.__kwdefaults__,
            )
            continue
        for other in loaded:
            _replace(other, old, value)
    _clear_caches()


def _clear_caches() -> None:
    for module in [module for key, module in sys.modules.items() if key.startswith(PACKAGES)]:
        for value in vars(module).values():
            if hasattr(value, "cache_clear") and str(getattr(value, "__module__", "")).startswith(PACKAGES):
                value.cache_clear()


def _replace(module: ModuleType, old: object, value: object) -> None:
    for key, known in list(vars(module).items()):
        if known is old:
            setattr(module, key, value)


def read_lines() -> Lines:
    """The lines of the tests; each is parsed now, once for all changes."""
    from anyhook.shell import reader

    reader.read_script = cache(reader.read_script)
    import_module("anyhook.guards.families")
    share = import_module("tests.guards.shell.test_share")
    refused = {line: "" for line in share.commands("dangerous.jsonl") if line not in share.MISSED}
    refused |= {row["command"]: row["family"] for name in ("refused", "alternatives") for row in _rows(name)}
    allowed = frozenset(row["command"] for name in ("allowed", "benign", "near_misses") for row in _rows(name))
    reached = _trace((*refused, *allowed))
    return Lines(refused, allowed, reached, _users())


def _rows(name: str) -> list[dict[str, str]]:
    path = FOLDER / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def _trace(lines: Iterable[str]) -> dict[Place, tuple[str, ...]]:
    """Which lines reach which functions."""
    found: dict[Place, dict[str, None]] = {}
    line = ""

    def note(frame: FrameType, event: str, _: object) -> None:
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.startswith(PACKAGES):
            found.setdefault((module, _function_of(frame)), {})[line] = None

    for line in lines:
        families_of(line)  # parsed
    for line in lines:
        _clear_caches()
        sys.setprofile(note)
        try:
            families_of(line)
        finally:
            sys.setprofile(None)
    return {place: tuple(reached) for place, reached in found.items()}


def _function_of(frame: FrameType) -> str:
    return frame.f_code.co_qualname.split(".<locals>")[0]


def _users() -> dict[str, frozenset[Place]]:
    """By constant: the functions that use it, directly or through another constant."""
    direct: dict[str, set[Place]] = {}
    through: dict[str, set[str]] = {}
    guards = Path(__file__).parent.parent.parent / "src/anyhook/guards"
    for path in sorted((guards / "families.py", *(guards / "effects").rglob("*.py"))):
        parts = path.relative_to(Path(__file__).parent.parent.parent / "src").with_suffix("").parts
        for statement in ast.parse(path.read_text(encoding="utf-8")).body:
            used = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
            used |= {node.attr for node in ast.walk(statement) if isinstance(node, ast.Attribute)}
            if isinstance(statement, ast.FunctionDef):
                for name in used:
                    direct.setdefault(name, set()).add((".".join(parts), statement.name))
            else:
                for name in used:
                    through.setdefault(name, set()).update(used - {name})
    return {name: frozenset(_closure(name, direct, through)) for name in {*direct, *through}}


def _closure(name: str, direct: Mapping[str, set[Place]], through: Mapping[str, set[str]]) -> set[Place]:
    seen, waiting = {name}, [name]
    while waiting:
        for other in through.get(waiting.pop(), set()) - seen:
            seen.add(other)
            waiting.append(other)
    return {place for each in seen for place in direct.get(each, ())}
